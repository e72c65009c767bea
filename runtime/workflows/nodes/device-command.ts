import { z } from 'zod'
import { commandEnd, sendCommand } from '../../devices/commands.ts'
import { findOwnDevice } from '../../devices/device-store.ts'
import { NewCommand } from '../../devices/schema.ts'
import { readable } from '../../validation.ts'
import { NodeError, nodeType, refusal } from '../node-type.ts'

export const deviceCommand = nodeType({
  type: 'device_command',
  title: 'Device command',
  description: 'Runs a command on a device and continues with its output.',
  category: 'action',
  params: z.object({
    device_id: z.string().min(1).max(64).meta({ 'x-format': 'device' }),
    command: z.string().min(1).max(64).meta({ description: 'For example notify, open_url or screenshot' }),
    args: z.record(z.string(), z.unknown()).default({}).meta({ title: 'Arguments' }),
    timeout_seconds: z.number().int().min(1).max(3_600).default(60).meta({ title: 'Time limit in seconds' }),
    queue_if_offline: z
      .boolean()
      .default(false)
      .meta({ description: 'If the device is offline, wait up to an hour; otherwise the node fails' }),
  }),
  risk: 'high',
  side_effects: true,
  effect: () => true,
  async problems({ device_id, command }, context) {
    const device = await findOwnDevice(context, device_id)
    if (!device || device.status === 'revoked')
      return [{ field: 'device_id', message: `is not a device of yours: ${device_id}` }]
    if (!device.capabilities.includes(command))
      return [{ field: 'command', message: `is not offered by ${device.name}: ${command}` }]
    return device.allowed_commands.includes(command)
      ? []
      : [{ field: 'command', message: `must be approved on the page of ${device.name}: ${command}` }]
  },
  async run({ device_id, args, ...rest }, { context }) {
    const wanted = NewCommand.safeParse({ ...rest, params: args, queue_seconds: 3_600 }, readable)
    if (!wanted.success)
      throw new NodeError('invalid_params', `command ${wanted.error.issues[0]?.message}`, { permanent: true })
    try {
      const { id } = await sendCommand(context, device_id, wanted.data)
      const ended = await commandEnd(context, id, context.signal)
      if (ended?.status === 'succeeded') return { output: ended.output }
      const status = ended?.status ?? 'deleted'
      throw new NodeError(`device_${status}`, ended?.error ?? `The command was ${status}`, {
        // A person has stopped it.
        permanent: status === 'cancelled',
        // The device has answered, or was never sent the command.
        definite: status === 'failed' || status === 'expired',
      })
    } catch (thrown) {
      throw refusal(thrown)
    }
  },
})

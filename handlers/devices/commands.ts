import { z } from 'zod'
import { catalogue } from '../../runtime/devices/catalogue.ts'
import { findOwnCommand, listCommands, publicCommand } from '../../runtime/devices/command-store.ts'
import { cancelCommand, sendCommand } from '../../runtime/devices/commands.ts'
import { requireDevice } from '../../runtime/devices/devices.ts'
import { CommandEntry, CommandStatus, CommandType, DeviceCommand, NewCommand } from '../../runtime/devices/schema.ts'
import { notFound } from '../../runtime/fault.ts'
import { logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { statusFilter } from '../../runtime/http/page.ts'

const devices = { path: '/api/devices', require: requireDevice } as const

export const types = endpoint('GET /api/devices/command-types', {
  summary: 'List the commands that hearthd knows, with their parameters and risk',
  owner: 'none',
  returns: z.object({ commands: z.array(CommandType), count: z.int() }),
  async run() {
    const commands = Object.entries(catalogue).map(([name, { params, ...spec }]) => ({
      name,
      ...spec,
      params: z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' }),
    }))
    return { commands, count: commands.length }
  },
})

export const listOfDevice = logOf(devices, 'commands', {
  summary: 'List the commands of a device, newest first, without their output',
  item: CommandEntry,
  query: { status: statusFilter(CommandStatus.options) },
  rows: listCommands,
})

export const send = verbOf(devices, 'commands', {
  summary: 'Send a command to a device; it is queued and delivered in order',
  body: NewCommand,
  returns: DeviceCommand,
  status: 202,
  run: sendCommand,
})

export const showCommand = endpoint('GET /api/devices/{id}/commands/{command_id}', {
  summary: 'Get a command with its output',
  returns: DeviceCommand,
  async run({ params }, context) {
    const command = await findOwnCommand(context, params.command_id)
    if (command?.device_id !== params.id) throw notFound(`The command ${params.command_id}`)
    return publicCommand(command)
  },
})

export const cancel = endpoint('POST /api/devices/{id}/commands/{command_id}/cancel', {
  summary: 'Cancel a command that has not ended',
  returns: DeviceCommand,
  async run({ params }, context) {
    await requireDevice(context, params.id)
    return cancelCommand(context, params.id, params.command_id)
  },
})

import { z } from 'zod'
import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { fromBase64 } from '../secrets/base64.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { catalogue, isCommand, riskOf, titleOf } from './catalogue.ts'
import { commandEnd, sendCommand } from './commands.ts'
import { listDevices, type StoredDevice } from './device-store.ts'
import { CommandName, NewCommand } from './schema.ts'

const maxSeconds = 600

const Input = z.object({
  action: z.enum(['list', 'run']).default('run'),
  device: z.string().max(100).optional().describe('For run: the id or the name of a device'),
  command: CommandName.optional().describe('For run: a command that list shows for this device'),
  params: z.record(z.string().max(100), z.unknown()).default({}),
  timeout_seconds: z.number().int().min(1).max(maxSeconds).default(60),
})
type Input = z.output<typeof Input>

const takes = Object.entries(catalogue)
  .filter(([name]) => isCommand(name))
  .map(([name, { params }]) => {
    const { properties = {} } = z.toJSONSchema(params, { io: 'input', unrepresentable: 'any' })
    return `${name}(${Object.keys(properties).join(', ')})`
  })

const plainSummary = ({ action, device, command, params }: Input): string =>
  action === 'list'
    ? 'List the devices'
    : `${titleOf(command ?? '')} on ${clipped(device ?? '', 100)}${Object.keys(params).length > 0 ? `: ${clipped(JSON.stringify(params), 200)}` : ''}`

/** Runs commands on the owner's devices. */
export const deviceCommand = tool({
  name: 'device_command',
  description:
    "Run commands on the owner's phones, computers and browsers. list shows the devices with their status and the commands that " +
    `the owner allows; run runs one on a device that is online and returns its output. Parameters: ${takes.join(' ')}`,
  input: Input,
  effect: ({ action }) => (action === 'list' ? 'read' : 'write'),
  risk: ({ action, command }) => (action === 'list' ? 'low' : riskOf(command ?? '')),
  // A clipboard, a file or a page can contain anything.
  untrusted: (output) => 'output' in (output as object),
  timeout_seconds: maxSeconds + 30,
  summary: plainSummary,
  async describe(input, { context }) {
    const known = input.device === undefined ? null : await findNamed(context, input.device).catch(() => null)
    return plainSummary(known ? { ...input, device: known.name } : input)
  },
  async run(input, scope) {
    try {
      return await actions[input.action](input, scope)
    } catch (thrown) {
      throw thrown instanceof Fault ? new ToolError(thrown.message) : thrown
    }
  },
})

const actions: Record<Input['action'], (input: Input, scope: ToolScope) => Promise<object>> = {
  async list(_, { context }) {
    const { devices } = await listDevices(context, { limit: 100, offset: 0 })
    return {
      devices: devices
        .filter(({ status }) => status !== 'revoked')
        .map(({ id, name, platform, status, allowed_commands, capabilities }) => ({
          ...{ id, name, platform, status },
          commands: allowed_commands.filter((one) => isCommand(one) && capabilities.includes(one)),
        })),
    }
  },

  async run({ device, command, params, timeout_seconds }, scope) {
    if (device === undefined || command === undefined)
      throw new ToolError('run needs `device` and `command`; list shows them')
    const { id, name } = await findNamed(scope.context, device)
    const sent = await sendCommand(scope.context, id, NewCommand.parse({ command, params, timeout_seconds }))
    const ended = await commandEnd(scope.context, sent.id, scope.signal)
    if (ended?.status !== 'succeeded')
      throw new ToolError(`${name}: ${ended?.error ?? `the command was ${ended?.status ?? 'deleted'}`}`)
    return { device: name, command, output: await shown(ended.output, `${name} ${command}`, scope) }
  },
}

/** Shows an image to the model instead of including it in the text. */
async function shown(output: unknown, name: string, { show }: ToolScope): Promise<unknown> {
  const picture = z
    .looseObject({ mime_type: z.string().startsWith('image/'), base64: z.string() })
    .safeParse(output)
  if (!picture.success) return output
  const { base64, ...about } = picture.data
  const bytes = fromBase64(base64.replace(/={1,2}$/, ''))
  if (!bytes || !show) return { ...about, note: 'The image cannot be shown here' }
  await show({ name: `${name}.${about.mime_type.slice('image/'.length)}`, bytes })
  return about
}

async function findNamed(context: Context, wanted: string): Promise<StoredDevice> {
  const { devices } = await listDevices(context, { limit: 200, offset: 0 })
  const usable = devices.filter(({ status }) => status !== 'revoked')
  const same = usable.filter(({ id, name }) => id === wanted || name.toLowerCase() === wanted.toLowerCase())
  if (same.length > 1) throw new ToolError(`There are ${same.length} devices named ${wanted}; use the id`)
  const [found] = same
  if (found) return found
  throw new ToolError(
    `There is no device ${wanted}. Available devices: ${usable.map(({ name }) => name).join(', ') || 'none'}`,
  )
}

import { z } from 'zod'
import type { Context } from '../context.ts'
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
  timeout_seconds: z.int().min(1).max(maxSeconds).default(60),
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
    const device = input.device === undefined ? null : await findNamed(context, input.device).catch(() => null)
    return plainSummary(device ? { ...input, device: device.name } : input)
  },
  run: (input, scope) => actions[input.action](input, scope),
})

const actions: Record<Input['action'], (input: Input, scope: ToolScope) => Promise<object>> = {
  async list(_, { context }) {
    const { rows: devices } = await listDevices(context, { limit: 100, offset: 0 })
    return {
      devices: devices
        .filter(({ status }) => status !== 'revoked')
        .map(({ id, name, platform, status, allowed_commands, capabilities }) => ({
          id,
          name,
          platform,
          status,
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
    return { device: name, command, output: await withAttachment(ended.output, `${name} ${command}`, scope) }
  },
}

/** Attaches an image or a recording to the answer instead of including it in the text. */
async function withAttachment(output: unknown, name: string, { show }: ToolScope): Promise<unknown> {
  const attachment = z
    .looseObject({ mime_type: z.string().regex(/^(?:image|audio)\//), base64: z.string() })
    .safeParse(output)
  if (!attachment.success) return output
  const { base64, ...about } = attachment.data
  const bytes = fromBase64(base64.replace(/={1,2}$/, ''))
  if (!bytes || !show) return { ...about, note: 'It cannot be attached here' }
  await show({ name: `${name}.${about.mime_type.split('/')[1]}`, bytes })
  return about
}

async function findNamed(context: Context, device: string): Promise<StoredDevice> {
  const { rows: devices } = await listDevices(context, { limit: 200, offset: 0 })
  const usable = devices.filter(({ status }) => status !== 'revoked')
  const same = usable.filter(({ id, name }) => id === device || name.toLowerCase() === device.toLowerCase())
  if (same.length > 1) throw new ToolError(`There are ${same.length} devices named ${device}; use the id`)
  const [match] = same
  if (match) return match
  throw new ToolError(
    `There is no device ${device}. Available devices: ${usable.map(({ name }) => name).join(', ') || 'none'}`,
  )
}

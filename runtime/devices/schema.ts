import { z } from 'zod'
import { reference } from '../references.ts'
import { Risk } from '../tools/modes.ts'
import { maxError } from './client.ts'

export const Platform = z.enum(['macos', 'windows', 'linux', 'ios', 'android', 'browser', 'other'])

/** `stale`: connected, but silent for 90 s. `revoked`: its token is deleted; it can only be paired again. */
export const DeviceStatus = z.enum(['online', 'offline', 'stale', 'revoked'])
export type DeviceStatus = z.output<typeof DeviceStatus>

/** The name of a command and of the capability that it needs, for example `clipboard.read`. */
export const CommandName = z
  .string()
  .max(64)
  .regex(/^[a-z][a-z0-9_]*(?:\.[a-z0-9_]+)*$/, 'must be a name such as clipboard.read')

const Capabilities = z.array(CommandName).max(64)
export const line = (max: number) => z.string().trim().max(max)
const percent = z.number().min(0).max(100).nullable().default(null)

export const DeviceHealth = z.object({
  battery_pct: percent,
  cpu_pct: percent,
  memory_pct: percent,
  disk_free_bytes: z.int().min(0).max(Number.MAX_SAFE_INTEGER).nullable().default(null),
  latency_ms: z.number().min(0).max(86_400_000).nullable().default(null),
})
export type DeviceHealth = z.output<typeof DeviceHealth>

export const Device = z.object({
  id: z.string(),
  owner_id: z.string(),
  name: z.string(),
  platform: Platform,
  model: z.string().nullable(),
  os_version: z.string().nullable(),
  client_version: z.string().nullable(),
  capabilities: z.array(z.string()).meta({ description: 'What the device offers' }),
  allowed_commands: z.array(z.string()).meta({ description: 'Capabilities that the owner has approved' }),
  new_capabilities: z
    .array(z.string())
    .meta({ description: 'Capabilities that the owner has neither approved nor declined' }),
  group_ids: z.array(z.string()),
  status: DeviceStatus,
  push: z.boolean().meta({ description: 'Whether it receives notifications by Web Push while disconnected' }),
  health: DeviceHealth,
  last_seen_at: z.string().nullable(),
  paired_at: z.string(),
})
export type Device = z.output<typeof Device>

export const DeviceChanges = z.object({
  name: line(100).min(1).optional(),
  allowed_commands: Capabilities.optional().meta({
    description: 'Replaces the approved capabilities; all others are declined',
  }),
})
export type DeviceChanges = z.output<typeof DeviceChanges>

export const HealthReport = z.object({
  device_id: z.string(),
  status: DeviceStatus,
  health: DeviceHealth,
  last_seen_at: z.string().nullable(),
  queued_commands: z.int(),
})

export const NewPairingCode = z.object({
  name: line(100).min(1).optional().meta({ description: 'Name of the device. Default: the name it reports' }),
  group_id: reference('device_group', 64).optional(),
})
export type NewPairingCode = z.output<typeof NewPairingCode>

export const PairingCode = z.object({ code: z.string(), expires_at: z.string() })

/** A device's description of itself. */
const about = {
  model: line(200).nullable().optional(),
  os_version: line(100).nullable().optional(),
  client_version: line(100).nullable().optional(),
}

export const PairRequest = z.object({
  code: z.string().regex(/^\d{6}$/, 'must have 6 digits'),
  name: line(100).min(1),
  platform: Platform,
  ...about,
  capabilities: Capabilities.default([]),
})
export type PairRequest = z.output<typeof PairRequest>

export const DeviceToken = z.object({
  device_id: z.string(),
  device_token: z.string(),
  ws_url: z.string(),
})
export type DeviceToken = z.output<typeof DeviceToken>

/** `sent`: the device may have received it, so it is not sent again unless the device reports that it did not. */
export const CommandStatus = z.enum([
  'queued',
  'sent',
  'running',
  'succeeded',
  'failed',
  'timed_out',
  'expired',
  'cancelled',
])
export type CommandStatus = z.output<typeof CommandStatus>

export const NewCommand = z.object({
  command: CommandName,
  params: z.record(z.string().max(100), z.unknown()).default({}),
  timeout_seconds: z.int().min(1).max(3_600).default(60).meta({ description: 'Time from delivery to result' }),
  queue_if_offline: z.boolean().default(false),
  queue_seconds: z
    .int()
    .min(1)
    .max(604_800)
    .default(86_400)
    .meta({ description: 'How long the command may wait for an offline device' }),
})
export type NewCommand = z.output<typeof NewCommand>

export const Progress = z.object({ pct: percent, message: z.string().max(500).nullable().default(null) })

export const DeviceCommand = z.object({
  id: z.string(),
  device_id: z.string(),
  batch_id: z.string().nullable().meta({ description: 'The group command that it belongs to' }),
  command: z.string(),
  params: z.record(z.string(), z.unknown()),
  status: CommandStatus,
  progress: Progress.nullable(),
  output: z.unknown(),
  error: z.string().nullable(),
  timeout_seconds: z.int(),
  created_at: z.string(),
  expires_at: z
    .string()
    .meta({ description: 'Until delivery: when the delivery expires. After it: when the command times out' }),
  sent_at: z.string().nullable(),
  ended_at: z.string().nullable(),
})
export type DeviceCommand = z.output<typeof DeviceCommand>

/** A command in a list, without its output, which can be an image. */
export const CommandEntry = DeviceCommand.omit({ output: true })

export const CommandType = z.object({
  name: z.string(),
  title: z.string(),
  description: z.string(),
  risk: Risk,
  params: z.record(z.string(), z.unknown()).meta({ description: 'JSON Schema' }),
})

/** The result of a group command for each device. */
export const GroupCommand = z.object({
  id: z.string(),
  group_id: z.string(),
  results: z.array(
    z.object({
      device_id: z.string(),
      command: CommandEntry.nullable(),
      error: z.string().nullable().meta({ description: 'Why the command was not sent to this device' }),
    }),
  ),
})

/** A browser's `PushSubscription`, as `toJSON()` returns it. */
export const PushSubscription = z.object({
  endpoint: z.url({ protocol: /^https$/ }).max(2_000),
  keys: z.object({ p256dh: z.string().max(200), auth: z.string().max(100) }),
})

// Frames of the device socket.

const id = z.string().max(64)

/** The first frame of a device. */
export const Hello = z.object({
  type: z.literal('hello'),
  name: line(100).optional(),
  ...about,
  capabilities: Capabilities.default([]),
  health: DeviceHealth.optional(),
  /** Position of the last command that the device received; later ones are sent again. */
  received: z.int().min(0).optional(),
  /** Commands that are running or whose result is still to be sent; any other delivered command has failed. */
  running: z.array(id).max(100).optional(),
})
export type Hello = z.output<typeof Hello>

export const DeviceFrame = z.discriminatedUnion('type', [
  Hello,
  z.object({ type: z.literal('ack'), id }),
  z.object({ type: z.literal('progress'), id, ...Progress.shape }),
  z.object({
    type: z.literal('result'),
    id,
    ok: z.boolean(),
    output: z.unknown().optional(),
    error: z.string().max(maxError).optional(),
  }),
  z.object({ type: z.literal('event'), event: CommandName, data: z.unknown().optional() }),
  z.object({ type: z.literal('ping'), health: DeviceHealth.optional() }),
  z.object({ type: z.literal('pong') }),
  z.object({ type: z.literal('approval'), approval_id: id, approved: z.boolean() }),
  z.object({
    type: z.literal('push'),
    subscription: PushSubscription.nullable(),
  }),
])
export type DeviceFrame = z.output<typeof DeviceFrame>

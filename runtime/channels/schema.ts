import { z } from 'zod'
import { changesOf, readOf } from '../fields.ts'
import { reference } from '../references.ts'

export const PlatformId = z.enum([
  'discord',
  'slack',
  'telegram',
  'whatsapp',
  'teams',
  'google_chat',
  'line',
  'email',
  'webhook',
])

/**
 * Who may send the bot direct messages. `pairing`: people whom the owner has approved; others get a code.
 * `allowlist`: people in `allow_from`, and those who are paired. `open`: everyone.
 */
export const DmPolicy = z.enum(['pairing', 'allowlist', 'open', 'disabled'])

/** `mention`: group messages that mention the bot. `allowlist`: all group messages. Both only from groups and people that the owner allows. */
export const GroupPolicy = z.enum(['mention', 'allowlist', 'disabled'])

const defaultRate = 20

export const ChannelSettings = z.object({
  dm_policy: DmPolicy.default('pairing').meta({
    title: 'Direct messages from',
    labels: {
      pairing: 'People you approve',
      allowlist: 'People on the allowlist',
      open: 'Everyone',
      disabled: 'Nobody',
    },
  }),
  /** If `dm_policy` is `open`. */
  messages_per_hour: z.int().min(1).max(10_000).default(defaultRate).meta({
    title: 'Messages per hour',
    description: 'Answered for each person you have not approved',
  }),
  group_policy: GroupPolicy.default('mention').meta({
    title: 'In groups',
    description: 'Applies to groups on the allowlist or with a binding, and to people you have approved',
    labels: {
      mention: 'Answer when mentioned',
      allowlist: 'Answer every message',
      disabled: 'Never answer',
    },
  }),
  allow_from: z
    .array(z.string().trim().min(1).max(320))
    .max(1_000)
    .default([])
    .meta({ title: 'Allowlist', description: 'IDs of people and groups on the platform' }),
})
export type ChannelSettings = z.output<typeof ChannelSettings>

/**
 * `connected`: the platform has accepted the credentials and, where there is one, the connection. `connecting`: the
 * connection is being opened.
 */
export const ChannelStatus = z.enum(['disconnected', 'connecting', 'connected', 'error'])
export type ChannelStatus = z.output<typeof ChannelStatus>

/** A credential as the API returns it. `value` is set only if it is not secret. */
export const ShownCredential = z.object({
  configured: z.boolean(),
  hint: z.string().nullable(),
  value: z.string().nullable(),
})
export type ShownCredential = z.output<typeof ShownCredential>

export const Channel = z.object({
  id: z.string(),
  owner_id: z.string(),
  platform: PlatformId,
  name: z.string(),
  enabled: z.boolean(),
  status: ChannelStatus,
  settings: ChannelSettings,
  default_agent_id: z.string().nullable(),
  credentials: z.record(z.string(), ShownCredential),
  /** Names of the required credentials that are missing. */
  missing: z.array(z.string()),
  /** How messages arrive: at the webhook address, or over a connection that this daemon keeps. */
  arrival: z.enum(['webhook', 'connection']),
  /** The webhook address to enter on the platform; null until the public base URL is set. */
  webhook_url: z.string().nullable(),
  webhook_path: z.string(),
  /** Whether someone on this channel is paired as its owner. */
  owner_paired: z.boolean(),
  last_error: z.string().nullable(),
  last_inbound_at: z.string().nullable(),
  last_outbound_at: z.string().nullable(),
  created_at: z.string(),
  updated_at: z.string(),
})
export type Channel = z.output<typeof Channel>

const fields = {
  name: z.string().trim().min(1).max(100).optional().meta({ title: 'Name' }),
  enabled: z.boolean().default(true).meta({ title: 'Enabled' }),
  default_agent_id: reference('agent')
    .nullable()
    .default(null)
    .meta({ title: 'Agent', labels: { null: 'The default agent' } }),
  /** Null removes a credential. */
  credentials: z.record(z.string().max(64), z.string().max(20_000).nullable()).default({}),
}

export const NewChannel = z.object({
  ...fields,
  platform: PlatformId,
  settings: ChannelSettings.default(ChannelSettings.parse({})),
})
export type NewChannel = z.output<typeof NewChannel>

export const ChannelChanges = changesOf({ ...fields, settings: changesOf(ChannelSettings.shape) })
export type ChannelChanges = z.output<typeof ChannelChanges>

/**
 * Which messages share a conversation with the agent. `per_peer`: the messages of one chat. `per_channel`: all messages on the channel.
 * `main`: the owner's messages on all channels. Other people never join one of the owner's conversations.
 */
export const SessionScope = z.enum(['per_peer', 'per_channel', 'main'])
export type SessionScope = z.output<typeof SessionScope>

const peerId = reference('peer', 320).trim().min(1)

const anyOr = (title: string) =>
  peerId
    .nullable()
    .default(null)
    .meta({ title, labels: { null: 'Any' } })

/** Null matches everything. */
export const BindingMatch = z.object({
  peer_kind: z
    .enum(['dm', 'group'])
    .nullable()
    .default(null)
    .meta({ title: 'Kind of chat', labels: { null: 'Any', dm: 'Direct messages', group: 'Groups' } }),
  peer_id: anyOr('Chat ID'),
  thread_id: anyOr('Thread ID'),
  team_id: anyOr('Team or server ID'),
})
export type BindingMatch = z.output<typeof BindingMatch>

const bound = {
  match: BindingMatch.default({ peer_kind: null, peer_id: null, thread_id: null, team_id: null }).meta({
    title: 'Messages',
  }),
  agent_id: reference('agent')
    .nullable()
    .default(null)
    .meta({ title: 'Agent', labels: { null: 'The channel’s agent' } }),
  project_id: reference('own_project').nullable().default(null).meta({ title: 'Project' }),
  session_scope: SessionScope.default('per_peer').meta({
    title: 'Conversation',
    labels: {
      per_peer: 'One conversation per chat',
      per_channel: 'One conversation for the channel',
      main: 'One conversation for all your channels',
    },
  }),
  priority: z.int().min(-1_000).max(1_000).default(0).meta({
    title: 'Priority',
    description: 'Decides between bindings that are equally specific; the highest wins',
  }),
}

export const Binding = z.object({
  id: z.string(),
  channel_id: z.string(),
  ...readOf(bound),
  created_at: z.string(),
})
export type Binding = z.output<typeof Binding>

export const NewBinding = z.object({ channel_id: reference('channel'), ...bound })
export type NewBinding = z.output<typeof NewBinding>

export const BindingChanges = changesOf(bound)
export type BindingChanges = z.output<typeof BindingChanges>

/** `owner`: the sender is the owner of the channel. `guest`: someone the owner has allowed. */
export const PeerRole = z.enum(['owner', 'guest'])
export type PeerRole = z.output<typeof PeerRole>

/** Someone who has written to a channel, and the owner's decision about them. */
export const Pairing = z.object({
  id: z.string(),
  channel_id: z.string(),
  sender_id: z.string(),
  sender_name: z.string().nullable(),
  status: z.enum(['pending', 'approved', 'denied']),
  role: PeerRole.nullable(),
  /** The code sent to them. */
  code: z.string(),
  requested_at: z.string(),
  resolved_at: z.string().nullable(),
})
export type Pairing = z.output<typeof Pairing>

export const LogEntry = z.object({
  id: z.string(),
  at: z.string(),
  direction: z.enum(['inbound', 'outbound', 'connection']),
  /** `ignored`: rejected by the policy. `refused`: its signature was invalid. */
  outcome: z.enum(['ok', 'ignored', 'refused', 'error']),
  detail: z.string(),
})
export type LogEntry = z.output<typeof LogEntry>

export const PlatformInfo = z.object({
  name: PlatformId,
  title: z.string(),
  /** Markdown; `{webhook_url}` is replaced by the channel's webhook address. */
  setup_steps: z.array(z.string()),
  credentials: z.array(
    z.object({
      name: z.string(),
      title: z.string(),
      description: z.string(),
      secret: z.boolean(),
      required: z.boolean(),
      /** Rarely needed: the default is right for most. */
      advanced: z.boolean(),
    }),
  ),
  limits: z.object({
    text_characters: z.number(),
    /** The limit of a message with buttons, if it is lower. */
    button_text_characters: z.number().optional(),
    messages_per_second: z.number(),
    /** Maximum size of a file that a bot can send, and of all files of one message; 0 if it can send none. */
    file_bytes: z.number(),
    /** Seconds within which the platform expects an acknowledgement. */
    acknowledge_seconds: z.number(),
  }),
  has: z.object({ buttons: z.boolean(), typing: z.boolean(), files: z.boolean(), groups: z.boolean() }),
  /** Messages can come over a connection, so no public address is needed. */
  fetches_messages: z.boolean(),
})
export type PlatformInfo = z.output<typeof PlatformInfo>

const Check = z.object({ ok: z.boolean(), detail: z.string() })

export const ChannelTest = z.object({
  /** Whether messages can be sent and received. */
  ok: z.boolean(),
  detail: z.string(),
  sending: Check,
  receiving: Check,
  latency_ms: z.int(),
})
export type ChannelTest = z.output<typeof ChannelTest>

export const SendRequest = z.object({
  text: z.string().trim().min(1).max(100_000),
  /** The platform's id of a chat, room or address. Default: the paired owner. */
  to: peerId.optional(),
  /** Ids of files. */
  attachments: z.array(reference('file')).max(10).default([]),
})
export type SendRequest = z.output<typeof SendRequest>

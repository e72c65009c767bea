import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { changedByAnother } from '../fault.ts'
import type { Page } from '../http/page.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { PlatformName } from './platform.ts'
import { type Binding, ChannelSettings, type ChannelStatus, type ShownCredential } from './schema.ts'

export interface StoredChannel {
  id: string
  owner_id: string
  platform: PlatformName
  name: string
  enabled: boolean
  status: ChannelStatus
  settings: ChannelSettings
  default_agent_id: string | null
  sealed_credentials: string | null
  shown_credentials: Record<string, ShownCredential>
  cursor: string | null
  /** When the platform is polled next; null if it is not polled. */
  poll_due_at: string | null
  poll_failures: number
  last_error: string | null
  last_inbound_at: string | null
  last_outbound_at: string | null
  created_at: string
  updated_at: string
}

const channels = new Table<StoredChannel>('channels', {
  booleans: ['enabled'],
  json: ['settings', 'shown_credentials'],
  // Settings that were stored before a field existed have its default.
  complete: (channel) => ({ ...channel, settings: ChannelSettings.parse(channel.settings) }),
})

export const insertChannel = (channel: StoredChannel): Statement => channels.insert(channel)

/** Sets only the given columns, so that concurrent changes to different columns are both kept. */
export const updateChannel = (id: string, changes: Partial<StoredChannel>): Statement =>
  channels.update(changes, { id })

/** Stores a change that was made from the channel as it was at `before`. */
export const updateUnchanged = ({ id, updated_at }: StoredChannel, changes: Partial<StoredChannel>): Statement =>
  channels.update(changes, { id, updated_at }, changedByAnother('channel'))

/**
 * Stores what a connection has reported. Has no effect if the channel has since been disabled or got other credentials: the
 * cursor may belong to another account.
 */
export const reportConnection = (
  { id, sealed_credentials }: StoredChannel,
  changes: Partial<StoredChannel>,
): Statement => channels.update(changes, { id, sealed_credentials, enabled: true })

export const deleteChannel = (id: string): Statement => channels.delete({ id }, 'The channel was already deleted')

/** A channel regardless of its owner, for the daemon's own work. */
export const findChannel = (host: Sql, id: string) => channels.find(host, { id })
export const findOwnChannel = (context: Reader, id: string) => channels.find(context, { id }, owned(context))

export type ChannelFilter = Page & { platform?: string | undefined }

export const listChannels = (context: Reader, { platform, ...page }: ChannelFilter) =>
  channels.page(context, page, 'created_at, id', owned(context), { platform })

/** The enabled channels of all users. */
export const enabledChannels = (host: Sql) => channels.list(host, 'id', { enabled: true })

/** Whether any channel is enabled. */
export const hasChannels = (host: Sql) => channels.exists(host, { enabled: true })

/** The users with an enabled channel. */
export const channelOwners = async (host: Sql): Promise<string[]> =>
  Object.keys(await channels.countBy(host, 'owner_id', { enabled: true }))

/** The enabled channels that are due to be polled. */
export const channelsToPoll = (host: Sql, now: string) =>
  channels.list(host, 'poll_due_at', { enabled: true }, sql`poll_due_at <= ${now}`)

export async function nextPoll(host: Sql): Promise<number | null> {
  const next = await channels.first(host, 'poll_due_at', { enabled: true }, 'poll_due_at IS NOT NULL')
  return next?.poll_due_at ? Date.parse(next.poll_due_at) : null
}

/** After a clock rollback: moves due times after `latest` back to it. */
export const pollBy = (latest: string): Statement =>
  channels.update({ poll_due_at: latest }, sql`poll_due_at > ${latest}`)

// Bindings

const bindings = new Table<Binding>('channel_bindings', { json: ['match'] })

/** Limits rows with a `channel_id` to the caller's channels. */
export const ownChannels = (context: Pick<Context, 'caller'>): Condition =>
  sql`channel_id IN (SELECT id FROM channels WHERE ${owned(context)})`

export const insertBinding = (binding: Binding): Statement => bindings.insert(binding)

export const updateBinding = (id: string, changes: Partial<Binding>): Statement =>
  bindings.update(changes, { id }, 'The binding was deleted')

export const listBindings = (context: Reader, { channel_id, ...page }: Page & { channel_id?: string | undefined }) =>
  bindings.page(context, page, 'id', ownChannels(context), { channel_id })

export const bindingsOf = (host: Sql, channel_id: string) => bindings.list(host, 'id', { channel_id })

export const findOwnBinding = (context: Reader, id: string) => bindings.find(context, { id }, ownChannels(context))

export const deleteBinding = (id: string): Statement => bindings.delete({ id }, 'The binding was already deleted')

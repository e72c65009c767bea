import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { selectPage } from '../select-page.ts'
import type { PlatformName } from './platform.ts'
import { type Binding, ChannelSettings, type ChannelStatus, type ShownCredential } from './schema.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

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

type Row = Omit<StoredChannel, 'enabled' | 'settings' | 'shown_credentials'> & {
  enabled: number
  settings: string
  shown_credentials: string
}

const toChannel = ({ enabled, settings, shown_credentials, ...row }: Row): StoredChannel => ({
  ...row,
  enabled: enabled === 1,
  // Settings that were stored before a field existed have its default.
  settings: ChannelSettings.parse(JSON.parse(settings)),
  shown_credentials: JSON.parse(shown_credentials) as StoredChannel['shown_credentials'],
})

const columns = [
  'id',
  'owner_id',
  'platform',
  'name',
  'enabled',
  'status',
  'settings',
  'default_agent_id',
  'sealed_credentials',
  'shown_credentials',
  'cursor',
  'poll_due_at',
  'poll_failures',
  'last_error',
  'last_inbound_at',
  'last_outbound_at',
  'created_at',
  'updated_at',
] as const satisfies readonly (keyof StoredChannel)[]

const toValue = (value: unknown): Value =>
  typeof value === 'boolean'
    ? Number(value)
    : typeof value === 'object' && value !== null
      ? JSON.stringify(value)
      : (value as Value)

export const insertChannel = (channel: StoredChannel): Statement => ({
  sql: `INSERT INTO channels (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
  args: columns.map((name) => toValue(channel[name])),
})

/** Sets only the given columns, so that concurrent changes to different columns are both kept. */
export function updateChannel(id: string, changes: Partial<StoredChannel>): Statement {
  const names = Object.keys(changes) as (keyof StoredChannel)[]
  return {
    sql: `UPDATE channels SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE id = ?`,
    args: [...names.map((name) => toValue(changes[name])), id],
  }
}

export const deleteChannel = (id: string): Statement => ({
  sql: 'DELETE FROM channels WHERE id = ?',
  args: [id],
  guard: 'The channel was already deleted',
})

/** A channel regardless of its owner, for the daemon's own work. */
export async function findChannel({ sql }: Sql, id: string): Promise<StoredChannel | null> {
  const [row] = await sql.read<Row>('SELECT * FROM channels WHERE id = ?', [id])
  return row ? toChannel(row) : null
}

export async function findOwnChannel(context: Reader, id: string): Promise<StoredChannel | null> {
  const own = owned(context)
  const [row] = await context.sql.read<Row>(`SELECT * FROM channels WHERE id = ? AND ${own.sql}`, [
    id,
    ...own.args,
  ])
  return row ? toChannel(row) : null
}

export async function listChannels(
  context: Reader,
  { platform, ...page }: Page & { platform?: string | undefined },
) {
  const own = owned(context)
  const select = `SELECT * FROM channels WHERE ${own.sql} AND (? IS NULL OR platform = ?)`
  const query = { select, args: [...own.args, platform ?? null, platform ?? null], order: 'created_at, id' }
  const { rows, total } = await selectPage<Row>(context, query, page)
  return { channels: rows.map(toChannel), total }
}

/** Whether any channel is enabled. */
export async function hasChannels({ sql }: Sql): Promise<boolean> {
  const [row] = await sql.read('SELECT 1 FROM channels WHERE enabled = 1 LIMIT 1')
  return row !== undefined
}

/** The users with an enabled channel. */
export async function channelOwners({ sql }: Sql): Promise<string[]> {
  const rows = await sql.read<{ owner_id: string }>(
    'SELECT DISTINCT owner_id FROM channels WHERE enabled = 1',
  )
  return rows.map(({ owner_id }) => owner_id)
}

/** The enabled channels that are due to be polled. */
export async function channelsToPoll({ sql }: Sql, now: string): Promise<StoredChannel[]> {
  const rows = await sql.read<Row>('SELECT * FROM channels WHERE poll_due_at <= ? AND enabled = 1', [now])
  return rows.map(toChannel)
}

export async function nextPoll({ sql }: Sql): Promise<number | null> {
  const [row] = await sql.read<{ due: string | null }>(
    'SELECT min(poll_due_at) AS due FROM channels WHERE poll_due_at IS NOT NULL AND enabled = 1',
  )
  return row?.due ? Date.parse(row.due) : null
}

/** After a clock rollback: moves due times after `latest` back to it. */
export const pollBy = (latest: string): Statement => ({
  sql: 'UPDATE channels SET poll_due_at = ? WHERE poll_due_at > ?',
  args: [latest, latest],
})

// Bindings

type BindingRow = Omit<Binding, 'match'> & { match: string }

const toBinding = (row: BindingRow): Binding => ({
  ...row,
  match: JSON.parse(row.match) as Binding['match'],
})

/** Limits rows with a `channel_id` to the caller's channels. */
export function ownChannels(context: Pick<Context, 'caller'>): Condition {
  const own = owned(context)
  return { sql: `channel_id IN (SELECT id FROM channels WHERE ${own.sql})`, args: own.args }
}

export const saveBinding = (binding: Binding): Statement => ({
  sql: `INSERT INTO channel_bindings (id, channel_id, match, agent_id, project_id, session_scope, priority, created_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET match = excluded.match, agent_id = excluded.agent_id, project_id = excluded.project_id,
      session_scope = excluded.session_scope, priority = excluded.priority`,
  args: [
    ...[binding.id, binding.channel_id, JSON.stringify(binding.match), binding.agent_id, binding.project_id],
    ...[binding.session_scope, binding.priority, binding.created_at],
  ],
})

export async function listBindings(
  context: Reader,
  { channel_id, ...page }: Page & { channel_id?: string | undefined },
) {
  const own = ownChannels(context)
  const select = `SELECT * FROM channel_bindings WHERE ${own.sql} AND (? IS NULL OR channel_id = ?)`
  const query = { select, args: [...own.args, channel_id ?? null, channel_id ?? null], order: 'id' }
  const { rows, total } = await selectPage<BindingRow>(context, query, page)
  return { bindings: rows.map(toBinding), total }
}

export async function bindingsOf({ sql }: Sql, channel: string): Promise<Binding[]> {
  const rows = await sql.read<BindingRow>('SELECT * FROM channel_bindings WHERE channel_id = ? ORDER BY id', [
    channel,
  ])
  return rows.map(toBinding)
}

export async function findOwnBinding(context: Reader, id: string): Promise<Binding | null> {
  const own = ownChannels(context)
  const [row] = await context.sql.read<BindingRow>(
    `SELECT * FROM channel_bindings WHERE id = ? AND ${own.sql}`,
    [id, ...own.args],
  )
  return row ? toBinding(row) : null
}

export const deleteBinding = (id: string): Statement => ({
  sql: 'DELETE FROM channel_bindings WHERE id = ?',
  args: [id],
  guard: 'The binding was already deleted',
})

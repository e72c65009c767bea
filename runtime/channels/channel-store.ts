import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { day, iso } from '../time.ts'
import type { Peer, PlatformName } from './platform.ts'
import type {
  Binding,
  ChannelSettings,
  ChannelStatus,
  LogEntry,
  Pairing,
  PeerRole,
  ShownCredential,
} from './schema.ts'

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
  settings: JSON.parse(settings) as ChannelSettings,
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
  { platform, limit, offset }: { platform?: string | undefined; limit: number; offset: number },
) {
  const own = owned(context)
  const where = `WHERE ${own.sql} AND (? IS NULL OR platform = ?)`
  const args = [...own.args, platform ?? null, platform ?? null]
  const rows = await context.sql.read<Row>(
    `SELECT * FROM channels ${where} ORDER BY created_at, id LIMIT ? OFFSET ?`,
    [...args, limit, offset],
  )
  const [count] = await context.sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM channels ${where}`,
    args,
  )
  return { channels: rows.map(toChannel), total: count?.total ?? 0 }
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

/** The channels of the caller. */
function ownChannels(context: Pick<Context, 'caller'>): Condition {
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
  { channel_id, limit, offset }: { channel_id?: string | undefined; limit: number; offset: number },
) {
  const own = ownChannels(context)
  const where = `WHERE ${own.sql} AND (? IS NULL OR channel_id = ?)`
  const args = [...own.args, channel_id ?? null, channel_id ?? null]
  const rows = await context.sql.read<BindingRow>(
    `SELECT * FROM channel_bindings ${where} ORDER BY id LIMIT ? OFFSET ?`,
    [...args, limit, offset],
  )
  const [count] = await context.sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM channel_bindings ${where}`,
    args,
  )
  return { bindings: rows.map(toBinding), total: count?.total ?? 0 }
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

// Pairings

export interface StoredPairing extends Pairing {
  peer: Peer
  code_sent_at: string
}

type PairingRow = Omit<StoredPairing, 'peer'> & { peer: string }

const toPairing = (row: PairingRow): StoredPairing => ({ ...row, peer: JSON.parse(row.peer) as Peer })

export const publicPairing = ({ peer: _, code_sent_at: __, ...pairing }: StoredPairing): Pairing => pairing

export const savePairing = (pairing: StoredPairing): Statement => ({
  sql: `INSERT INTO channel_pairings (id, channel_id, sender_id, sender_name, peer, status, role, code, code_sent_at, requested_at, resolved_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (channel_id, sender_id) DO UPDATE SET sender_name = excluded.sender_name, peer = excluded.peer,
      code_sent_at = excluded.code_sent_at`,
  args: [
    ...[pairing.id, pairing.channel_id, pairing.sender_id, pairing.sender_name, JSON.stringify(pairing.peer)],
    ...[pairing.status, pairing.role, pairing.code, pairing.code_sent_at, pairing.requested_at],
    pairing.resolved_at,
  ],
})

export interface PairingResolution {
  status: 'approved' | 'denied'
  role: PeerRole | null
  at: string
}

/** Guarded by the status that was read: the first of two concurrent decisions wins. */
export const resolvePairing = (
  pairing: StoredPairing,
  { status, role, at }: PairingResolution,
): Statement => ({
  sql: 'UPDATE channel_pairings SET status = ?, role = ?, resolved_at = ? WHERE id = ? AND status = ? AND role IS ?',
  args: [status, role, at, pairing.id, pairing.status, pairing.role],
  guard: 'This request has already been answered',
})

/** Deletes unanswered pairing requests. */
export const prunePending = (before: string): Statement => ({
  sql: `DELETE FROM channel_pairings WHERE status = 'pending' AND code_sent_at < ?`,
  args: [before],
})

export const deletePairing = (id: string): Statement => ({
  sql: 'DELETE FROM channel_pairings WHERE id = ?',
  args: [id],
  guard: 'The pairing was already removed',
})

export async function findPairing({ sql }: Sql, channel: string, sender: string) {
  const [row] = await sql.read<PairingRow>(
    'SELECT * FROM channel_pairings WHERE channel_id = ? AND sender_id = ?',
    [channel, sender],
  )
  return row ? toPairing(row) : null
}

/** Unanswered requests expire after this time, so that strangers cannot exhaust the limit. */
export const pendingAge = 1 * day

/** Number of a channel's pending requests whose code was sent after `since` (ISO 8601). */
export async function countPending({ sql }: Sql, channel: string, since: string): Promise<number> {
  const [row] = await sql.read<{ count: number }>(
    `SELECT count(*) AS count FROM channel_pairings WHERE channel_id = ? AND status = 'pending' AND code_sent_at >= ?`,
    [channel, since],
  )
  return row?.count ?? 0
}

/** Finds a pairing by its id or, while it is pending, by its code. */
export async function findOwnPairing(context: Reader, idOrCode: string): Promise<StoredPairing | null> {
  const own = ownChannels(context)
  const [row] = await context.sql.read<PairingRow>(
    `SELECT * FROM channel_pairings WHERE (id = ? OR (code = ? AND status = 'pending')) AND ${own.sql}`,
    [idOrCode, idOrCode.toUpperCase(), ...own.args],
  )
  return row ? toPairing(row) : null
}

export async function listPairings(
  context: Reader,
  filter: {
    channel_id?: string | undefined
    status?: string | undefined
    limit: number
    offset: number
  },
) {
  const own = ownChannels(context)
  const where = `WHERE ${own.sql} AND (? IS NULL OR channel_id = ?) AND (? IS NULL OR status = ?)`
  const { channel_id = null, status = null } = filter
  const args = [...own.args, channel_id, channel_id, status, status]
  const rows = await context.sql.read<PairingRow>(
    `SELECT * FROM channel_pairings ${where} ORDER BY requested_at DESC, id DESC LIMIT ? OFFSET ?`,
    [...args, filter.limit, filter.offset],
  )
  const [count] = await context.sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM channel_pairings ${where}`,
    args,
  )
  return { pairings: rows.map(toPairing), total: count?.total ?? 0 }
}

/** The people paired as the owner of a channel, oldest pairing first. */
export async function ownersOn({ sql }: Sql, channel: string): Promise<StoredPairing[]> {
  const rows = await sql.read<PairingRow>(
    `SELECT * FROM channel_pairings WHERE channel_id = ? AND status = 'approved' AND role = 'owner' ORDER BY resolved_at, id`,
    [channel],
  )
  return rows.map(toPairing)
}

// Sessions

export interface Session {
  channel_id: string
  key: string
  conversation_id: string
  /** Where the last message came from. */
  peer: Peer
  /** Only the paired owner writes in this conversation. */
  is_owner: boolean
  updated_at: string
}

type SessionRow = Omit<Session, 'peer' | 'is_owner'> & { peer: string; is_owner: number }

const toSession = (row: SessionRow): Session => ({
  ...row,
  peer: JSON.parse(row.peer) as Peer,
  is_owner: row.is_owner === 1,
})

export const saveSession = (session: Session): Statement => ({
  sql: `INSERT INTO channel_sessions (channel_id, key, conversation_id, peer, is_owner, updated_at) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (channel_id, key) DO UPDATE SET conversation_id = excluded.conversation_id, peer = excluded.peer,
      is_owner = excluded.is_owner, updated_at = excluded.updated_at`,
  args: [
    ...[session.channel_id, session.key, session.conversation_id, JSON.stringify(session.peer)],
    ...[Number(session.is_owner), session.updated_at],
  ],
})

/** Makes the next message of this key start a new conversation. All channels of an owner share the key `main`. */
export const deleteSession = (
  { id, owner_id }: Pick<StoredChannel, 'id' | 'owner_id'>,
  key: string,
): Statement => ({
  sql: `DELETE FROM channel_sessions WHERE key = ? AND (channel_id = ? OR (key = 'main' AND
    channel_id IN (SELECT id FROM channels WHERE owner_id = ?)))`,
  args: [key, id, owner_id],
})

export async function findSession({ sql }: Sql, channel: string, key: string): Promise<Session | null> {
  const [row] = await sql.read<SessionRow>(
    'SELECT * FROM channel_sessions WHERE channel_id = ? AND key = ?',
    [channel, key],
  )
  return row ? toSession(row) : null
}

/** The session with this key on any of an owner's channels. */
export async function findSessionOf({ sql }: Sql, owner: string, key: string): Promise<Session | null> {
  const [row] = await sql.read<SessionRow>(
    `SELECT * FROM channel_sessions WHERE key = ? AND channel_id IN (SELECT id FROM channels WHERE owner_id = ?)
      ORDER BY updated_at DESC LIMIT 1`,
    [key, owner],
  )
  return row ? toSession(row) : null
}

/** The session that last wrote to a conversation. */
export async function sessionOf({ sql }: Sql, conversation: string): Promise<Session | null> {
  const [row] = await sql.read<SessionRow>(
    'SELECT * FROM channel_sessions WHERE conversation_id = ? ORDER BY updated_at DESC LIMIT 1',
    [conversation],
  )
  return row ? toSession(row) : null
}

/** The chat with this id, if the channel has received messages from it. */
export async function findPeer({ sql }: Sql, channel: string, id: string): Promise<Peer | null> {
  const [row] = await sql.read<{ peer: string }>(
    `SELECT peer FROM channel_sessions WHERE channel_id = ? AND json_extract(peer, '$.id') = ? ORDER BY updated_at DESC LIMIT 1`,
    [channel, id],
  )
  return row ? (JSON.parse(row.peer) as Peer) : null
}

// Log

/** Log entries kept per channel. */
const kept = 200
const maxDetail = 500

export function logEntry(
  { clock }: Pick<Host, 'clock'>,
  channel: string,
  { direction, outcome, detail }: Pick<LogEntry, 'direction' | 'outcome' | 'detail'>,
): Statement[] {
  const now = clock.now()
  return [
    {
      sql: 'INSERT INTO channel_log (id, channel_id, at, direction, outcome, detail) VALUES (?, ?, ?, ?, ?, ?)',
      args: [newId('log', now), channel, iso(now), direction, outcome, detail.slice(0, maxDetail)],
    },
    {
      sql: `DELETE FROM channel_log WHERE channel_id = ? AND id <= (
        SELECT id FROM channel_log WHERE channel_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?)`,
      args: [channel, channel, kept],
    },
  ]
}

export async function listLog(
  { sql }: Sql,
  channel: string,
  { limit, offset }: { limit: number; offset: number },
) {
  const entries = await sql.read<LogEntry & Record<string, Value>>(
    'SELECT id, at, direction, outcome, detail FROM channel_log WHERE channel_id = ? ORDER BY id DESC LIMIT ? OFFSET ?',
    [channel, limit, offset],
  )
  const [count] = await sql.read<{ total: number }>(
    'SELECT count(*) AS total FROM channel_log WHERE channel_id = ?',
    [channel],
  )
  return { entries: entries as LogEntry[], total: count?.total ?? 0 }
}

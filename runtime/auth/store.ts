import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { raw, readRow, readRows, sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import type { Role, Scope } from './caller.ts'
import type { AuditEntry, KeyEntry } from './schema.ts'

export interface KeyRow {
  id: string
  user_id: string | null
  role: Role | null
  name: string
  hash: string
  /** JSON array of `Scope`. */
  scopes: string
  created_at: string
  expires_at: string | null
}

export interface SessionRow {
  id: string
  user_id: string
  hash: string
  expires_at: string
  username: string
  role: Role
}

export const parseScopes = (text: string) => JSON.parse(text) as Scope[]

// bootstrap mode

export const bootstrapRow = (host: Host) =>
  readRow<{ ended_at: string }>(host, sql`SELECT ended_at FROM bootstrap WHERE id = 1`)

/** With a guard, only one of concurrent setups succeeds; without, the statement has no effect after the first. */
export const endBootstrap = (now: string, guard?: string): Statement => ({
  sql: 'INSERT INTO bootstrap (id, ended_at) VALUES (1, ?) ON CONFLICT DO NOTHING',
  args: [now],
  ...(guard === undefined ? {} : { guard }),
})

// keys

/** A key that was made without a user acts as the first administrator. */
const keySelect = `SELECT api_keys.id, users.id AS user_id, role, name, hash, scopes, api_keys.created_at, expires_at
  FROM api_keys LEFT JOIN users
    ON users.id = coalesce(user_id, (SELECT min(id) FROM users WHERE role = 'admin'))`

export const keysByLookup = (host: Host, lookup: string) =>
  host.sql.read<KeyRow>(`${keySelect} WHERE lookup = ?`, [lookup])

export const keyById = (host: Host, id: string) =>
  readRow<KeyRow>(host, sql`${raw(keySelect)} WHERE api_keys.id = ${id}`)

const shownKeys = new Table<KeyEntry>('api_keys', {
  json: ['scopes'],
  select: 'id, name, description, scopes, prefix, created_at, last_used_at, expires_at',
})

export const listKeys = (host: Host) => shownKeys.list(host, 'id')

export interface StoredKey extends Pick<KeyEntry, 'id' | 'name' | 'description' | 'created_at' | 'expires_at'> {
  user_id: string | null
  scopes: readonly Scope[]
}

export interface Digest {
  lookup: string
  hash: string
  prefix: string
}

const keys = new Table<StoredKey & Digest, 'rotated_at' | 'last_used_at'>('api_keys', { json: ['scopes'] })

export const insertKey = (key: StoredKey, digest: Digest): Statement => keys.insert({ ...key, ...digest })

/** Changes nothing if the key's hash has changed or the key was rotated after `quiet_since`. */
export const replaceKey = (
  { id, hash }: KeyRow,
  next: Digest,
  { now, quiet_since, guard }: { now: string; quiet_since: string; guard: string },
): Statement =>
  keys.update(
    { ...next, rotated_at: now },
    [{ id, hash }, sql`(rotated_at IS NULL OR rotated_at <= ${quiet_since})`],
    guard,
  )

export const deleteKey = (id: string, hash: string, guard: string): Statement => keys.delete({ id, hash }, guard)

export const noteKeyUse = (host: Host, id: string, now: string) =>
  host.sql.write([keys.update({ last_used_at: now }, { id })])

/** A statement whose guard fails unless a valid admin key remains. */
export const requireAdminKey = (now: string, guard: string): Statement => ({
  ...sql`UPDATE bootstrap SET id = id WHERE EXISTS (
    SELECT 1 FROM api_keys WHERE scopes LIKE '%"admin"%' AND (expires_at IS NULL OR expires_at > ${now}))`,
  guard,
})

/** Returns the ids, like the two `delete…Of`, so that the keys' connections can be closed. */
export const narrowKeysOf = (user_id: string, scopes: readonly Scope[]): Statement =>
  keys.update({ scopes }, [{ user_id }, `scopes LIKE '%"admin"%' RETURNING id`])

export const deleteKeysOf = (user_id: string): Statement => keys.delete(sql`user_id = ${user_id} RETURNING id`)

// sessions

const sessionSelect = `SELECT sessions.id, sessions.user_id, sessions.hash, sessions.expires_at, users.username, users.role
  FROM sessions JOIN users ON users.id = sessions.user_id`

export const sessionsByLookup = (host: Host, lookup: string) =>
  host.sql.read<SessionRow>(`${sessionSelect} WHERE sessions.lookup = ?`, [lookup])

export const sessionById = (host: Host, id: string) =>
  readRow<SessionRow>(host, sql`${raw(sessionSelect)} WHERE sessions.id = ${id}`)

export interface StoredSession {
  id: string
  user_id: string
  created_at: string
  expires_at: string
}

const sessions = new Table<StoredSession & Pick<Digest, 'lookup' | 'hash'>>('sessions')

export const insertSession = (session: StoredSession, { lookup, hash }: Pick<Digest, 'lookup' | 'hash'>): Statement =>
  sessions.insert({ ...session, lookup, hash })

export const deleteExpiredSessions = (now: string): Statement => sessions.delete(sql`expires_at <= ${now}`)

/** Limits every session to `hours` from its start. Hours are integers, so ISO times stay comparable as text. */
export const shortenSessions = (hours: number): Statement =>
  sql`UPDATE sessions SET expires_at = min(expires_at, strftime('%Y-%m-%dT%H:%M:%fZ', created_at, '+' || ${hours} || ' hours'))`

export const deleteSession = (id: string): Statement => sessions.delete({ id })

/** Ends a user's sessions except the current one. */
export const deleteSessionsOf = (user_id: string, but = ''): Statement =>
  sessions.delete(sql`user_id = ${user_id} AND id <> ${but} RETURNING id`)

/** Which of these keys and sessions no longer exist. */
export async function endedCredentials(host: Sql, ids: readonly string[]): Promise<string[]> {
  const rows = await readRows<{ id: string }>(
    host,
    sql`SELECT value AS id FROM json_each(${JSON.stringify(ids)})
      WHERE NOT EXISTS (SELECT 1 FROM api_keys WHERE id = value) AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = value)`,
  )
  return rows.map(({ id }) => id)
}

// tickets

const tickets = new Table<{ hash: string; credential_id: string; expires_at: string }>('ws_tickets')

export const insertTicket = (hash: string, credential_id: string, expires_at: string): Statement =>
  tickets.insert({ hash, credential_id, expires_at })

export const deleteExpiredTickets = (now: string): Statement => tickets.delete(sql`expires_at <= ${now}`)

export const deleteTicketsOf = (credential_id: string): Statement => tickets.delete({ credential_id })

/** Consumes a ticket and returns its credential id; null if the ticket is unknown, used or expired. */
export async function takeTicket(host: Host, hash: string, now: string): Promise<string | null> {
  const [taken] = await host.sql.write([
    tickets.delete(sql`hash = ${hash} AND expires_at > ${now} RETURNING credential_id`),
  ])
  return (taken?.rows[0]?.credential_id as string | undefined) ?? null
}

// audit

const audit = new Table<AuditEntry>('audit')

export const insertAudit = (entry: AuditEntry): Statement => audit.insert(entry)

export const listAudit = (host: Host, page: Page) => audit.page(host, page, 'id DESC')

interface AuditCounts {
  by_caller: number
  by_creator: number
  /** Entries of the second action for both targets. */
  voided: number
  total: number
}

/** Counts the entries of two actions since a time (ISO 8601): by target, of the second action for both targets, and in total. */
export async function countAudit(
  host: Pick<Host, 'sql'>,
  [first, second]: readonly [string, string],
  { since, targets: { caller, creator } }: { since: string; targets: { caller: string; creator: string } },
): Promise<AuditCounts> {
  const row = await readRow<AuditCounts>(
    host,
    sql`SELECT coalesce(sum(target = ${caller}), 0) AS by_caller, coalesce(sum(target = ${creator}), 0) AS by_creator,
      coalesce(sum(action = ${second} AND target IN (${caller}, ${creator})), 0) AS voided, count(*) AS total
      FROM audit WHERE at >= ${since} AND action IN (${first}, ${second})`,
  )
  return row ?? { by_caller: 0, by_creator: 0, voided: 0, total: 0 }
}

export const pruneAudit = (before: string): Statement => audit.delete(sql`at < ${before}`)

export const countSessions = (host: Pick<Host, 'sql'>, now: string): Promise<number> =>
  sessions.count(host, sql`expires_at > ${now}`)

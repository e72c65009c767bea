import type { z } from 'zod'
import type { Area } from '../area.ts'
import { administrators, nobody, owned, ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Frame } from '../ports/bus.ts'
import type { Condition, Statement, WriteOptions, Written } from '../ports/sql.ts'
import { retainedRows } from '../retention.ts'
import { checkShape } from '../shape.ts'
import { readRows, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
import { type EventInput, eventsTopic } from './event.ts'

const stored = new Table<StoredEvent>('events', { json: ['data'] })

/**
 * Stores rows and events in one transaction, then publishes the events and wakes the queue for new work. See
 * `Context.commit`. An event belongs to the owner whom the caller works for, unless its area shares it or it names
 * another owner.
 */
export async function commit(
  host: Committing,
  statements: readonly Statement[],
  events: readonly EventInput[] = [],
  options: WriteOptions = {},
): Promise<Written[]> {
  if (host.config.check_answers) checkEvents(host, events)
  const now = host.clock.now()
  const ts = iso(now)
  const chain_depth = host.chain_depth ?? 0
  const outbox = events.map((event) => {
    const { type, data } = event
    return { id: newId('evt', now), type, ts, data, owner_id: ownerOfEvent(host, event), chain_depth }
  })
  const write = () =>
    host.sql.write([...statements, ...outbox.map((row) => stored.insert(row, 'RETURNING seq'))], options)
  const { shared } = host.process
  const written = await (shared
    ? shared.committing(
        outbox.map(({ id }) => id),
        write,
      )
    : write())
  const frames = outbox.map(({ chain_depth: _, ...row }, index) => {
    return { ...row, seq: Number(written[statements.length + index]?.rows[0]?.seq) }
  })
  if (shared) shared.own(frames)
  else for (const { id: _, ...frame } of frames) host.bus.publish(eventsTopic, frame)
  if (statements.some(({ wakes }) => wakes)) host.process.wake()
  return written.slice(0, statements.length)
}

type Committing = Host & Partial<Pick<Context, 'caller' | 'chain_depth'>>

/** The owner of an event; null if everyone may see it. */
function ownerOfEvent({ areas, caller }: Committing, { type, owner_id }: EventInput): string | null {
  if (owner_id !== undefined) return owner_id
  if (areas.some(({ shared_events }) => shared_events?.includes(type))) return null
  if (areas.some(({ admin_events }) => admin_events?.includes(type))) return administrators
  return caller ? ownerOf({ caller }) : nobody
}

/** `Context.commit`: events belong to the caller of the context on which it is called. */
export function commitAsCaller(this: Context, ...args: Parameters<Context['commit']>): Promise<Written[]> {
  return commit(this, ...args)
}

export const retainedEvents = retainedRows({
  tables: ['events'],
  rows: 'SELECT true AS ended, ts AS at, octet_length(data) + 100 AS bytes FROM events',
  prune: (before, limit) =>
    stored.delete(sql`seq IN (SELECT seq FROM events WHERE ts < ${before} ORDER BY ts LIMIT ${limit})`),
})

/** Number of the owner's events of a type since `since` (ISO 8601). */
export const countEvents = (context: Reader, type: string, since: string): Promise<number> =>
  stored.count(context, { type }, sql`ts >= ${since}`, owned(context))

interface Stretch {
  /** ISO 8601; `to` is exclusive. */
  from: string
  to: string
}

/** The caller's own events and those without an owner. */
const visible = (context: Reader): Condition => sql`(owner_id IS NULL OR ${owned(context)})`

/** Count and latest time of each event type, most frequent first. */
export const countEventsByType = (context: Reader, { from, to }: Stretch) =>
  readRows<{ type: string; count: number; last_at: string }>(
    context,
    sql`SELECT type, count(*) AS count, max(ts) AS last_at FROM events
      WHERE ts >= ${from} AND ts < ${to} AND ${visible(context)} GROUP BY type ORDER BY count DESC, type`,
  )

/** Number of events in each period, in order. */
export async function countEventsByBucket(context: Reader, stretches: readonly Stretch[]): Promise<number[]> {
  const rows = await readRows<{ place: number; count: number }>(
    context,
    sql`SELECT key AS place, (SELECT count(*) FROM events
      WHERE ts >= value ->> 'from' AND ts < value ->> 'to' AND ${visible(context)}) AS count
      FROM json_each(${JSON.stringify(stretches)})`,
  )
  return stretches.map((_, index) => rows.find(({ place }) => place === index)?.count ?? 0)
}

export const oldestEvent = async (host: Sql): Promise<string | null> =>
  (await stored.values(host, 'ts', 'ts LIMIT 1'))[0] ?? null

/** Number of events of these types since `since` (ISO 8601), of all owners. */
export const countAllEvents = (host: Sql, types: readonly string[], since: string): Promise<number> =>
  stored.count(host, { type: types }, sql`ts >= ${since}`)

export const latestEvent = async (host: Sql): Promise<number> =>
  (await stored.values(host, 'seq', 'seq DESC LIMIT 1'))[0] ?? 0

export interface StoredEvent extends Frame {
  id: string
  owner_id: string | null
  /** Depth of hooks and workflows that triggered each other before this event. */
  chain_depth: number
}

/** Events of these types between two positions, oldest first. `job.*` matches a prefix. */
export const eventsAfter = (
  host: Sql,
  after: number,
  { types, limit, to = Number.MAX_SAFE_INTEGER }: { types: readonly string[]; limit: number; to?: number },
): Promise<StoredEvent[]> =>
  stored.list(
    host,
    `seq LIMIT ${limit}`,
    sql`seq > ${after} AND seq <= ${to} AND EXISTS (
      SELECT 1 FROM json_each(${JSON.stringify(types)}) AS one WHERE events.type = one.value
        OR (substr(one.value, -1) = '*' AND events.type LIKE replace(substr(one.value, 1, length(one.value) - 1), '_', '\\_') || '%' ESCAPE '\\'))`,
  )

/** All events after a position, oldest first. */
export const allEventsAfter = (host: Sql, after: number, limit: number): Promise<StoredEvent[]> =>
  stored.list(host, `seq LIMIT ${limit}`, sql`seq > ${after}`)

/** By the list of areas, so hosts with different areas do not share them. */
const schemasOf = new WeakMap<readonly Area[], Record<string, z.ZodType>>()

/** Loads the payload schemas that `commit` checks in tests. */
export async function loadEventSchemas({ areas }: Host): Promise<void> {
  const maps = await Promise.all(areas.map(({ events }) => events?.() ?? {}))
  schemasOf.set(areas, Object.assign({}, ...maps))
}

/** Throws if no area declares the event or its payload does not match the schema. */
function checkEvents({ areas }: Host, events: readonly EventInput[]): void {
  const schemas = schemasOf.get(areas) ?? {}
  for (const { type, data } of events) {
    const schema = schemas[type]
    if (!schema) throw new Error(`No area declares the event ${type}`)
    checkShape(schema, data, type)
  }
}

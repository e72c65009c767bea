import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { hour, iso } from '../time.ts'
import type { Bucket } from '../zones/wall-clock.ts'
import type { CallEnd, Cost, OpenCall, Spent } from './schema.ts'
import type { Category } from './spender.ts'

type Sql = Pick<Host, 'sql'>
type Reader = Pick<Context, 'sql' | 'caller'>

/** A sum over the ledger that must not exceed a limit. */
export interface Limit {
  where: Filter
  /** Spent in the same window before the filter's start. */
  before: Spent
  limit_usd: number | null
  limit_tokens: number | null
}

/** Calls since `since` and before `until` (ISO) whose columns have these values. */
export interface Filter {
  since: string | null
  until?: string
  columns: readonly (readonly [Column, string])[]
}

export type Column = 'agent_id' | 'job_id' | 'loop_id' | 'project_id' | 'conversation_id' | 'provider' | 'run_ref'

/** A running call counts with its reservation. */
const usd = `CASE status WHEN 'reserved' THEN reserved_usd ELSE cost_usd END`
const tokens = `CASE status WHEN 'reserved' THEN reserved_tokens ELSE input_tokens + output_tokens END`

function whereOf({ since, until, columns }: Filter): { sql: string; args: Value[] } {
  const conditions: (readonly [string, Value])[] = [
    ...columns.map(([column, value]) => [`${column} = ?`, value] as const),
    ...(since === null ? [] : [['at >= ?', since] as const]),
    ...(until === undefined ? [] : [['at < ?', until] as const]),
  ]
  const sql = conditions.map(([condition]) => condition).join(' AND ')
  return { sql: sql === '' ? '' : `WHERE ${sql}`, args: conditions.map(([, value]) => value) }
}

/** The cost of the calls that match a filter, including the reservations of running calls. */
export async function spentBy({ sql }: Sql, filter: Filter): Promise<Spent> {
  const where = whereOf(filter)
  const [row] = await sql.read<Spent>(
    `SELECT coalesce(sum(${usd}), 0) AS usd, coalesce(sum(${tokens}), 0) AS tokens FROM model_calls ${where.sql}`,
    where.args,
  )
  return row ?? { usd: 0, tokens: 0 }
}

/** The amount that counts against a limit now. */
export async function usedOf(host: Sql, { where, before }: Limit): Promise<Spent> {
  const since = await spentBy(host, where)
  return { usd: before.usd + since.usd, tokens: before.tokens + since.tokens }
}

/** What counts against a limit without the reservations of running calls. */
export async function settledOf({ sql }: Sql, { where, before }: Limit): Promise<Spent> {
  const { sql: condition, args } = whereOf(where)
  const [row] = await sql.read<Spent>(
    `SELECT coalesce(sum(${usd}), 0) AS usd, coalesce(sum(${tokens}), 0) AS tokens FROM model_calls
      ${condition === '' ? 'WHERE' : `${condition} AND`} status <> 'reserved'`,
    args,
  )
  return { usd: before.usd + (row?.usd ?? 0), tokens: before.tokens + (row?.tokens ?? 0) }
}

/** The longest answer among an agent's latest calls, in tokens. */
export async function longestAnswer({ sql }: Sql, agent: string | null): Promise<number> {
  const [row] = await sql.read<{ longest: number }>(
    `SELECT coalesce(max(output_tokens), 0) AS longest FROM (
      SELECT output_tokens FROM model_calls WHERE agent_id IS ? ORDER BY at DESC LIMIT 20)`,
    [agent],
  )
  return row?.longest ?? 0
}

/** The run of the latest call that matches a filter; empty if there is none. */
export async function latestRun({ sql }: Sql, filter: Filter): Promise<string> {
  const where = whereOf(filter)
  const [row] = await sql.read<{ run_ref: string }>(
    `SELECT run_ref FROM model_calls ${where.sql} ORDER BY at DESC LIMIT 1`,
    where.args,
  )
  return row?.run_ref ?? ''
}

/** A reservation expires after this time; a call that takes longer is settled all the same. */
export const reservationTime = 1 * hour

/** Sums of floating-point numbers are inexact; this is far below any price. */
const epsilon = 1e-9

/**
 * The statements that reserve a call: expired reservations are released, and the row is inserted if every
 * limit has room for it. Writes are serialised, so of many calls at once only as many succeed as there is
 * room for.
 */
export function reserveCall(call: OpenCall, reserve: { cost: Cost; limits: readonly Limit[]; owner: string }) {
  const { cost, limits, owner } = reserve
  const { spender, provider, model } = call
  const reserved = cost.input_tokens + cost.output_tokens
  const conditions = limits.flatMap((limit) => roomFor(limit, { usd: cost.cost_usd, tokens: reserved }))
  const values: Value[] = [
    call.id,
    call.owner_id,
    iso(call.at),
    spender.category,
    provider,
    model,
    spender.agent_id ?? null,
    spender.conversation_id ?? null,
    spender.message_id ?? null,
    call.run_ref,
    spender.job_id ?? null,
    spender.loop_id ?? null,
    spender.project_id ?? null,
    reserved,
    cost.cost_usd,
    owner,
    iso(call.at + reservationTime),
  ]
  const where = conditions.length === 0 ? '' : `WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`
  const insert: Statement = {
    sql: `INSERT INTO model_calls (status, id, owner_id, at, category, provider, model, agent_id, conversation_id, message_id,
        run_ref, job_id, loop_id, project_id, reserved_tokens, reserved_usd, owner, expires_at)
      SELECT 'reserved', ${values.map(() => '?').join(', ')} ${where}`,
    args: [...values, ...conditions.flatMap(({ args }) => args)],
    guard: 'A budget has no room for this call',
  }
  return [releaseExpired(iso(call.at)), insert]
}

/** Increases the reservation of a running call if every limit has room for it. */
export function extendCall(id: string, more: Spent, limits: readonly Limit[]): Statement {
  const conditions = [
    { sql: `id = ? AND status = 'reserved'`, args: [id] as Value[] },
    ...limits.flatMap((limit) => roomFor(limit, more)),
  ]
  return {
    sql: `UPDATE model_calls SET reserved_usd = reserved_usd + ?, reserved_tokens = reserved_tokens + ?
      WHERE ${conditions.map(({ sql }) => sql).join(' AND ')}`,
    args: [more.usd, more.tokens, ...conditions.flatMap(({ args }) => args)],
    guard: 'A budget has no room for the rest of this call',
  }
}

function roomFor({ where, before, limit_usd, limit_tokens }: Limit, more: Spent): { sql: string; args: Value[] }[] {
  const { sql, args } = whereOf(where)
  const check = (sum: string, extra: number, limit: number) => ({
    sql: `(SELECT coalesce(sum(${sum}), 0) FROM model_calls ${sql}) + ? <= ?`,
    args: [...args, extra, limit],
  })
  return [
    ...(limit_usd === null ? [] : [check(usd, before.usd + more.usd, limit_usd + epsilon)]),
    ...(limit_tokens === null ? [] : [check(tokens, before.tokens + more.tokens, limit_tokens)]),
  ]
}

const release = `UPDATE model_calls SET status = 'released', settled_at = ? WHERE status = 'reserved'`

export const releaseExpired = (now: string): Statement => ({
  sql: `${release} AND expires_at < ?`,
  args: [now, now],
})

/** Releases the reservations of earlier processes; only for the single process of a database. */
export const releaseOthers = (owner: string, now: string): Statement => ({
  sql: `${release} AND owner <> ?`,
  args: [now, owner],
})

export async function hasOpenCalls({ sql }: Sql): Promise<boolean> {
  return (await sql.read(`SELECT 1 FROM model_calls WHERE status = 'reserved' LIMIT 1`)).length > 0
}

/** Replaces a reservation with the real cost, even if it had expired. */
export const settleCall = (id: string, end: CallEnd, now: string): Statement => ({
  sql: `UPDATE model_calls SET status = ?, input_tokens = ?, output_tokens = ?, cost_usd = ?, estimated = ?, error = ?,
    cached_tokens = ?, settled_at = ? WHERE id = ?`,
  args: [
    end.status,
    end.input_tokens,
    end.output_tokens,
    end.cost_usd,
    Number(end.estimated),
    end.error,
    end.cached_tokens,
    now,
    id,
  ],
})

/**
 * Tokens of a provider since a time, and when (milliseconds since the epoch) the oldest of those calls was
 * made.
 */
export async function spentByProviderSince({ sql }: Sql, provider: string, since: string) {
  const [row] = await sql.read<{ used: number; since: string | null }>(
    `SELECT coalesce(sum(input_tokens + output_tokens), 0) AS used, min(at) AS since FROM model_calls
      WHERE provider = ? AND at >= ? AND input_tokens + output_tokens > 0`,
    [provider, since],
  )
  return { used: row?.used ?? 0, since: row?.since ? Date.parse(row.since) : null }
}

/** From `from` until before `to`, in milliseconds since the epoch. */
export interface Stretch {
  from: number
  to: number
}

export interface Sums {
  input_tokens: number
  output_tokens: number
  cost_usd: number
}

const sums = `coalesce(sum(input_tokens), 0) AS input_tokens, coalesce(sum(output_tokens), 0) AS output_tokens,
  coalesce(sum(cost_usd), 0) AS cost_usd`
const spent = 'input_tokens + output_tokens > 0'

/** The owner's calls of a stretch. */
function during(context: Reader, { from, to }: Stretch): Condition {
  const own = owned(context)
  return { sql: `at >= ? AND at < ? AND ${own.sql}`, args: [iso(from), iso(to), ...own.args] }
}

export async function sumOf(context: Reader, stretch: Stretch): Promise<Sums> {
  const calls = during(context, stretch)
  const [row] = await context.sql.read<Sums>(`SELECT ${sums} FROM model_calls WHERE ${calls.sql}`, calls.args)
  return row ?? { input_tokens: 0, output_tokens: 0, cost_usd: 0 }
}

export async function tokensByCategory(context: Reader, stretch: Stretch) {
  const calls = during(context, stretch)
  return context.sql.read<{ category: Category; tokens: number }>(
    `SELECT category, sum(input_tokens + output_tokens) AS tokens FROM model_calls WHERE ${calls.sql} GROUP BY category`,
    calls.args,
  )
}

/** By model, the largest first. */
export async function sumsByModel(context: Reader, stretch: Stretch) {
  const calls = during(context, stretch)
  return context.sql.read<Sums & { model: string }>(
    `SELECT model, ${sums} FROM model_calls WHERE ${calls.sql} AND ${spent} GROUP BY model
      ORDER BY sum(input_tokens + output_tokens) DESC, model`,
    calls.args,
  )
}

/** Tokens of calls without a cost, by model; the built-in model is always free. */
export async function tokensWithoutCost(context: Reader, stretch: Stretch) {
  const calls = during(context, stretch)
  return context.sql.read<{ provider: string; model: string; tokens: number }>(
    `SELECT provider, model, sum(input_tokens + output_tokens) AS tokens FROM model_calls
      WHERE ${calls.sql} AND ${spent} AND cost_usd = 0 AND provider <> 'offline' GROUP BY provider, model
      ORDER BY tokens DESC, model`,
    calls.args,
  )
}

export async function sumsByAgent(context: Reader, stretch: Stretch) {
  const calls = during(context, stretch)
  return context.sql.read<Sums & { agent_id: string | null }>(
    `SELECT agent_id, ${sums} FROM model_calls
      WHERE ${calls.sql} AND ${spent} GROUP BY agent_id ORDER BY sum(input_tokens + output_tokens) DESC, agent_id`,
    calls.args,
  )
}

/** Usage by job, loop or project, largest first; calls without one are excluded. */
export async function sumsByColumn(context: Reader, column: 'job_id' | 'loop_id' | 'project_id', stretch: Stretch) {
  const calls = during(context, stretch)
  return context.sql.read<Sums & { id: string; calls: number }>(
    `SELECT ${column} AS id, count(*) AS calls, ${sums} FROM model_calls WHERE ${calls.sql} AND ${spent} AND ${column} IS NOT NULL
      GROUP BY ${column} ORDER BY sum(input_tokens + output_tokens) DESC, ${column}`,
    calls.args,
  )
}

/** Number of calls by outcome, including those still running. */
export async function countCalls(context: Reader, stretch: Stretch): Promise<Record<string, number>> {
  const calls = during(context, stretch)
  const rows = await context.sql.read<{ status: string; count: number }>(
    `SELECT status, count(*) AS count FROM model_calls WHERE ${calls.sql} GROUP BY status`,
    calls.args,
  )
  return Object.fromEntries(rows.map(({ status, count }) => [status, count]))
}

/** Tokens per quarter hour, in seconds since the epoch. Every time zone offset is a multiple of that. */
export async function tokensByQuarter(context: Reader, stretch: Stretch) {
  const calls = during(context, stretch)
  return context.sql.read<{ at: number; tokens: number }>(
    `SELECT unixepoch(at) / 900 * 900 AS at, sum(input_tokens + output_tokens) AS tokens
      FROM model_calls WHERE ${calls.sql} AND ${spent} GROUP BY 1`,
    calls.args,
  )
}

/** The sums of each bucket, in order. */
export async function sumsByBucket(context: Reader, buckets: readonly Bucket[]) {
  const own = owned(context)
  const values = buckets.map(() => '(?, ?, ?)').join(', ')
  const args = buckets.flatMap(({ start, end }, index) => [String(index), iso(start), iso(end)])
  const rows = await context.sql.read<Sums & { place: string }>(
    `WITH buckets (place, since, until) AS (VALUES ${values})
      SELECT place, ${sums} FROM buckets JOIN model_calls ON at >= since AND at < until AND ${own.sql} GROUP BY place`,
    [...args, ...own.args],
  )
  const none: Sums = { input_tokens: 0, output_tokens: 0, cost_usd: 0 }
  return buckets.map((bucket, index) => ({
    ...bucket,
    ...(rows.find(({ place }) => place === String(index)) ?? none),
  }))
}

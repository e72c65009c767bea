import { owned } from '../auth/owner.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { allOf, raw, readRow, readRows, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import { hour, iso, minute } from '../time.ts'
import { defined } from '../values.ts'
import type { Bucket } from '../zones/wall-clock.ts'
import type { CallEnd, Cost, ModelCallRow, OpenCall, Spent } from './schema.ts'
import type { Category } from './spender.ts'

/** A row of the ledger. */
interface Call extends Omit<ModelCallRow, 'has_request'> {
  owner_id: string
  run_ref: string
  reserved_tokens: number
  reserved_usd: number
  /** The process that made it. */
  owner: string
  expires_at: string
  settled_at: string | null
}

const calls = new Table<Call>('model_calls', { booleans: ['estimated'] })

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

function whereOf({ since, until, columns }: Filter): Condition {
  const conditions = [
    sql`true`,
    ...columns.map(([column, value]) => sql`${raw(column)} = ${value}`),
    ...(since === null ? [] : [sql`at >= ${since}`]),
    ...(until === undefined ? [] : [sql`at < ${until}`]),
  ]
  return allOf(conditions)
}

/** The cost of the calls that match a filter, including the reservations of running calls. */
export const spentBy = (host: Sql, filter: Filter) => spentWhere(host, whereOf(filter))

async function spentWhere(host: Sql, where: Condition): Promise<Spent> {
  const spent = sql`SELECT coalesce(sum(${raw(usd)}), 0) AS usd, coalesce(sum(${raw(tokens)}), 0) AS tokens
    FROM model_calls WHERE ${where}`
  return (await readRow<Spent>(host, spent)) ?? { usd: 0, tokens: 0 }
}

/** The amount that counts against a limit now. */
export const usedOf = async (host: Sql, { where, before }: Limit): Promise<Spent> =>
  sumOfSpent(before, await spentBy(host, where))

const sumOfSpent = (before: Spent, since: Spent): Spent => ({
  usd: before.usd + since.usd,
  tokens: before.tokens + since.tokens,
})

/** What counts against a limit without the reservations of running calls. */
export const settledOf = async (host: Sql, { where, before }: Limit): Promise<Spent> =>
  sumOfSpent(before, await spentWhere(host, sql`${whereOf(where)} AND status <> 'reserved'`))

/** The longest answer among an agent's latest calls, in tokens. */
export async function longestAnswer(host: Sql, agent_id: string | null): Promise<number> {
  const latest = await calls.list(host, 'at DESC LIMIT 20', { agent_id })
  return Math.max(0, ...latest.map(({ output_tokens }) => output_tokens))
}

/** The run of the latest call that matches a filter; empty if there is none. */
export const latestRun = async (host: Sql, filter: Filter): Promise<string> =>
  (await calls.first(host, 'at DESC', whereOf(filter)))?.run_ref ?? ''

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
  const { spender, at, run_ref, ...own } = call
  const { category, agent_id, conversation_id, message_id, job_id, loop_id, project_id } = spender
  const reserved = cost.input_tokens + cost.output_tokens
  const insert: Statement = {
    ...calls.insert(
      {
        ...defined({ ...own, category, agent_id, conversation_id, message_id, run_ref, job_id, loop_id, project_id }),
        at: iso(at),
        status: 'reserved',
        reserved_tokens: reserved,
        reserved_usd: cost.cost_usd,
        owner,
        expires_at: iso(at + reservationTime),
      },
      '',
      allOf(limits.flatMap((limit) => roomFor(limit, { usd: cost.cost_usd, tokens: reserved }))),
    ),
    guard: 'A budget has no room for this call',
  }
  return [releaseExpired(iso(at)), insert]
}

/** Increases the reservation of a running call if every limit has room for it. */
export const extendCall = (id: string, more: Spent, limits: readonly Limit[]): Statement =>
  calls.update(
    { reserved_usd: sql`reserved_usd + ${more.usd}`, reserved_tokens: sql`reserved_tokens + ${more.tokens}` },
    [{ id, status: 'reserved' }, ...limits.flatMap((limit) => roomFor(limit, more))],
    'A budget has no room for the rest of this call',
  )

function roomFor({ where, before, limit_usd, limit_tokens }: Limit, more: Spent): Condition[] {
  const check = (sum: string, extra: number, limit: number) =>
    sql`(SELECT coalesce(sum(${raw(sum)}), 0) FROM model_calls WHERE ${whereOf(where)}) + ${extra} <= ${limit}`
  return [
    ...(limit_usd === null ? [] : [check(usd, before.usd + more.usd, limit_usd + epsilon)]),
    ...(limit_tokens === null ? [] : [check(tokens, before.tokens + more.tokens, limit_tokens)]),
  ]
}

const release = (settled_at: string, where: Condition): Statement =>
  // Literal, so that the partial index is used.
  calls.update({ status: 'released', settled_at }, [`status = 'reserved'`, where])

export const releaseExpired = (now: string): Statement => release(now, sql`expires_at < ${now}`)

/** Releases the reservations of earlier processes; only for the single process of a database. */
export const releaseOthers = (owner: string, now: string): Statement => release(now, sql`owner <> ${owner}`)

export const hasOpenCalls = (host: Sql) => calls.exists(host, `status = 'reserved'`)

/** Replaces a reservation with the real cost, even if it had expired. */
export const settleCall = (id: string, end: CallEnd, settled_at: string): Statement => {
  const { status, input_tokens, output_tokens, cached_tokens, cost_usd, estimated, error } = end
  const ended = { status, input_tokens, output_tokens, cached_tokens, cost_usd, estimated, error, settled_at }
  return calls.update(ended, { id })
}

/**
 * Tokens of a provider since a time, and when (milliseconds since the epoch) the oldest of those calls was
 * made.
 */
export async function spentByProviderSince(host: Sql, provider: string, since: string) {
  const row = await readRow<{ used: number; since: string | null }>(
    host,
    sql`SELECT coalesce(sum(input_tokens + output_tokens), 0) AS used, min(at) AS since FROM model_calls
      WHERE provider = ${provider} AND at >= ${since} AND input_tokens + output_tokens > 0`,
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
const total = 'sum(input_tokens + output_tokens)'
const spent = 'spent_calls > 0'

/** Whole quarters of an hour: spans of hours and days in any zone consist of them. */
const during = (context: Reader, { from, to }: Stretch): Condition =>
  sql`at >= ${iso(from - (from % quarter))} AND at < ${iso(to)} AND ${owned(context)}`

const quarter = 15 * minute

/** Reads the sums of the owner's calls in a stretch. */
const readUsage = <Row extends object>(context: Reader, stretch: Stretch, columns: string, rest = '') =>
  readRows<Row>(context, sql`SELECT ${raw(columns)} FROM model_usage WHERE ${during(context, stretch)} ${raw(rest)}`)

export const sumOf = async (context: Reader, stretch: Stretch): Promise<Sums> =>
  (await readUsage<Sums>(context, stretch, sums))[0] ?? none

const none: Sums = { input_tokens: 0, output_tokens: 0, cost_usd: 0 }

export const tokensByCategory = (context: Reader, stretch: Stretch) =>
  readUsage<{ category: Category; tokens: number }>(
    context,
    stretch,
    `category, ${total} AS tokens`,
    'GROUP BY category',
  )

/** By model, the largest first. */
export const sumsByModel = (context: Reader, stretch: Stretch) =>
  readUsage<Sums & { model: string }>(
    context,
    stretch,
    `model, ${sums}`,
    `AND ${spent} GROUP BY model ORDER BY ${total} DESC, model`,
  )

/** Tokens of calls without a cost, by model; the built-in model is always free. */
export const tokensWithoutCost = (context: Reader, stretch: Stretch) =>
  readUsage<{ provider: string; model: string; tokens: number }>(
    context,
    stretch,
    'provider, model, sum(free_tokens) AS tokens',
    `AND free_tokens > 0 AND provider <> 'offline' GROUP BY provider, model ORDER BY tokens DESC, model`,
  )

export const sumsByAgent = (context: Reader, stretch: Stretch) =>
  readUsage<Sums & { agent_id: string | null }>(
    context,
    stretch,
    `nullif(agent_id, '') AS agent_id, ${sums}`,
    `AND ${spent} GROUP BY model_usage.agent_id ORDER BY ${total} DESC, model_usage.agent_id`,
  )

/** Usage by job, loop or project, largest first; calls without one are excluded. */
export const sumsByColumn = (context: Reader, column: 'job_id' | 'loop_id' | 'project_id', stretch: Stretch) =>
  readUsage<Sums & { id: string; calls: number }>(
    context,
    stretch,
    `${column} AS id, sum(spent_calls) AS calls, ${sums}`,
    `AND ${spent} AND ${column} <> '' GROUP BY ${column} ORDER BY ${total} DESC, ${column}`,
  )

/** Number of calls, including those still running, and of those that failed. */
export async function countCalls(context: Reader, stretch: Stretch) {
  const columns = 'coalesce(sum(calls), 0) AS calls, coalesce(sum(failed_calls), 0) AS failed_calls'
  const [counts] = await readUsage<{ calls: number; failed_calls: number }>(context, stretch, columns)
  return counts ?? { calls: 0, failed_calls: 0 }
}

/** Tokens per quarter hour, in seconds since the epoch. */
export const tokensByQuarter = (context: Reader, stretch: Stretch) =>
  readUsage<{ at: number; tokens: number }>(
    context,
    stretch,
    `unixepoch(at) AS at, ${total} AS tokens`,
    `AND ${spent} GROUP BY model_usage.at`,
  )

/** The sums of each bucket, in order. */
export async function sumsByBucket(context: Reader, buckets: readonly Bucket[]) {
  const own = owned(context)
  const values = buckets.map(() => '(?, ?, ?)').join(', ')
  const args = buckets.flatMap(({ start, end }, index) => [String(index), iso(start), iso(end)])
  const rows = await context.sql.read<Sums & { place: string }>(
    `WITH buckets (place, since, until) AS (VALUES ${values})
      SELECT place, ${sums} FROM buckets JOIN model_usage ON at >= since AND at < until AND ${own.sql} GROUP BY place`,
    [...args, ...own.args],
  )
  return buckets.map((bucket, index) => ({
    ...bucket,
    ...(rows.find(({ place }) => place === String(index)) ?? none),
  }))
}

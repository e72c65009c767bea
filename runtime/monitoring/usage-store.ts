import type { Host } from '../host.ts'
import type { Value } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { Category } from './ledger-schema.ts'
import type { Bucket } from './zoned.ts'

type Sql = Pick<Host, 'sql'>

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
const within = 'at >= ? AND at < ?'
const bounds = ({ from, to }: Stretch): Value[] => [iso(from), iso(to)]

export async function sumOf({ sql }: Sql, stretch: Stretch): Promise<Sums> {
  const [row] = await sql.read<Sums>(`SELECT ${sums} FROM model_calls WHERE ${within}`, bounds(stretch))
  return row ?? { input_tokens: 0, output_tokens: 0, cost_usd: 0 }
}

export async function tokensByCategory({ sql }: Sql, stretch: Stretch) {
  return sql.read<{ category: Category; tokens: number }>(
    `SELECT category, sum(input_tokens + output_tokens) AS tokens FROM model_calls WHERE ${within} GROUP BY category`,
    bounds(stretch),
  )
}

/** Those that cost most tokens first. */
export async function sumsByModel({ sql }: Sql, stretch: Stretch) {
  return sql.read<Sums & { model: string }>(
    `SELECT model, ${sums} FROM model_calls WHERE ${within} AND ${spent} GROUP BY model
      ORDER BY sum(input_tokens + output_tokens) DESC, model`,
    bounds(stretch),
  )
}

/** Tokens that were counted without a cost, by model; the built-in model costs nothing by its nature. */
export async function tokensWithoutCost({ sql }: Sql, stretch: Stretch) {
  return sql.read<{ provider: string; model: string; tokens: number }>(
    `SELECT provider, model, sum(input_tokens + output_tokens) AS tokens FROM model_calls
      WHERE ${within} AND ${spent} AND cost_usd = 0 AND provider <> 'offline' GROUP BY provider, model
      ORDER BY tokens DESC, model`,
    bounds(stretch),
  )
}

export async function sumsByAgent({ sql }: Sql, stretch: Stretch) {
  return sql.read<Sums & { agent_id: string | null; agent_name: string | null }>(
    `SELECT agent_id, (SELECT name FROM agents WHERE agents.id = agent_id) AS agent_name, ${sums} FROM model_calls
      WHERE ${within} AND ${spent} GROUP BY agent_id ORDER BY sum(input_tokens + output_tokens) DESC, agent_id`,
    bounds(stretch),
  )
}

export async function sumsByProject({ sql }: Sql, stretch: Stretch) {
  return sql.read<Sums & { project_id: string }>(
    `SELECT project_id, ${sums} FROM model_calls WHERE ${within} AND ${spent} AND project_id IS NOT NULL
      GROUP BY project_id ORDER BY sum(input_tokens + output_tokens) DESC, project_id`,
    bounds(stretch),
  )
}

/** The sums of each bucket, in their order. */
export async function sumsByBucket({ sql }: Sql, buckets: readonly Bucket[]) {
  const values = buckets.map(() => '(?, ?, ?)').join(', ')
  const args = buckets.flatMap(({ start, end }, index) => [String(index), iso(start), iso(end)])
  const rows = await sql.read<Sums & { place: string }>(
    `WITH buckets (place, since, until) AS (VALUES ${values})
      SELECT place, ${sums} FROM buckets JOIN model_calls ON at >= since AND at < until GROUP BY place`,
    args,
  )
  const none: Sums = { input_tokens: 0, output_tokens: 0, cost_usd: 0 }
  return buckets.map((bucket, index) => ({
    ...bucket,
    ...(rows.find(({ place }) => place === String(index)) ?? none),
  }))
}

/** The user's own chats with a message in the window, and how many messages those are. */
export async function countChats({ sql }: Sql, stretch: Stretch) {
  const [row] = await sql.read<{ conversations: number; messages: number }>(
    `SELECT count(DISTINCT conversation_id) AS conversations, count(*) AS messages FROM messages
      WHERE created_at >= ? AND created_at < ?
        AND conversation_id IN (SELECT id FROM conversations WHERE kind = 'user')`,
    bounds(stretch),
  )
  return row ?? { conversations: 0, messages: 0 }
}

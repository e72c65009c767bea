import type { Host } from '../host.ts'

type Sql = Pick<Host, 'sql'>
type Counts = Record<string, number>

const byStatus = (rows: { status: string; count: number }[]): Counts =>
  Object.fromEntries(rows.map(({ status, count }) => [status, count]))

/** Rows made since `since`, by status. */
export async function countRunsSince({ sql }: Sql, since: string): Promise<Counts> {
  return byStatus(
    await sql.read(
      'SELECT status, count(*) AS count FROM scheduler_runs WHERE created_at >= ? GROUP BY status',
      [since],
    ),
  )
}

/** Runs that have not ended, by status. */
export async function countRunsNow({ sql }: Sql): Promise<Counts> {
  return byStatus(
    await sql.read(
      `SELECT status, count(*) AS count FROM scheduler_runs WHERE status IN ('queued', 'running') GROUP BY status`,
    ),
  )
}

/** What the latest runs of a job took on average; null when none has ended. */
export async function usualCost({ sql }: Sql, job: string) {
  const [row] = await sql.read<{ runs: number; tokens: number | null; usd: number | null }>(
    `SELECT count(*) AS runs, avg(input_tokens + output_tokens) AS tokens, avg(cost_usd) AS usd FROM (
      SELECT * FROM scheduler_runs WHERE job_id = ? AND status = 'succeeded' ORDER BY id DESC LIMIT 20)`,
    [job],
  )
  return row && row.runs > 0 ? { tokens: Math.round(row.tokens ?? 0), usd: row.usd ?? 0 } : null
}

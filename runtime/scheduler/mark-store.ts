import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'

type MarkName = 'file' | 'conversation'

/** What a job has remembered between its runs. */
export async function findMark({ sql }: Pick<Host, 'sql'>, job: string, name: MarkName) {
  const [row] = await sql.read<{ value: string }>(
    'SELECT value FROM scheduler_marks WHERE job_id = ? AND name = ?',
    [job, name],
  )
  return row?.value ?? null
}

export const setMark = (job: string, name: MarkName, value: string): Statement => ({
  sql: `INSERT INTO scheduler_marks (job_id, name, value) VALUES (?, ?, ?)
    ON CONFLICT (job_id, name) DO UPDATE SET value = excluded.value`,
  args: [job, name, value],
})

import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Work } from '../work/schema.ts'
import { toWork, type WorkRow } from '../work/store.ts'

type Sql = Pick<Host, 'sql'>

/** The newest unit of this kind about this pack. */
export async function latestInstall({ sql }: Sql, kind: string, pack_id: string): Promise<Work | null> {
  const [row] = await sql.read<WorkRow>(
    'SELECT * FROM work WHERE kind = ? AND subject = ? ORDER BY id DESC LIMIT 1',
    [kind, pack_id],
  )
  return row ? toWork(row) : null
}

/** The unit of this kind that has not ended. */
export async function openInstall({ sql }: Sql, kind: string): Promise<Work | null> {
  const [row] = await sql.read<WorkRow>(
    `SELECT * FROM work WHERE kind = ? AND status IN ('queued', 'running', 'waiting') ORDER BY id LIMIT 1`,
    [kind],
  )
  return row ? toWork(row) : null
}

/** Refuses the batch that has just inserted `id` when another unit of its kind has not ended. */
export const onlyOne = (kind: string, id: string): Statement => ({
  sql: `UPDATE work SET subject = subject WHERE id = ? AND NOT EXISTS (
    SELECT 1 FROM work WHERE kind = ? AND id <> ? AND status IN ('queued', 'running', 'waiting'))`,
  args: [id, kind, id],
  guard: 'An installation is running already',
})

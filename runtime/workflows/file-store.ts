import type { Statement } from '../ports/sql.ts'
import type { Sql } from '../table.ts'

/** A file that an execution has made, or that waits for the execution that is started with it. */
export interface FileLink {
  file_id: string
  /** Empty until there is one. */
  execution_id: string
  owner_id: string
  created_at: string
}

export const linkFile = ({ file_id, execution_id, owner_id, created_at }: FileLink): Statement => ({
  sql: 'INSERT INTO workflow_files (file_id, execution_id, owner_id, made, created_at) VALUES (?, ?, ?, 1, ?)',
  args: [file_id, execution_id, owner_id, created_at],
})

/** Whether workflows of this owner have the file. */
export async function hasFile({ sql }: Sql, owner_id: string, file_id: string): Promise<boolean> {
  const query = 'SELECT 1 FROM workflow_files WHERE file_id = ? AND owner_id = ? LIMIT 1'
  return (await sql.read(query, [file_id, owner_id])).length > 0
}

/** Links files to a new execution: all of them, or those only that wait for one. */
export function linkFiles(
  { execution_id, owner_id, created_at }: Omit<FileLink, 'file_id'>,
  { ids, only_received }: { ids: readonly string[]; only_received: boolean },
): Statement {
  const known = 'SELECT 1 FROM workflow_files AS link WHERE link.file_id = value AND link.owner_id = ?'
  return {
    sql: `INSERT OR IGNORE INTO workflow_files (file_id, execution_id, owner_id, made, created_at)
      SELECT value, ?, ?, EXISTS (${known} AND link.made), ? FROM json_each(?)
      WHERE ? OR EXISTS (${known} AND link.execution_id = '')`,
    args: [execution_id, owner_id, owner_id, created_at, JSON.stringify(ids), only_received ? 0 : 1, owner_id],
  }
}

/** What another execution has taken over may refer to the files of the first one. */
export const linkCopied = (from: string, to: string): Statement => ({
  sql: `INSERT OR IGNORE INTO workflow_files (file_id, execution_id, owner_id, made, created_at)
    SELECT file_id, ?, owner_id, made, created_at FROM workflow_files WHERE execution_id = ?`,
  args: [to, from],
})

/** Without an execution, it is gone when it has waited for one since before `?`. */
const isGone = (link: string) =>
  `NOT EXISTS (SELECT 1 FROM workflow_executions WHERE id = ${link}.execution_id)
    AND (${link}.execution_id <> '' OR ${link}.created_at < ?)`

/** Files of which all executions are gone. */
export const unusedFiles = ({ sql }: Sql, before: string) =>
  sql.read<{ file_id: string; owner_id: string; made: number }>(
    `SELECT file_id, owner_id, max(made) AS made FROM workflow_files AS link WHERE ${isGone('link')} AND NOT EXISTS (
      SELECT 1 FROM workflow_files AS other WHERE other.file_id = link.file_id AND NOT (${isGone('other')}))
      GROUP BY file_id, owner_id`,
    [before, before],
    { long: true },
  )

export const dropLinks = (before: string): Statement => ({
  sql: `DELETE FROM workflow_files AS link WHERE ${isGone('link')}`,
  args: [before],
})

import { owned } from '../auth/owner.ts'
import type { Statement } from '../ports/sql.ts'
import type { RetainedSize } from '../retention.ts'
import { selectPage } from '../select-page.ts'
import type { Reader, Sql } from '../table.ts'
import type { StoredFile } from './schema.ts'

type Row = Omit<StoredFile, 'download_url'>

const columns = 'id, name, mime_type, size_bytes, sha256, purpose, created_at'

const toFile = (row: Row): StoredFile => ({ ...row, download_url: `/api/files/${row.id}/content` })

export interface FileFilter {
  limit: number
  offset: number
  purpose?: string | undefined
  /** Part of a name, in any case. */
  search?: string | undefined
}

/** Newest first; `total` counts all that match. */
export async function listFiles(context: Reader, filter: FileFilter) {
  const own = owned(context)
  const where = `(?1 IS NULL OR purpose = ?1) AND (?2 IS NULL OR instr(name_lower, ?2) > 0) AND ${own.sql}`
  const args = [filter.purpose ?? null, filter.search?.toLowerCase() || null, ...own.args]
  const query = { select: `SELECT ${columns} FROM files WHERE ${where}`, args, order: 'id DESC' }
  const { rows, total } = await selectPage<Row>(context, query, filter)
  return { files: rows.map(toFile), total }
}

export async function findFile(context: Reader, id: string): Promise<StoredFile | null> {
  return (await findFiles(context, [id])).get(id) ?? null
}

/** Those of the files that the caller may see, by id. */
export async function findFiles(context: Reader, ids: readonly string[]): Promise<Map<string, StoredFile>> {
  if (ids.length === 0) return new Map()
  const own = owned(context)
  const query = `SELECT ${columns} FROM files WHERE id IN (SELECT value FROM json_each(?)) AND ${own.sql}`
  const rows = await context.sql.read<Row>(query, [JSON.stringify(ids), ...own.args])
  return new Map(rows.map((row) => [row.id, toFile(row)]))
}

/** The number of files with this content. */
export async function countSame({ sql }: Sql, sha256: string): Promise<number> {
  const query = 'SELECT count(*) AS count FROM files WHERE sha256 = ?'
  return (await sql.read<{ count: number }>(query, [sha256]))[0]?.count ?? 0
}

/** Content shared by several files is stored once, and counts once. */
const storedSum = '(SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT sha256, size_bytes FROM files))'

/** Bytes of all files. */
export async function storedBytes({ sql }: Sql): Promise<number> {
  return (await sql.read<{ bytes: number }>(`SELECT ${storedSum} AS bytes`))[0]?.bytes ?? 0
}

/** Fails if the files would exceed `quota` bytes. */
export const insertFile = (owner_id: string, file: StoredFile, quota: number): Statement => ({
  sql: `INSERT INTO files (${columns}, name_lower, owner_id) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?10
    WHERE EXISTS (SELECT 1 FROM files WHERE sha256 = ?5) OR ${storedSum} + ?4 <= ?9`,
  args: [
    file.id,
    file.name,
    file.mime_type,
    file.size_bytes,
    file.sha256,
    file.purpose,
    file.created_at,
    file.name.toLowerCase(),
    quota,
    owner_id,
  ],
  guard: 'The files would exceed their quota',
})

export const deleteFile = (id: string): Statement => ({
  sql: 'DELETE FROM files WHERE id = ?',
  args: [id],
  guard: `The file ${id} was already deleted`,
})

export async function filesSize(host: Sql): Promise<RetainedSize> {
  const sql = 'SELECT count(*) AS rows, min(created_at) AS oldest_at FROM files'
  const [row] = await host.sql.read<Omit<RetainedSize, 'bytes'>>(sql)
  return { rows: row?.rows ?? 0, oldest_at: row?.oldest_at ?? null, bytes: await storedBytes(host) }
}

/** Ids of the oldest files of all users, with their owners. */
export const filesCreatedBefore = ({ sql }: Sql, before: string, limit: number) =>
  sql.read<{ id: string; owner_id: string }>(
    'SELECT id, owner_id FROM files WHERE created_at < ? ORDER BY created_at LIMIT ?',
    [before, limit],
  )

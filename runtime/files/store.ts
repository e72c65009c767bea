import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredFile } from './schema.ts'

type Sql = Pick<Host, 'sql'>
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
export async function listFiles({ sql }: Sql, filter: FileFilter) {
  const where = '(?1 IS NULL OR purpose = ?1) AND (?2 IS NULL OR instr(name_lower, ?2) > 0)'
  const wanted = [filter.purpose ?? null, filter.search?.toLowerCase() || null]
  const query = `SELECT ${columns} FROM files WHERE ${where} ORDER BY id DESC LIMIT ?3 OFFSET ?4`
  const rows = await sql.read<Row>(query, [...wanted, filter.limit, filter.offset])
  const [count] = await sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM files WHERE ${where}`,
    wanted,
  )
  return { files: rows.map(toFile), total: count?.total ?? 0 }
}

export async function findFile({ sql }: Sql, id: string): Promise<StoredFile | null> {
  return (await findFiles({ sql }, [id])).get(id) ?? null
}

/** The files that exist, by id. */
export async function findFiles({ sql }: Sql, ids: readonly string[]): Promise<Map<string, StoredFile>> {
  if (ids.length === 0) return new Map()
  const query = `SELECT ${columns} FROM files WHERE id IN (SELECT value FROM json_each(?))`
  const rows = await sql.read<Row>(query, [JSON.stringify(ids)])
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
export const insertFile = (file: StoredFile, quota: number): Statement => ({
  sql: `INSERT INTO files (${columns}, name_lower) SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
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
  ],
  guard: 'The files would exceed their quota',
})

export const deleteFile = (id: string): Statement => ({
  sql: 'DELETE FROM files WHERE id = ?',
  args: [id],
  guard: `The file ${id} was already deleted`,
})

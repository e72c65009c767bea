import { owned } from '../auth/owner.ts'
import type { Statement } from '../ports/sql.ts'
import type { RetainedSize } from '../retention.ts'
import { raw, readRows, sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { StoredFile } from './schema.ts'

const files = new Table<StoredFile, 'name_lower' | 'owner_id'>('files', {
  hidden: ['name_lower', 'owner_id'],
  complete: (file) => ({ ...file, download_url: `/api/files/${file.id}/content` }),
})

export interface FileFilter {
  limit: number
  offset: number
  purpose?: string | undefined
  /** Part of a name, in any case. */
  search?: string | undefined
}

/** Newest first; `total` counts all that match. */
export function listFiles(context: Reader, { purpose, search, ...page }: FileFilter) {
  const matching = search ? sql`instr(name_lower, ${search.toLowerCase()}) > 0` : sql`true`
  return files.page(context, page, 'id DESC', { purpose }, matching, owned(context))
}

export const findFile = (context: Reader, id: string) => files.find(context, { id }, owned(context))

/** The files among these that the caller may see, by id. */
export async function findFiles(context: Reader, ids: readonly string[]): Promise<Map<string, StoredFile>> {
  const rows = ids.length === 0 ? [] : await files.list(context, 'id', { id: ids }, owned(context))
  return new Map(rows.map((file) => [file.id, file]))
}

/** The number of files with this content. */
export const countSame = (host: Sql, sha256: string): Promise<number> => files.count(host, { sha256 })

/** Content shared by several files is stored once, and counts once. */
const storedSum = '(SELECT coalesce(sum(size_bytes), 0) FROM (SELECT DISTINCT sha256, size_bytes FROM files))'

/** Bytes of all files. */
export async function storedBytes(host: Sql): Promise<number> {
  return (await readRows<{ bytes: number }>(host, sql`SELECT ${raw(storedSum)} AS bytes`))[0]?.bytes ?? 0
}

/** Fails if the files would exceed `quota` bytes. */
export function insertFile(owner_id: string, { download_url: _, ...file }: StoredFile, quota: number): Statement {
  const { sha256, size_bytes, name } = file
  const fits = sql`EXISTS (SELECT 1 FROM files WHERE sha256 = ${sha256})
    OR ${raw(storedSum)} + ${size_bytes} <= ${quota}`
  return {
    ...files.insert({ ...file, owner_id, name_lower: name.toLowerCase() }, '', fits),
    guard: 'The files would exceed their quota',
  }
}

export const deleteFile = (id: string): Statement => files.delete({ id }, `The file ${id} was already deleted`)

export async function filesSize(host: Sql): Promise<RetainedSize> {
  const sql = 'SELECT count(*) AS rows, min(created_at) AS oldest_at FROM files'
  const [row] = await host.sql.read<Omit<RetainedSize, 'bytes'>>(sql)
  return { rows: row?.rows ?? 0, oldest_at: row?.oldest_at ?? null, bytes: await storedBytes(host) }
}

/** Ids of the oldest files of all users, with their owners. */
export const filesCreatedBefore = (host: Sql, before: string, limit: number) =>
  readRows<{ id: string; owner_id: string }>(
    host,
    sql`SELECT id, owner_id FROM files WHERE created_at < ${before} ORDER BY created_at LIMIT ${limit}`,
  )

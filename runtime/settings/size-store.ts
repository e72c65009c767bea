import type { Sql } from '../ports/sql.ts'

/** The size of the database file, and of its pages without content. */
export interface FileSize {
  bytes: number
  free_bytes: number
}

export interface Pages extends FileSize {
  /** Bytes of each table, with its indexes. Full-text search keeps its data in tables of its own. */
  tables: { name: string; bytes: number }[]
}

/** Throws on a host that does not let the file be measured. */
export async function readFileSize(sql: Sql): Promise<FileSize> {
  const [size] = await sql.read<FileSize>(
    `SELECT page_count * page_size AS bytes, freelist_count * page_size AS free_bytes
      FROM pragma_page_count CROSS JOIN pragma_freelist_count CROSS JOIN pragma_page_size`,
  )
  return size ?? { bytes: 0, free_bytes: 0 }
}

/** Reads the whole file, outside the event loop. */
export const readTables = (sql: Sql): Promise<Pages['tables']> =>
  sql.read(
    `SELECT coalesce(part.tbl_name, page.name) AS name, sum(page.pgsize) AS bytes
      FROM dbstat AS page LEFT JOIN sqlite_schema AS part ON part.name = page.name
      WHERE page.aggregate = 1 GROUP BY 1`,
    [],
    { long: true },
  )

/** Rows of each table. Counting a full-text index itself would read all of it; it has a table with a row for each of its rows. */
export async function countRows(sql: Sql, tables: readonly string[]): Promise<Record<string, number>> {
  const rowTables = await sql.read<{ name: string }>(`SELECT name FROM sqlite_schema WHERE name LIKE '%_docsize'`)
  const rowsOf = new Set(rowTables.map(({ name }) => name))
  const counted = tables.map(async (table) => {
    const source = rowsOf.has(`${table}_docsize`) ? `${table}_docsize` : table
    const [row] = await sql.read<{ rows: number }>(`SELECT count(*) AS rows FROM "${source}"`)
    return [table, row?.rows ?? 0] as const
  })
  return Object.fromEntries(await Promise.all(counted))
}

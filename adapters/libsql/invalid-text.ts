import { isUtf8 } from 'node:buffer'
import type Database from 'libsql'

/** A character that is not ASCII; every invalid byte is one for SQLite. */
const notAscii = `'*[^' || char(1) || '-' || char(127) || ']*'`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/**
 * Replaces invalid UTF-8 in texts by U+FFFD and returns the columns, as `table.column (rows)`. The driver aborts the
 * process when it reads such a text. `before` runs once, ahead of the first change.
 */
export function repairText(db: Database.Database, before: () => void): string[] {
  let changed = false
  const repaired = textColumns(db).map(({ table, columns }) =>
    columns.map((column) => {
      const rows = invalidRows(db, table, column)
      if (rows.length > 0 && !changed) before()
      changed ||= rows.length > 0
      const update = `UPDATE ${quoted(table)} SET ${quoted(column)} = ? WHERE CAST(${quoted(column)} AS BLOB) = ?`
      for (const bytes of rows) db.prepare(update).run([new TextDecoder().decode(bytes), bytes])
      return rows.length > 0 ? `${table}.${column} (${rows.length})` : ''
    }),
  )
  return repaired.flat().filter((line) => line !== '')
}

interface Table {
  table: string
  columns: string[]
}

function textColumns(db: Database.Database): Table[] {
  const columns = db
    .prepare(
      `SELECT t.name AS name, c.name AS column FROM pragma_table_list t, pragma_table_xinfo(t.name) c
       WHERE t.schema = 'main' AND t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND c.hidden = 0
         AND c.type IN ('TEXT', 'ANY')`,
    )
    .all([]) as { name: string; column: string }[]
  return Object.entries(Object.groupBy(columns, ({ name }) => name)).map(([table, rows = []]) => ({
    table,
    columns: rows.map(({ column }) => column),
  }))
}

/** The invalid texts of a column, as bytes. */
function invalidRows(db: Database.Database, table: string, column: string): Buffer[] {
  const name = quoted(column)
  const query = db.prepare(`SELECT CAST(${name} AS BLOB) AS bytes FROM ${quoted(table)} WHERE ${name} GLOB ${notAscii}`)
  const invalid: Buffer[] = []
  for (const row of query.iterate([])) {
    const bytes = Buffer.from((row as { bytes: ArrayBuffer }).bytes)
    if (!isUtf8(bytes)) invalid.push(bytes)
  }
  return invalid
}

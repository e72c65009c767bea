import type { DatabaseStatement } from '../ports/databases.ts'

export type Dialect = 'postgres' | 'mysql' | 'sqlite'

export type Row = Readonly<Record<string, unknown>>

/** A text of SQL cannot be made or sent with these values. */
export class SqlProblem extends Error {
  override name = 'SqlProblem'
}

/** Whether a list that follows is that of `IN (`. */
export const inList = /\bin\s*\(\s*$/i

/** Values that one statement may have. */
const maxValues = 10_000

/** A name within its quotes. */
export function quotedName(name: string, dialect: Dialect): string {
  if (name === '' || name.includes('\0')) throw new SqlProblem('a name must not be empty or contain NUL')
  const quote = dialect === 'mysql' ? '`' : '"'
  return quote + name.replaceAll(quote, quote + quote) + quote
}

/** A table, or `schema.table`. */
const quotedTable = (table: string, dialect: Dialect): string =>
  table
    .split('.')
    .map((part) => quotedName(part, dialect))
    .join('.')

class Writer {
  readonly values: unknown[] = []
  readonly dialect: Dialect

  constructor(dialect: Dialect) {
    this.dialect = dialect
  }

  name = (name: string): string => quotedName(name, this.dialect)

  bind = (value: unknown): string => {
    this.values.push(value ?? null)
    return this.dialect === 'postgres' ? `$${this.values.length}` : '?'
  }

  equals = (row: Row): string[] =>
    Object.entries(row).map(([name, value]) =>
      value === null || value === undefined ? `${this.name(name)} IS NULL` : `${this.name(name)} = ${this.bind(value)}`,
    )
}

interface Target {
  table: string
  dialect: Dialect
}

/** The rows as the database has stored them, where it can return them. */
const returning = (dialect: Dialect): string => (dialect === 'mysql' ? '' : ' RETURNING *')

/** Adds rows. With `match`, the columns of a unique key, rows that exist are changed. */
export function insertStatements(
  { table, dialect }: Target,
  rows: readonly Row[],
  { match = [], skip_existing = false }: { match?: readonly string[]; skip_existing?: boolean } = {},
): DatabaseStatement[] {
  const columns = [...new Set(rows.flatMap(Object.keys))]
  if (columns.length === 0) throw new SqlProblem('a row must have a value for at least one column')
  for (const name of match)
    if (!columns.includes(name)) throw new SqlProblem(`the rows have no value for the column ${name} to match`)
  const size = Math.max(1, Math.floor(maxValues / columns.length))
  const chunks = Array.from({ length: Math.ceil(rows.length / size) }, (_, at) =>
    rows.slice(at * size, (at + 1) * size),
  )
  return chunks.map((chunk) => {
    const { name, bind, values } = new Writer(dialect)
    const cell = (row: Row, column: string) =>
      column in row ? bind(row[column]) : dialect === 'sqlite' ? 'NULL' : 'DEFAULT'
    const tuples = chunk.map((row) => `(${columns.map((column) => cell(row, column)).join(', ')})`)
    const verb = skip_existing && dialect === 'mysql' ? 'INSERT IGNORE INTO' : 'INSERT INTO'
    const head = `${verb} ${quotedTable(table, dialect)} (${columns.map(name).join(', ')}) VALUES ${tuples.join(', ')}`
    return { text: head + onConflict({ dialect, columns, match, skip_existing }) + returning(dialect), values }
  })
}

interface Conflict {
  dialect: Dialect
  columns: readonly string[]
  match: readonly string[]
  skip_existing: boolean
}

function onConflict({ dialect, columns, match, skip_existing }: Conflict): string {
  if (match.length === 0) return skip_existing && dialect !== 'mysql' ? ' ON CONFLICT DO NOTHING' : ''
  const name = (column: string) => quotedName(column, dialect)
  const others = columns.filter((column) => !match.includes(column))
  // So that the row is returned, and counts as one, although nothing changes.
  const changed = others.length > 0 ? others : match
  if (dialect === 'mysql')
    return ` ON DUPLICATE KEY UPDATE ${changed.map((column) => `${name(column)} = VALUES(${name(column)})`).join(', ')}`
  const sets = changed.map((column) => `${name(column)} = EXCLUDED.${name(column)}`)
  return ` ON CONFLICT (${match.map(name).join(', ')}) DO UPDATE SET ${sets.join(', ')}`
}

/** Changes the rows that have the same values in the columns of `match`. */
export function updateStatements(
  { table, dialect }: Target,
  rows: readonly Row[],
  match: readonly string[],
): DatabaseStatement[] {
  if (match.length === 0) throw new SqlProblem('name the columns that say which row to change')
  return rows.map((row) => {
    const { name, bind, equals, values } = new Writer(dialect)
    const sets = Object.entries(row).filter(([column]) => !match.includes(column))
    if (sets.length === 0) throw new SqlProblem('a row must have a value to change')
    const missing = match.find((column) => !(column in row))
    if (missing !== undefined) throw new SqlProblem(`a row has no value for the column ${missing} to match`)
    const assignments = sets.map(([column, value]) => `${name(column)} = ${bind(value)}`)
    const where = equals(Object.fromEntries(match.map((column) => [column, row[column]])))
    const text = `UPDATE ${quotedTable(table, dialect)} SET ${assignments.join(', ')} WHERE ${where.join(' AND ')}`
    return { text: text + returning(dialect), values }
  })
}

/** Deletes the rows with these values by column. */
export function deleteStatement({ table, dialect }: Target, where: Row): DatabaseStatement {
  const { equals, values } = new Writer(dialect)
  const conditions = equals(where)
  if (conditions.length === 0) throw new SqlProblem('say which rows to delete; to delete all, execute a statement')
  const text = `DELETE FROM ${quotedTable(table, dialect)} WHERE ${conditions.join(' AND ')}`
  return { text: text + returning(dialect), values }
}

const tables: Readonly<Record<Dialect, string>> = {
  postgres: `SELECT table_schema AS "schema", table_name AS "name", CASE table_type WHEN 'VIEW' THEN 'view' ELSE 'table' END AS "type"
    FROM information_schema.tables WHERE table_schema NOT IN ('pg_catalog', 'information_schema') ORDER BY 1, 2`,
  mysql:
    "SELECT table_schema AS `schema`, table_name AS `name`, CASE table_type WHEN 'VIEW' THEN 'view' ELSE 'table' END AS `type` FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 2",
  sqlite: `SELECT 'main' AS "schema", name, type FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY 2`,
}

/** Lists the tables and views that a user may see, as `{schema, name, type}`. */
export const tablesStatement = (dialect: Dialect): DatabaseStatement => ({ text: tables[dialect], values: [] })

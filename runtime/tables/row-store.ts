import type { Condition, Statement, Value } from '../ports/sql.ts'
import { containing, type Sql } from '../table.ts'
import { type Cell, type Column, type Row, valueOfCell } from './columns.ts'

/** What the statements need of a table. Ids are made here, so they are safe in SQL. */
export interface Place {
  id: string
  columns: readonly Column[]
}

const nameOf = ({ id }: Pick<Place, 'id'>) => `data_${id.slice(id.indexOf('_') + 1)}`
const kinds = { text: 'TEXT', number: 'REAL', boolean: 'INTEGER', date: 'TEXT', json: 'TEXT' }
/** Text is sorted without regard to case. */
const sorted = ({ id, type }: Column) => (type === 'text' ? `${id} COLLATE NOCASE` : id)

/** Makes the table of the rows, which counts them and remembers how they were before a change. */
export const createStatements = (place: Place): Statement[] => [
  {
    sql: `CREATE TABLE ${nameOf(place)} (id INTEGER PRIMARY KEY AUTOINCREMENT,
      ${place.columns.map(({ id, type }) => `${id} ${kinds[type]}`).join(', ')}) STRICT`,
  },
  ...place.columns.flatMap((column) => indexStatement(place, column)),
  ...triggerStatements(place),
]

export function alterStatements(before: Place, { columns }: Place): Statement[] {
  const name = nameOf(before)
  const has = (list: readonly Column[], { id }: Column) => list.some((one) => one.id === id)
  const gone = before.columns.filter((column) => !has(columns, column))
  const added = columns.filter((column) => !has(before.columns, column))
  if (gone.length + added.length === 0) return []
  return [
    ...['inserted', 'updated', 'deleted'].map((past) => ({ sql: `DROP TRIGGER ${name}_${past}` })),
    ...added.map(({ id, type }) => ({ sql: `ALTER TABLE ${name} ADD COLUMN ${id} ${kinds[type]}` })),
    ...gone.flatMap(({ id }) => [
      { sql: `DROP INDEX IF EXISTS ${name}_${id}` },
      { sql: `ALTER TABLE ${name} DROP COLUMN ${id}` },
    ]),
    ...added.flatMap((column) => indexStatement(before, column)),
    ...triggerStatements({ id: before.id, columns }),
  ]
}

export const dropStatement = (place: Pick<Place, 'id'>): Statement => ({ sql: `DROP TABLE ${nameOf(place)}` })

/** A page in the order of a column needs its index, whatever the number of rows. */
const indexStatement = (place: Pick<Place, 'id'>, column: Column): Statement[] =>
  column.type === 'json'
    ? []
    : [{ sql: `CREATE INDEX ${nameOf(place)}_${column.id} ON ${nameOf(place)} (${sorted(column)})` }]

function triggerStatements({ id, columns }: Place): Statement[] {
  const name = nameOf({ id })
  const size = (row: string) => columns.map((column) => `coalesce(octet_length(${row}.${column.id}), 0)`).join(' + ')
  const old = `json_object(${columns.map((column) => `'${column.id}', old.${column.id}`).join(', ')})`
  const trigger = (
    past: string,
    event: string,
    { rows = 0, bytes, before }: { rows?: number; bytes: string; before: string },
  ) => ({
    sql: `CREATE TRIGGER ${name}_${past} AFTER ${event} ON ${name} BEGIN
      UPDATE data_tables SET row_count = row_count + (${rows}), bytes = bytes + ${bytes} WHERE id = '${id}';
      INSERT INTO data_change_rows (change_id, row_id, before)
        SELECT change_id, ${event === 'INSERT' ? 'new' : 'old'}.id, ${before} FROM data_tables WHERE id = '${id}'
        ON CONFLICT DO NOTHING;
    END`,
  })
  return [
    trigger('inserted', 'INSERT', { rows: 1, bytes: `(${size('new')})`, before: 'NULL' }),
    trigger('updated', 'UPDATE', { bytes: `(${size('new')}) - (${size('old')})`, before: old }),
    trigger('deleted', 'DELETE', { rows: -1, bytes: `-(${size('old')})`, before: old }),
  ]
}

export interface Filter {
  column: Column
  is: keyof typeof comparisons | 'empty' | 'not_empty' | 'contains' | 'one_of'
  value: Cell
  values?: readonly Cell[]
}

const comparisons = { equals: '=', not_equals: '<>', greater: '>', at_least: '>=', less: '<', at_most: '<=' }

/** The index is one without regard to case, the comparison is exact. */
const equals = ({ id, type }: Column, value: string) =>
  type === 'text' ? `(${id} = ${value} COLLATE NOCASE AND ${id} = ${value})` : `${id} = ${value}`

export function conditionOf({ column, is, value, values = [] }: Filter): Condition {
  const { id } = column
  switch (is) {
    case 'empty':
      return { sql: `(${id} IS NULL OR ${id} = '')`, args: [] }
    case 'not_empty':
      return { sql: `(${id} IS NOT NULL AND ${id} <> '')`, args: [] }
    case 'contains':
      return containing(String(value), id)
    case 'one_of':
      return { sql: `${id} IN (SELECT value FROM json_each(?))`, args: [JSON.stringify(values)] }
    case 'equals':
      if (value === null) return { sql: `${id} IS NULL`, args: [] }
      return { sql: equals(column, '?'), args: column.type === 'text' ? [value, value] : [value] }
    case 'not_equals':
      return { sql: `${id} IS NOT ?`, args: [value] }
    default:
      return { sql: `${id} ${comparisons[is]} ?`, args: [value] }
  }
}

/** The rows in which a column of text contains a text. */
export const rowsContaining = ({ columns }: Place, text: string): Condition =>
  containing(text, ...columns.filter(({ type }) => type !== 'boolean').map(({ id }) => id))

export const rowsWithIds = (ids: readonly number[]): Condition => ({
  sql: 'id IN (SELECT value FROM json_each(?))',
  args: [JSON.stringify(ids)],
})

export const joined = (conditions: readonly Condition[], word: 'AND' | 'OR' = 'AND'): Condition => ({
  sql: conditions.map(({ sql }) => `(${sql})`).join(` ${word} `) || 'true',
  args: conditions.flatMap(({ args }) => args),
})

export interface Order {
  /** Null: the order in which the rows were made. */
  column: Column | null
  descending: boolean
}

export async function selectRows(
  { sql }: Sql,
  place: Place & { row_count: number },
  {
    where,
    order: { column, descending },
    long,
    limit,
    offset,
  }: { where: Condition; order: Order; long: boolean; limit: number; offset: number },
): Promise<{ rows: Row[]; total: number }> {
  const way = descending ? ' DESC' : ''
  const order = column ? `${sorted(column)}${way}, id${way}` : `id${way}`
  const from = `FROM ${nameOf(place)} WHERE ${where.sql}`
  const [rows, [count]] = await Promise.all([
    sql.read<Record<string, Value>>(
      `SELECT * ${from} ORDER BY ${order} LIMIT ? OFFSET ?`,
      [...where.args, limit, offset],
      { long },
    ),
    where.sql === 'true' ? [] : sql.read<{ total: number }>(`SELECT count(*) AS total ${from}`, where.args, { long }),
  ])
  return { rows: rows.map((row) => rowOf(place, row)), total: count?.total ?? place.row_count }
}

export async function rowsAfter({ sql }: Sql, place: Place, id: number, limit: number): Promise<Row[]> {
  const query = `SELECT * FROM ${nameOf(place)} WHERE id > ? ORDER BY id LIMIT ?`
  return (await sql.read<Record<string, Value>>(query, [id, limit])).map((row) => rowOf(place, row))
}

const rowOf = ({ columns }: Place, stored: Record<string, Value>): Row =>
  Object.fromEntries([
    ['id', stored.id],
    ...columns.map((column) => [column.name, valueOfCell(column, stored[column.id] as Cell)]),
  ]) as Row

const maxTableRows = 1_000_000
const maxTableBytes = 512 * 1024 * 1024

export const requireRoom = ({ id }: Pick<Place, 'id'>): Statement => ({
  sql: `UPDATE data_tables SET id = id WHERE id = ? AND row_count <= ${maxTableRows} AND bytes <= ${maxTableBytes}`,
  args: [id],
  guard: `The table is full: it may have ${maxTableRows} rows and ${maxTableBytes} bytes`,
})

/** Cells by the ids of their columns. */
export type Cells = Readonly<Record<string, Cell>>

export const insertRows = (place: Place, rows: readonly Cells[], where?: string): Statement => ({
  sql: `INSERT INTO ${nameOf(place)} (${place.columns.map(({ id }) => id).join(', ')})
    SELECT ${place.columns.map(({ id }) => `value->>'$.${id}'`).join(', ')} FROM json_each(?) AS sent
    WHERE ${where ?? 'true'} RETURNING id`,
  args: [JSON.stringify(rows)],
})

export function updateRows(place: Place, cells: Cells, where: Condition): Statement {
  const names = Object.keys(cells)
  return {
    sql: `UPDATE ${nameOf(place)} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE ${where.sql}`,
    args: [...Object.values(cells), ...where.args],
  }
}

export const deleteRows = (place: Pick<Place, 'id'>, where: Condition): Statement => ({
  sql: `DELETE FROM ${nameOf(place)} WHERE ${where.sql}`,
  args: where.args,
})

/** Changes the rows that have the value of a row in the column `by`, and adds those rows that have no such row. */
export function upsertRows(place: Place, rows: readonly Cells[], by: Column): Statement[] {
  const name = nameOf(place)
  const key = equals({ ...by, id: `own.${by.id}` }, `sent.value->>'$.${by.id}'`)
  const set = place.columns
    .filter(({ id }) => id !== by.id)
    .map(({ id }) => `${id} = iif(json_type(sent.value, '$.${id}') IS NULL, own.${id}, sent.value->>'$.${id}')`)
  const update = {
    sql: `UPDATE ${name} AS own SET ${set.join(', ') || `${by.id} = own.${by.id}`} FROM json_each(?) AS sent WHERE ${key}`,
    args: [JSON.stringify(rows)],
  }
  return [update, insertRows(place, rows, `NOT EXISTS (SELECT 1 FROM ${name} AS own WHERE ${key})`)]
}

/** Puts the rows back that a change has changed or deleted. */
export function restoreRows(place: Place, change_id: string): Statement {
  const ids = place.columns.map(({ id }) => id)
  return {
    sql: `INSERT INTO ${nameOf(place)} (id, ${ids.join(', ')})
      SELECT row_id, ${ids.map((id) => `before->>'$.${id}'`).join(', ')} FROM data_change_rows
        WHERE change_id = ? AND before IS NOT NULL
      ON CONFLICT (id) DO UPDATE SET ${ids.map((id) => `${id} = excluded.${id}`).join(', ')}`,
    args: [change_id],
  }
}

import type { Context } from './context.ts'
import type { Host } from './host.ts'
import type { Page } from './http/page.ts'
import type { Condition, ReadOptions, Statement, Value } from './ports/sql.ts'
import { selectPage } from './select-page.ts'
import { Fragment, raw, readRows, sql } from './statement.ts'
import { defined, isSameJson } from './values.ts'

/** The host, for statements on the daemon's behalf. */
export type Sql = Pick<Host, 'sql'>
/** The context, for statements on a person's behalf. */
export type Reader = Pick<Context, 'sql' | 'caller'>
type Row = Record<string, Value>
type Names<Entity> = Extract<keyof Entity, string>

/** How the fields of an entity are stored. A field that is not named here is a column of the same name. */
interface Storage<Entity, Hidden extends string> {
  /** Columns that are 0 or 1. */
  booleans?: readonly Names<Entity>[]
  /** Columns that are JSON; a null is NULL. */
  json?: readonly Names<Entity>[]
  /** Fields that are stored together as JSON in one column, because no statement selects by them. */
  packed?: { column: string; fields: readonly Names<Entity>[] }
  /** Columns that are named differently from their field. */
  columns?: { readonly [Field in Names<Entity>]?: string }
  /** Columns that are not fields of the entity. */
  hidden?: readonly Hidden[]
  /** The columns to read. Default: all. */
  select?: string | Condition
  /** Refuses a row whose unique value another row has. */
  unique?: string
  /** Whether the rows change rarely, see `ReadOptions.kept`. */
  kept?: boolean
  /** Completes an entity that is read, for example one that was stored before a field existed. */
  complete?: (stored: Entity) => Entity
}

/** SQL with or without arguments, or the values of columns; an array stands for any of its values. All must be true. */
type Where<Field extends string> = string | Condition | { readonly [Name in Field]?: unknown }
type Conditions<Field extends string> = Where<Field> | readonly Where<Field>[]

/** New values of fields. SQL computes one from the row as it is, as in `sql`attempts + 1``. */
type Changes<Entity, Hidden extends string> = { [Name in keyof Entity]?: Entity[Name] | Fragment } & {
  [Name in Hidden]?: Value | Fragment
}

/** The rows of one table as entities. Statements that need more than one table stay SQL. */
export class Table<Entity extends object, Hidden extends string = never> {
  readonly #name: string
  readonly #storage: Storage<Entity, Hidden>
  readonly #options: ReadOptions
  /** By field, and by column: looked up once, because every statement and row needs them. */
  readonly #codecs = new Map<string, Codec>()
  readonly #readings = new Map<string, Codec>()
  /** The text of `SELECT` by what follows `WHERE`. */
  readonly #selects = new Map<string, string>()

  constructor(name: string, storage: Storage<Entity, Hidden> = {}) {
    this.#name = name
    this.#storage = storage
    this.#options = storage.kept ? { kept: name } : {}
  }

  #codecOf(field: string): Codec {
    let codec = this.#codecs.get(field)
    if (codec) return codec
    const { booleans = [], json = [], packed, columns = {} } = this.#storage as Storage<Row, string>
    const column = columns[field] ?? field
    const isPacked = packed?.fields.includes(field) === true
    if (!isPacked && !/^[a-z_0-9]+$/.test(column)) throw new TypeError(`${this.#name} has no column ${column}`)
    const encoding = isPacked
      ? 'packed'
      : json.includes(field)
        ? 'json'
        : booleans.includes(field)
          ? 'boolean'
          : 'plain'
    codec = { field, column, encoding }
    this.#codecs.set(field, codec)
    return codec
  }

  #readingOf(column: string): Codec {
    let codec = this.#readings.get(column)
    if (codec) return codec
    const { packed, hidden = [], columns = {} } = this.#storage as Storage<Row, string>
    const isLeftOut = column === packed?.column || hidden.includes(column)
    const field = Object.keys(columns).find((name) => columns[name] === column) ?? column
    codec = isLeftOut ? { field, column, encoding: 'left_out' } : this.#codecOf(field)
    this.#readings.set(column, codec)
    return codec
  }

  decode(row: object): Entity {
    const { packed, complete } = this.#storage
    const stored = row as Row
    const entity: Record<string, unknown> = packed ? JSON.parse(stored[packed.column] as string) : {}
    for (const column of Object.keys(stored)) {
      const { field, encoding } = this.#readingOf(column)
      if (encoding !== 'left_out') entity[field] = decoded(encoding, stored[column] as Value)
    }
    return complete ? complete(entity as Entity) : (entity as Entity)
  }

  /** The fields as columns with their values, and the packed fields. Undefined fields are left out. */
  #stored(fields: object): {
    columns: [column: string, value: Value | Fragment][]
    packed: [field: string, value: unknown][]
  } {
    const columns: [string, Value | Fragment][] = []
    const packed: [string, unknown][] = []
    for (const [field, value] of Object.entries(fields)) {
      if (value === undefined) continue
      const { column, encoding } = this.#codecOf(field)
      if (encoding === 'packed') packed.push([field, value])
      else if (value === null || value instanceof Fragment) columns.push([column, value])
      else columns.push([column, encoding === 'json' ? JSON.stringify(value) : asNumber(value)])
    }
    return { columns, packed }
  }

  #where(parts: Conditions<string>): Condition {
    const terms: string[] = []
    const args: Value[] = []
    for (const part of [parts].flat()) {
      if (typeof part === 'string') terms.push(part)
      else if ('sql' in part && 'args' in part) {
        const condition = part as Condition
        terms.push(condition.sql)
        args.push(...condition.args)
      } else this.#equal(part, terms, args)
    }
    return { sql: terms.join(' AND ') || 'true', args }
  }

  #equal(values: { readonly [field: string]: unknown }, terms: string[], args: Value[]): void {
    // A missing value must never select every row.
    const missing = Object.keys(values).find((name) => values[name] === undefined)
    if (missing !== undefined) throw new TypeError(`${this.#name} is selected by an undefined ${missing}`)
    const { columns, packed } = this.#stored(values)
    if (packed.length > 0) throw new TypeError(`${this.#name} is not selected by ${packed[0]?.[0]}`)
    for (const [column, value] of columns) {
      if (value === null) terms.push(`${column} IS NULL`)
      else if (Array.isArray(value)) {
        terms.push(`${column} IN (SELECT value FROM json_each(?))`)
        args.push(JSON.stringify(value))
      }
      // Literal, so that a partial index is used.
      else if (this.#isBoolean(column)) terms.push(`${column} = ${value}`)
      else {
        const { sql, args: own } = partOf(value)
        terms.push(`${column} = ${sql}`)
        args.push(...own)
      }
    }
  }

  #isBoolean(column: string): boolean {
    return (this.#storage.booleans as readonly string[] | undefined)?.includes(column) ?? false
  }

  #select(where: Condition, end = ''): Condition {
    const { select = '*' } = this.#storage
    const columns = typeof select === 'string' ? { sql: select, args: [] } : select
    return {
      sql: this.#selecting(columns.sql, where.sql + end),
      args: [...columns.args, ...where.args],
    }
  }

  /** The same string each time: the driver finds its prepared statement by a hash that the string has already. */
  #selecting(columns: string, rest: string): string {
    let text = this.#selects.get(rest)
    if (text !== undefined) return text
    if (this.#selects.size >= maxSelects) this.#selects.clear()
    text = `SELECT ${columns} FROM ${this.#name} WHERE ${rest}`
    this.#selects.set(rest, text)
    return text
  }

  async find(host: Sql, ...parts: Where<Names<Entity> | Hidden>[]): Promise<Entity | null> {
    const query = this.#select(this.#where(parts), ' LIMIT 1')
    const [row] = await host.sql.read<Row>(query.sql, query.args, this.#options)
    return row ? this.decode(row) : null
  }

  /** `order`: the terms of `ORDER BY`, and a `LIMIT` if there is one. */
  async list({ sql }: Sql, order: string, ...parts: Where<Names<Entity> | Hidden>[]): Promise<Entity[]> {
    const query = this.#select(this.#where(parts), ` ORDER BY ${order}`)
    const rows = await sql.read<Row>(query.sql, query.args, this.#options)
    return rows.map((row) => this.decode(row))
  }

  /** The first row in an order. */
  async first(host: Sql, order: string, ...parts: Where<Names<Entity> | Hidden>[]): Promise<Entity | null> {
    return (await this.list(host, `${order} LIMIT 1`, ...parts))[0] ?? null
  }

  async exists({ sql }: Sql, ...parts: Where<Names<Entity> | Hidden>[]): Promise<boolean> {
    const where = this.#where(parts)
    const query = `SELECT 1 FROM ${this.#name} WHERE ${where.sql} LIMIT 1`
    return (await sql.read(query, where.args, this.#options)).length > 0
  }

  /** A page of the rows; `total` counts all of them. Here, a filter that is undefined matches every row. */
  async page(
    host: Sql,
    { limit, offset }: Page,
    order: string,
    ...parts: Where<Names<Entity> | Hidden>[]
  ): Promise<{ rows: Entity[]; total: number }> {
    const where = this.#where(parts.map((part) => (typeof part === 'string' ? part : defined(part))))
    const { sql: select, args } = this.#select(where)
    const { rows, total } = await selectPage<Row>(host, { select, args, order }, { limit, offset })
    return { rows: rows.map((row) => this.decode(row)), total }
  }

  async count({ sql }: Sql, ...parts: Where<Names<Entity> | Hidden>[]): Promise<number> {
    const where = this.#where(parts)
    const query = `SELECT count(*) AS count FROM ${this.#name} WHERE ${where.sql}`
    return (await sql.read<{ count: number }>(query, where.args))[0]?.count ?? 0
  }

  /** The values of one column, which are read without the others. */
  async values<Name extends Names<Entity>>(
    host: Sql,
    column: Name,
    order: string,
    ...parts: Where<Names<Entity> | Hidden>[]
  ): Promise<Entity[Name][]> {
    const name = raw(this.#codecOf(column).column)
    const query = sql`SELECT ${name} AS value FROM ${raw(this.#name)} WHERE ${this.#where(parts)} ORDER BY ${raw(order)}`
    const rows = await readRows<{ value: Value }>(host, query)
    const { encoding } = this.#codecOf(column)
    return rows.map(({ value }) => decoded(encoding, value) as Entity[Name])
  }

  /** How many rows have each value of a column. */
  async countBy({ sql }: Sql, column: Names<Entity>, ...parts: Where<Names<Entity> | Hidden>[]) {
    const where = this.#where(parts)
    const query = `SELECT ${this.#codecOf(column).column} AS value, count(*) AS count FROM ${this.#name} WHERE ${where.sql} GROUP BY 1`
    const rows = await sql.read<{ value: string; count: number }>(query, where.args)
    return Object.fromEntries(rows.map(({ value, count }) => [value, count]))
  }

  /** The names of the rows that exist, by id. */
  async names({ sql }: Sql, ids: readonly string[]): Promise<Map<string, string>> {
    const where = this.#where([{ id: ids }])
    const query = `SELECT id, name FROM ${this.#name} WHERE ${where.sql}`
    const rows = await sql.read<{ id: string; name: string }>(query, where.args)
    return new Map(rows.map(({ id, name }) => [id, name]))
  }

  #row(fields: object): [column: string, value: Value | Fragment][] {
    const { columns, packed } = this.#stored(fields)
    const content = this.#storage.packed
    return content ? [...columns, [content.column, JSON.stringify(Object.fromEntries(packed))]] : columns
  }

  /** Inserts a row, if `when` is true; `rest` may be an `ON CONFLICT` clause. */
  insert(fields: Changes<Entity, Hidden>, rest: string | Condition = '', when?: Condition): Statement {
    const columns = this.#row(fields)
    const { unique } = this.#storage
    const conflict = rest === '' && unique !== undefined
    const inserted = columns.map(([, value]) => partOf(value))
    const names = columns.map(([column]) => column).join(', ')
    const marks = inserted.map(({ sql }) => sql).join(', ')
    const values = when ? `SELECT ${marks} WHERE ${when.sql}` : `VALUES (${marks})`
    const end = typeof rest === 'string' ? raw(conflict ? 'ON CONFLICT DO NOTHING' : rest) : rest
    return {
      sql: `INSERT INTO ${this.#name} (${names}) ${values} ${end.sql}`.trimEnd(),
      args: [...inserted.flatMap(({ args }) => args), ...(when?.args ?? []), ...end.args],
      ...(conflict && { guard: unique }),
    }
  }

  /** Inserts a row, or sets its other columns if there is one with the same `key`. */
  upsert(fields: Changes<Entity, Hidden>, key: string): Statement {
    const keys = key.split(', ')
    const others = this.#row(fields).filter(([column]) => !keys.includes(column))
    const set = others.map(([column]) => `${column} = excluded.${column}`).join(', ')
    return this.insert(fields, `ON CONFLICT (${key}) DO UPDATE SET ${set}`)
  }

  /** Sets the given fields only, so that concurrent changes to different ones are both kept. */
  update(fields: Changes<Entity, Hidden>, where: Conditions<Names<Entity> | Hidden>, guard?: string): Statement {
    const { columns, packed } = this.#stored(fields)
    const condition = this.#where(where)
    const { column: content } = this.#storage.packed ?? {}
    const members = packed.map(([field]) => `, '$.${field}', json(?)`).join('')
    const values = columns.map(([, value]) => partOf(value))
    const set = columns.map(([column], place) => `${column} = ${values[place]?.sql}`)
    if (packed.length > 0) set.push(`${content} = json_set(${content}${members})`)
    return {
      sql: `UPDATE ${this.#storage.unique === undefined ? '' : 'OR IGNORE '}${this.#name} SET ${set.join(', ')} WHERE ${condition.sql}`,
      args: [
        ...values.flatMap(({ args }) => args),
        ...packed.map(([, value]) => JSON.stringify(value)),
        ...condition.args,
      ],
      ...(guard !== undefined && { guard }),
    }
  }

  delete(where: Conditions<Names<Entity> | Hidden>, guard?: string): Statement {
    const { sql, args } = this.#where(where)
    return {
      sql: `DELETE FROM ${this.#name} WHERE ${sql}`,
      args,
      ...(guard !== undefined && { guard }),
    }
  }
}

/** The fields that differ from `old`; a statement that sets only these keeps concurrent changes to others. */
export const changedFields = <Entity extends object>(entity: Partial<Entity>, old: Entity): Partial<Entity> =>
  Object.fromEntries(
    Object.entries(entity).filter(([name, value]) => !isSameJson(value, old[name as keyof Entity])),
  ) as Partial<Entity>

/**
 * Whether one of the columns contains the text, in any case; true for an empty text. LIKE with wildcards compares at each
 * character of the column, which takes a hundred times as long for repeated characters.
 */
export function containing(text: string | undefined, ...columns: string[]): Condition {
  if (!text) return { sql: 'true', args: [] }
  return {
    sql: `(${columns.map((column) => `instr(lower(${column}), lower(?)) > 0`).join(' OR ')})`,
    args: columns.map(() => text),
  }
}

const partOf = (value: Value | Fragment): Condition => (value instanceof Fragment ? value : { sql: '?', args: [value] })

const maxSelects = 100

/** `left_out`: a column that is no field of its own. */
interface Codec {
  field: string
  column: string
  encoding: 'plain' | 'json' | 'boolean' | 'packed' | 'left_out'
}

const asNumber = <Stored>(value: Stored): Value => (typeof value === 'boolean' ? Number(value) : (value as Value))

function decoded(encoding: Codec['encoding'], value: Value): unknown {
  if (encoding === 'boolean') return value === 1
  return encoding === 'json' && value !== null ? JSON.parse(value as string) : value
}

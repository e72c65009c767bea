import type { Host } from './host.ts'
import type { Condition, ReadOptions, Value } from './ports/sql.ts'

/** SQL with its arguments: a statement, a query or a part of one. */
export class Fragment implements Condition {
  readonly sql: string
  readonly args: readonly Value[]

  constructor(sql: string, args: readonly Value[] = []) {
    this.sql = sql
    this.args = args
  }
}

/**
 * SQL in which each value stands where it is used. A value becomes an argument; a condition, or the text of `raw`, becomes
 * part of the SQL.
 */
export function sql(parts: TemplateStringsArray, ...values: readonly (Value | Condition)[]): Fragment {
  const args: Value[] = []
  let text = textsOf(parts)
  for (const value of values) {
    if (value !== null && typeof value === 'object' && 'sql' in value) {
      args.push(...value.args)
      text = text.with(value.sql)
    } else {
      args.push(value as Value)
      text = text.with('?')
    }
  }
  return new Fragment(text.whole, args)
}

/**
 * The text of a template up to a value, and its continuations by what was inserted. The same string is used for each call, so
 * that the driver finds its prepared statement by a hash that the string has already.
 */
class Text {
  readonly whole: string
  readonly #parts: readonly string[]
  readonly #place: number
  readonly #next = new Map<string, Text>()

  constructor(parts: readonly string[], whole: string, place = 0) {
    this.#parts = parts
    this.whole = whole + parts[place]
    this.#place = place
  }

  with(inserted: string): Text {
    const known = this.#next.get(inserted)
    if (known) return known
    // What is inserted depends on filters and texts of callers.
    if (this.#next.size >= maxContinuations) this.#next.clear()
    const next = new Text(this.#parts, this.whole + inserted, this.#place + 1)
    this.#next.set(inserted, next)
    return next
  }
}

const maxContinuations = 50

const texts = new WeakMap<TemplateStringsArray, Text>()

function textsOf(parts: TemplateStringsArray): Text {
  const known = texts.get(parts)
  if (known) return known
  const first = new Text(parts, '')
  texts.set(parts, first)
  return first
}

/** Part of a statement that has no arguments, such as the name of a column. It must not come from outside. */
export const raw = (text: string) => new Fragment(text)

/** All conditions must be true. */
export const allOf = (conditions: readonly Condition[]) =>
  new Fragment(
    conditions.map((condition) => condition.sql).join(' AND ') || 'true',
    conditions.flatMap(({ args }) => args),
  )

type Reading = Pick<Host, 'sql'>

export const readRows = <Row extends object>({ sql: store }: Reading, query: Condition, options?: ReadOptions) =>
  store.read<Row>(query.sql, query.args, options)

/** The first row, or null. */
export async function readRow<Row extends object>(
  host: Reading,
  query: Condition,
  options?: ReadOptions,
): Promise<Row | null> {
  return (await readRows<Row>(host, query, options))[0] ?? null
}

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
  const inserted = values.map((value) => {
    if (value !== null && typeof value === 'object' && 'sql' in value) {
      args.push(...value.args)
      return value.sql
    }
    args.push(value as Value)
    return '?'
  })
  return new Fragment(String.raw({ raw: parts }, ...inserted), args)
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

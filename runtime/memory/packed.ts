import type { Sql, Value } from '../ports/sql.ts'

/** A query that may answer many small rows. */
export interface Packed<Row> {
  /** What each member of a row is read from. No blobs: JSON has none. */
  columns: Readonly<Record<keyof Row & string, string>>
  /** The rest of the statement, from its FROM on. The rows come in no order. */
  from: string
}

/**
 * The rows of a query, a JSON list per column: a driver takes about 4 µs to hand over a row, and this a fourth of it.
 * Reals come with 15 digits.
 */
export async function readPacked<Row extends object>(
  sql: Pick<Sql, 'read'>,
  { columns, from }: Packed<Row>,
  args: readonly Value[],
): Promise<Row[]> {
  const lists = Object.entries<string>(columns).map(
    ([name, value]) => `json_group_array(${value}) AS ${name}`,
  )
  const [packed] = await sql.read<Record<string, string>>(`SELECT ${lists.join(', ')} ${from}`, args)
  const read = Object.entries(packed ?? {}).map(
    ([name, list]) => [name, JSON.parse(list) as unknown[]] as const,
  )
  const count = read[0]?.[1].length ?? 0
  return Array.from({ length: count }, (_, row) => {
    const found: Record<string, unknown> = {}
    for (const [name, list] of read) found[name] = list[row]
    return found as Row
  })
}

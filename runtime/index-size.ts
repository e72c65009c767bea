import { sumOf } from './numbers.ts'
import type { ReadOptions } from './ports/sql.ts'
import type { Sql } from './table.ts'

/**
 * Tokens of a full-text index below which any query takes less than 100 milliseconds: the work of a query is at most
 * proportional to them.
 */
const fewTokens = 300_000

/** Seconds after which a query is interrupted. */
const maxSeconds = 5

/**
 * How to read from a full-text index: queries of a large one run outside the event loop, because one with common words
 * reads all of it. Such a read takes a few milliseconds longer, and should return one row.
 */
export async function readOptionsOf({ sql }: Sql, index: string): Promise<ReadOptions> {
  const [row] = await sql.read<{ block: Uint8Array }>(`SELECT block FROM ${index}_data WHERE id = 1`)
  const [, ...columns] = varints(row?.block ?? new Uint8Array())
  return { long: sumOf(columns) > fewTokens, max_seconds: maxSeconds }
}

/** FTS5 keeps the number of rows and of the tokens of each column as SQLite's variable-length integers. */
function varints(bytes: Uint8Array): number[] {
  const numbers: number[] = []
  let number = 0
  for (const byte of bytes) {
    number = number * 128 + (byte & 127)
    if (byte >= 128) continue
    numbers.push(number)
    number = 0
  }
  return numbers
}

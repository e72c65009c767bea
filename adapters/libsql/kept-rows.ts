import type { Statement, Value } from '../../runtime/ports/sql.ts'

/** Reads of one table; with more, its rows are forgotten. */
const maxReads = 100
/** Rows of one read. */
const maxRows = 50

/** What was read of tables that change rarely, until a statement names the table. */
export class KeptRows {
  readonly #tables = new Map<string, Map<string, readonly object[]>>()

  find(table: string, sql: string, args: readonly Value[]): object[] | undefined {
    return this.#tables.get(table)?.get(keyOf(sql, args))?.map(copyOf)
  }

  keep<Row>(table: string, sql: string, args: readonly Value[], rows: Row[]): Row[] {
    if (rows.length > maxRows) return rows
    const reads = this.#tables.get(table) ?? new Map<string, readonly object[]>()
    this.#tables.set(table, reads)
    if (reads.size >= maxReads) reads.clear()
    reads.set(keyOf(sql, args), (rows as object[]).map(copyOf))
    return rows
  }

  forget(statements: readonly Statement[]): void {
    if (this.#tables.size === 0) return
    for (const table of this.#tables.keys())
      if (statements.some(({ sql }) => sql.includes(table))) this.#tables.delete(table)
  }
}

const keyOf = (sql: string, args: readonly Value[]): string => (args.length === 0 ? sql : sql + JSON.stringify(args))

const copyOf = (row: object): object => ({ ...row })

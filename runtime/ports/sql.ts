/** What SQLite stores. JavaScript numbers must be safe integers or finite reals; booleans are 0 and 1. */
export type Value = string | number | null | Uint8Array

export interface Statement {
  sql: string
  args?: readonly Value[]
  /**
   * When set, the statement must change at least one row; otherwise the whole batch is rolled back and
   * `write` rejects with `GuardFailed` carrying this text. It is how one of two racing writers wins.
   */
  guard?: string
}

/** Part of a WHERE clause with its arguments, for a statement of another table's owner. */
export interface Condition {
  sql: string
  args: readonly Value[]
}

export interface Written {
  /** Rows of a `RETURNING` clause, else empty. */
  rows: Record<string, Value>[]
  /** Rows inserted, updated or deleted. */
  changes: number
}

export interface WriteOptions {
  /**
   * False where the rows are worth nothing without what is written after them, such as a reservation: they outlive the
   * process at once, but a power failure only together with the next durable batch. Writes never change places, so no
   * later row survives an earlier one. Default true. A store may always be durable.
   */
  durable?: boolean
  /**
   * True where the statements take long. A store that can runs them beside the event loop: reads go on and see nothing
   * of them until all are stored, other writes wait. Always durable.
   */
  long?: boolean
}

/** A guarded statement changed nothing: somebody else was first, or the row has moved on. */
export class GuardFailed extends Error {
  override name = 'GuardFailed'
}

/** The store is out of space or cannot be written; reads may still work. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** The disk failed while it took a commit: it can be seen, but nobody knows what a power failure would leave of it. */
export class StoreUncertain extends StoreUnavailable {
  override name = 'StoreUncertain'
}

/** One SQLite database with FTS5. Every implementation passes `test/contracts/sql.ts`. */
export interface Sql {
  /** Every row of one reading statement. */
  read<Row = Record<string, Value>>(sql: string, args?: readonly Value[]): Promise<Row[]>
  /**
   * All statements in one transaction, in order, durable when the promise resolves.
   * Rejects with `GuardFailed` or `StoreUnavailable`; then nothing of the batch is stored, unless it is `StoreUncertain`.
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<Written[]>
  /** Bytes of the database and of its write-ahead log; zero where the host cannot tell. */
  size(): Promise<{ bytes: number; wal_bytes: number }>
  /**
   * Leaves nothing of deleted rows in the file and gives their room back, where the host can; it takes as long as
   * copying what is left. Rejects with `StoreUnavailable` when there is no room for that.
   */
  compact(): Promise<void>
  close(): Promise<void>
}

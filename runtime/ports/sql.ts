/** What SQLite stores. JavaScript numbers must be safe integers or finite reals; booleans are 0 and 1. */
export type Value = string | number | null | Uint8Array

export interface Statement {
  sql: string
  args?: readonly Value[]
  /**
   * If set, the statement must change at least one row; otherwise the whole batch is rolled back and
   * `write` rejects with `GuardFailed` and this text. Decides which of two racing writers wins.
   */
  guard?: string
  /** Whether it queues work: `commit` then requests a tick. */
  wakes?: true
}

/** Part of a WHERE clause with its arguments, for embedding in a statement of the table's owner. */
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
   * False for rows that matter only together with later writes, such as reservations. They survive a crash of the
   * process, but survive a power failure only once a later durable batch is written. Write order is preserved.
   * Default true. A store may make every write durable.
   */
  durable?: boolean
  /**
   * True for slow statements. If the store supports it, they run outside the event loop: reads continue and see the
   * previous state, other writes wait. Always durable.
   */
  long?: boolean
}

export interface ReadOptions {
  /** True for slow statements: if the store supports it, they run outside the event loop. */
  long?: boolean
  /** After this time a long statement is interrupted, if the store supports it, and rejects with `ReadTooLong`. */
  max_seconds?: number
  /**
   * Name of the only table that the statement reads, if it changes rarely and no foreign key or trigger changes it. A store
   * that is its only writer may answer from memory.
   */
  kept?: string
}

/** A statement was interrupted because it took too long. */
export class ReadTooLong extends Error {
  override name = 'ReadTooLong'
}

/** A guarded statement changed no row: another writer was first, or the row has changed since. */
export class GuardFailed extends Error {
  override name = 'GuardFailed'
}

/** The store is out of space or cannot be written; reads may still work. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable'
}

/** A database on another machine cannot be reached. */
export class StoreUnreachable extends StoreUnavailable {
  override name = 'StoreUnreachable'
}

/**
 * The disk failed during a commit, and the rows are visible but may not survive a power failure; or the answer of a
 * database server was lost.
 */
export class StoreUncertain extends StoreUnavailable {
  override name = 'StoreUncertain'
}

/** The database file or its folder was removed or replaced while it was open; nothing is written any more. */
export class StoreRemoved extends StoreUnavailable {
  override name = 'StoreRemoved'
}

/** One SQLite database with FTS5. Every implementation passes `test/contracts/sql.ts`. */
export interface Sql {
  /** Runs one read-only statement and returns all rows. */
  read<Row = Record<string, Value>>(sql: string, args?: readonly Value[], options?: ReadOptions): Promise<Row[]>
  /**
   * Runs all statements in order in one transaction, which is durable when the promise resolves.
   * Rejects with `GuardFailed` or `StoreUnavailable`; nothing is stored then, except possibly with `StoreUncertain`.
   */
  write(statements: readonly Statement[], options?: WriteOptions): Promise<Written[]>
  /** Bytes of the database and of its write-ahead log; zero if unknown. */
  size(): Promise<{ bytes: number; wal_bytes: number }>
  /**
   * Erases deleted rows from the file and returns their space to the system, if the host supports it. Takes as long as
   * copying the remaining data. Rejects with `StoreUnavailable` if there is not enough space for the copy.
   */
  compact(): Promise<void>
  /**
   * Returns the space of deleted rows to the system in small steps, between which other writes run, until nothing is
   * left or `signal` aborts. If the file cannot shrink in steps, it is rewritten, but only if it is small enough to delay
   * writes for a few seconds at most, much of it is free, and the disk has room. Does nothing if the host manages the file.
   */
  shrink(signal: AbortSignal): Promise<void>
  close(): Promise<void>
}

import type Database from 'libsql'
import {
  GuardFailed,
  type ReadOptions,
  type Sql,
  type Statement,
  StoreUnavailable,
  type Value,
  type WriteOptions,
  type Written,
} from '../../runtime/ports/sql.ts'
import type { BackgroundConnection } from './background-connection.ts'
import { bind, columnsOf, toRow, translate } from './database.ts'
import { KeptRows } from './kept-rows.ts'
import type { FileWatch } from './watch.ts'
import { type Flusher, LogCopier } from './write-ahead-log.ts'

interface Job {
  kind: 'job'
  statements: readonly Statement[]
  durable: boolean
  resolve(written: Written[]): void
  reject(cause: unknown): void
}

/** Runs in the background when its turn comes; later jobs wait. */
interface BackgroundJob {
  kind: 'background'
  run(): Promise<void>
}

/** The means to keep slow work off the event loop, and the files that must still exist before each write. */
interface Background {
  connection: BackgroundConnection
  flusher: Flusher
  /** Whether the disk has room for a copy of so many bytes. */
  hasRoom(bytes: number): boolean
  watch?: FileWatch
}

/** Concurrent writers share one transaction and so one fsync; more than this would delay readers. */
const maxPerTransaction = 64
/**
 * Milliseconds after which the remaining writers wait for the next transaction, so that readers get a turn.
 */
const maxTransactionTime = 8

/** Pages that one step returns to the system, while which writers wait: about 30 ms. */
const shrinkPages = 1_000

/** A file that cannot shrink in steps is rewritten only below this size of its contents, because writers wait. */
const maxRewrite = 256 * 1024 * 1024
/** The least fraction of free pages that is worth it, and the least size. */
const worthRewrite = { fraction: 0.25, bytes: 16 * 1024 * 1024 }

/**
 * The `Sql` port over one connection to a local file. It uses the driver of the client directly, whose
 * prepared statements can be reused.
 */
export class LocalSql implements Sql {
  readonly #db: Database.Database
  readonly #sizes: Sql['size']
  readonly #statements: Statements
  readonly #background: Background | null
  readonly #copier: LogCopier | null
  #queue: (Job | BackgroundJob)[] = []
  #scheduled = false
  /** The background job that is running. */
  #running: Promise<void> | undefined
  #closing = false
  #closed = false
  /** The reads that run in the background. */
  readonly #reading = new Set<Promise<void>>()
  readonly #stretch = new Stretch()
  readonly #kept = new KeptRows()

  /** @param background without it everything blocks the event loop, flushing the log too */
  constructor(db: Database.Database, sizes: Sql['size'], background: Background | null = null) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#sizes = sizes
    this.#background = background
    this.#copier = background && new LogCopier(background.connection, (work) => this.#exclusively(work))
    if (background) db.exec('PRAGMA synchronous = NORMAL')
  }

  async read<Row>(
    sql: string,
    args: readonly Value[] = [],
    { long = false, max_seconds, kept }: ReadOptions = {},
  ): Promise<Row[]> {
    const connection = this.#background?.connection
    if (long && connection && !this.#closing) return this.#readInBackground(connection.read({ sql, args }, max_seconds))
    const keptRows = kept === undefined || this.#closed ? undefined : this.#kept.find(kept, sql, args)
    if (keptRows) return keptRows as Row[]
    if (this.#stretch.isLong()) await this.#stretch.pause()
    if (this.#closed) throw closed()
    try {
      const rows = this.#statements.rows(sql, args) as Row[]
      return kept === undefined ? rows : this.#kept.keep(kept, sql, args, rows)
    } catch (thrown) {
      throw translate(thrown)
    }
  }

  async #readInBackground<Row>(reading: Promise<unknown[]>): Promise<Row[]> {
    const settled = reading.then(
      () => undefined,
      () => undefined,
    )
    this.#reading.add(settled)
    try {
      return (await reading) as Row[]
    } catch (thrown) {
      throw translate(thrown)
    } finally {
      this.#reading.delete(settled)
    }
  }

  write(statements: readonly Statement[], { durable = true, long = false }: WriteOptions = {}): Promise<Written[]> {
    const connection = this.#background?.connection
    if (long && connection)
      return this.#exclusively(() => connection.transact(statements).finally(() => this.#kept.forget(statements)))
    return new Promise((resolve, reject) => {
      this.#push({ kind: 'job', statements, durable, resolve, reject })
    })
  }

  size() {
    return this.#sizes()
  }

  compact(): Promise<void> {
    return this.#exclusively(async () => {
      this.#statements.clear()
      if (!this.#background) this.#db.exec('VACUUM')
      await this.#background?.connection.vacuum()
      await this.#background?.connection.copyLog('TRUNCATE').catch(() => undefined)
    })
  }

  async shrink(signal: AbortSignal): Promise<void> {
    const connection = this.#background?.connection
    if (!connection) return
    const { auto_vacuum, bytes, free } = this.#pages()
    if (auto_vacuum !== incremental) {
      const isWorthIt = free > bytes * worthRewrite.fraction && free > worthRewrite.bytes
      const isSmall = bytes - free < maxRewrite
      if (isWorthIt && isSmall && this.#background?.hasRoom(bytes - free)) await this.compact()
      return
    }
    while (this.#pages().free > 0 && !signal.aborted) await this.#exclusively(() => connection.shrink(shrinkPages))
    // A file ends where its last copied page ends.
    await this.#exclusively(() => connection.copyLog('TRUNCATE')).catch(() => undefined)
  }

  #pages(): { auto_vacuum: number; bytes: number; free: number } {
    const [row] = this.#statements.rows(
      `SELECT auto_vacuum, page_count * page_size AS bytes, freelist_count * page_size AS free
        FROM pragma_page_count CROSS JOIN pragma_freelist_count CROSS JOIN pragma_page_size CROSS JOIN pragma_auto_vacuum`,
    )
    return row as { auto_vacuum: number; bytes: number; free: number }
  }

  async close(): Promise<void> {
    this.#closing = true
    while (this.#queue.length > 0 || this.#running) {
      await this.#running
      this.#drain()
    }
    await Promise.all(this.#reading)
    await this.#copier?.settled()
    await this.#background?.flusher.close()
    await this.#background?.connection.close()
    this.#statements.clear()
    this.#copyLog()
    this.#closed = true
    this.#db.close()
  }

  /** The driver keeps the file open until its statements are collected, so closing would not copy the log. */
  #copyLog(): void {
    try {
      this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([])
    } catch {
      // A full disk or another reader: the next start copies it.
    }
  }

  /** Runs in the background when its turn comes, without any writer. */
  #exclusively<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const watched = () => {
        this.#background?.watch?.check()
        return work()
      }
      const run = () => Promise.try(watched).then(resolve, (thrown: unknown) => reject(translate(thrown)))
      this.#push({ kind: 'background', run })
    })
  }

  /** Refused once closing has started: the driver aborts the process if it is used after it was closed. */
  #push(next: Job | BackgroundJob): void {
    if (this.#closing) throw closed()
    this.#queue.push(next)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#running || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#drain()
    })
  }

  #drain(): void {
    const [first] = this.#queue
    if (!first || this.#running) return
    if (first.kind === 'background') this.#runInBackground(first)
    else this.#transactSome(this.#takeJobs())
    this.#schedule()
  }

  #runInBackground({ run }: BackgroundJob): void {
    this.#queue.shift()
    this.#running = run().finally(() => {
      this.#running = undefined
      this.#schedule()
    })
  }

  #takeJobs(): Job[] {
    const next = this.#queue.findIndex(({ kind }) => kind === 'background')
    const count = Math.min(maxPerTransaction, next < 0 ? Infinity : next)
    return this.#queue.splice(0, count) as Job[]
  }

  #transactSome(jobs: Job[]): void {
    const started = performance.now()
    if (this.#background || jobs.some(({ durable }) => durable)) this.#transact(jobs)
    else this.#withoutSync(() => this.#transact(jobs))
    this.#copier?.wrote(performance.now() - started)
  }

  /** The log is written but not flushed: the next durable commit flushes all of it. */
  #withoutSync(run: () => void): void {
    this.#db.exec('PRAGMA synchronous = NORMAL')
    try {
      run()
    } finally {
      this.#db.exec('PRAGMA synchronous = FULL')
    }
  }

  /** Each job succeeds or fails on its own, in a savepoint; all are acknowledged after the one commit. */
  #transact(jobs: Job[]): void {
    const acknowledge: (() => void)[] = []
    const alone = jobs.length === 1
    const started = performance.now()
    try {
      this.#background?.watch?.check()
      this.#db.exec('BEGIN IMMEDIATE')
      for (const job of jobs) {
        if (acknowledge.length > 0 && performance.now() - started > maxTransactionTime) break
        acknowledge.push(alone ? this.#run(job) : this.#runInSavepoint(job))
      }
      this.#queue.unshift(...jobs.splice(acknowledge.length))
      this.#db.exec('COMMIT')
    } catch (thrown) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      for (const job of jobs) job.reject(translate(thrown))
      return
    }
    this.#whenDurable(jobs, () => {
      for (const resolve of acknowledge) resolve()
    })
  }

  /** A commit is acknowledged once it is on the disk; later commits do not wait for that. */
  #whenDurable(jobs: readonly Job[], acknowledge: () => void): void {
    const flusher = jobs.some(({ durable }) => durable) ? this.#background?.flusher : undefined
    const flushed = flusher ? flusher.flush() : null
    if (!flushed) acknowledge()
    flushed?.then(acknowledge, (thrown: unknown) => {
      for (const job of jobs) job.reject(thrown)
    })
  }

  #run(job: Job): () => void {
    this.#kept.forget(job.statements)
    const written = job.statements.map((statement) => this.#statements.execute(statement))
    return () => job.resolve(written)
  }

  #runInSavepoint(job: Job): () => void {
    this.#db.exec('SAVEPOINT job')
    try {
      const acknowledge = this.#run(job)
      this.#db.exec('RELEASE job')
      return acknowledge
    } catch (thrown) {
      // Some failures, such as a full disk, end the whole transaction: then every job of it has failed.
      if (!this.#db.inTransaction) throw thrown
      this.#db.exec('ROLLBACK TO job')
      this.#db.exec('RELEASE job')
      return () => job.reject(translate(thrown))
    }
  }
}

/** The value of the pragma `auto_vacuum` of a file that can shrink in steps. */
const incremental = 2

const closed = () => new StoreUnavailable('The database has been closed')

/** Maximum milliseconds of consecutive reads, so that the event loop is never blocked for more than 50. */
const maxStretch = 10

/**
 * The time since the event loop last ran other tasks. Reads resolve without yielding to it, so many reads would
 * run in one long block: after some milliseconds, the next reader yields.
 */
class Stretch {
  #begun: number | null = null
  readonly #waiting: (() => void)[] = []
  #scheduled: NodeJS.Immediate | undefined

  isLong(): boolean {
    if (this.#begun !== null) return performance.now() - this.#begun > maxStretch
    this.#begin()
    return false
  }

  pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
      this.#schedule()
    })
  }

  #schedule(): void {
    this.#scheduled ??= setImmediate(() => void this.#next())
  }

  /** Lets readers continue, the first to wait first, until this stretch is long as well. */
  async #next(): Promise<void> {
    this.#begin()
    do {
      this.#waiting.shift()?.()
      // The reader continues in a microtask.
      await null
      await null
    } while (this.#waiting.length > 0 && !this.isLong())
    this.#scheduled = undefined
    if (this.#waiting.length > 0) this.#schedule()
  }

  #begin(): void {
    this.#begun = performance.now()
    setImmediate(() => (this.#begun = null))
  }
}

interface Prepared {
  statement: ReturnType<Database.Database['prepare']>
  /** Of a statement that returns rows; cached, because the driver looks them up each time. */
  columns: readonly string[] | null
}

const maxCached = 500

/** After these, a prepared statement may have other columns. */
const changesSchema = /^\s*(?:CREATE|ALTER|DROP)\b/i

/** Caches the prepared statements of a connection, which makes reads about three times as fast. */
class Statements {
  readonly #db: Database.Database
  readonly #kept = new Map<string, Prepared>()

  constructor(db: Database.Database) {
    this.#db = db
  }

  rows(sql: string, args: readonly Value[] = []): unknown[] {
    return rowsOf(this.#prepare(sql), args)
  }

  execute({ sql, args, guard }: Statement): Written {
    const prepared = this.#prepare(sql)
    const written = prepared.columns ? returned(prepared, args) : changed(prepared, args)
    if (guard !== undefined && written.changes === 0) throw new GuardFailed(guard)
    return written
  }

  clear(): void {
    this.#kept.clear()
  }

  #prepare(sql: string): Prepared {
    const cached = this.#kept.get(sql)
    if (cached) return cached
    if (this.#kept.size >= maxCached || changesSchema.test(sql)) this.#kept.clear()
    const statement = this.#db.prepare(sql)
    const prepared = { statement, columns: statement.reader ? columnsOf(statement.raw(true)) : null }
    this.#kept.set(sql, prepared)
    return prepared
  }
}

function returned(prepared: Prepared, args: readonly Value[] = []): Written {
  const rows = rowsOf(prepared, args) as Written['rows']
  return { rows, changes: rows.length }
}

const changed = (prepared: Prepared, args: readonly Value[] = []): Written => ({
  rows: [],
  changes: prepared.statement.run(args.map(bind)).changes,
})

const rowsOf = ({ statement, columns }: Prepared, args: readonly Value[]): unknown[] =>
  (statement.all(args.map(bind)) as unknown[][]).map((values) => toRow(columns ?? [], values))

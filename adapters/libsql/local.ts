import type Database from 'libsql'
import {
  GuardFailed,
  type Sql,
  type Statement,
  StoreUnavailable,
  type Value,
  type WriteOptions,
  type Written,
} from '../../runtime/ports/sql.ts'

type Driver = ReturnType<Database.Database['prepare']>

interface Prepared {
  statement: Driver
  /** Asked once, because the driver looks it up. */
  returns: boolean
}

interface Job {
  statements: readonly Statement[]
  durable: boolean
  resolve(written: Written[]): void
  reject(cause: unknown): void
}

/** Writers that arrive together share one transaction and so one fsync; more than this would hold up the readers. */
const mostPerTransaction = 64
const cachedStatements = 500

/**
 * The `Sql` port over one connection to a local file. The driver below the client is used directly, because its
 * prepared statements can be kept: reads are about three times as fast.
 */
export class LocalSql implements Sql {
  readonly #db: Database.Database
  readonly #sizes: () => Promise<{ bytes: number; wal_bytes: number }>
  readonly #prepared = new Map<string, Prepared>()
  #queue: Job[] = []
  #scheduled = false

  constructor(db: Database.Database, sizes: () => Promise<{ bytes: number; wal_bytes: number }>) {
    this.#db = db
    this.#sizes = sizes
  }

  async read<Row>(sql: string, args: readonly Value[] = []): Promise<Row[]> {
    try {
      return rowsOf(this.#prepare(sql), args) as Row[]
    } catch (thrown) {
      throw translate(thrown)
    }
  }

  write(statements: readonly Statement[], { durable = true }: WriteOptions = {}): Promise<Written[]> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ statements, durable, resolve, reject })
      if (this.#scheduled) return
      this.#scheduled = true
      setImmediate(() => this.#drain())
    })
  }

  size() {
    return this.#sizes()
  }

  async compact(): Promise<void> {
    while (this.#queue.length > 0) this.#drain()
    this.#prepared.clear()
    try {
      this.#db.exec('VACUUM')
    } catch (thrown) {
      throw translate(thrown)
    }
    this.#copyLog()
  }

  async close(): Promise<void> {
    while (this.#queue.length > 0) this.#drain()
    this.#prepared.clear()
    this.#copyLog()
    this.#db.close()
  }

  /** The driver keeps the file open for as long as a statement has not been collected, so closing would not copy it. */
  #copyLog(): void {
    try {
      this.#db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').all([])
    } catch {
      // a full disk or another reader: the next start copies it
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql)
    if (known) return known
    if (this.#prepared.size >= cachedStatements) this.#prepared.clear()
    const statement = this.#db.prepare(sql)
    const prepared = { statement, returns: statement.reader }
    this.#prepared.set(sql, prepared)
    return prepared
  }

  #drain(): void {
    const jobs = this.#queue.splice(0, mostPerTransaction)
    this.#scheduled = this.#queue.length > 0
    if (this.#scheduled) setImmediate(() => this.#drain())
    if (jobs.length === 0) return
    if (jobs.some(({ durable }) => durable)) this.#transact(jobs)
    else this.#withoutSync(() => this.#transact(jobs))
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

  /** Each of several jobs stands or falls alone, in its savepoint; all are acknowledged after the one commit. */
  #transact(jobs: Job[]): void {
    const acknowledge: (() => void)[] = []
    const alone = jobs.length === 1
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      for (const job of jobs) acknowledge.push(alone ? this.#run(job) : this.#runApart(job))
      this.#db.exec('COMMIT')
    } catch (thrown) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK')
      for (const job of jobs) job.reject(translate(thrown))
      return
    }
    for (const tell of acknowledge) tell()
  }

  #run(job: Job): () => void {
    const written = job.statements.map((statement) => this.#execute(statement))
    return () => job.resolve(written)
  }

  #runApart(job: Job): () => void {
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

  #execute(statement: Statement): Written {
    const prepared = this.#prepare(statement.sql)
    const written = prepared.returns ? returned(prepared, statement.args) : changed(prepared, statement.args)
    if (statement.guard !== undefined && written.changes === 0) throw new GuardFailed(statement.guard)
    return written
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

function rowsOf(prepared: Prepared, args: readonly Value[]): unknown[] {
  const rows = prepared.statement.all(args.map(bind)) as Record<string, unknown>[]
  return rows.some(hasBytes) ? rows.map(withBytes) : rows
}

function hasBytes(row: Record<string, unknown>): boolean {
  for (const name in row) if (row[name] instanceof ArrayBuffer) return true
  return false
}

const withBytes = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      value instanceof ArrayBuffer ? new Uint8Array(value) : value,
    ]),
  )

/** The driver binds numbers as REAL; integers are meant as integers. */
const bind = (value: Value) => (typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value)

const unavailableCodes = /^SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/

function translate(thrown: unknown): unknown {
  const code = (thrown as { code?: unknown } | null)?.code
  if (typeof code !== 'string' || !unavailableCodes.test(code)) return thrown
  return new StoreUnavailable((thrown as Error).message, { cause: thrown })
}

import type Database from 'libsql'
import {
  type Sql,
  type Statement,
  StoreUnavailable,
  type Value,
  type WriteOptions,
  type Written,
} from '../../runtime/ports/sql.ts'
import type { Aside } from './aside.ts'
import { translate } from './driver.ts'
import type { Flusher } from './flusher.ts'
import { LogCopier } from './log-copier.ts'
import { Statements } from './statements.ts'

interface Job {
  kind: 'job'
  statements: readonly Statement[]
  durable: boolean
  resolve(written: Written[]): void
  reject(cause: unknown): void
}

/** Runs beside the event loop in its turn; what stands behind it waits. */
interface Apart {
  kind: 'apart'
  run(): Promise<void>
}

/** What keeps long work from the event loop. */
export interface Beside {
  aside: Aside
  flusher: Flusher
}

/** Writers that arrive together share one transaction and so one fsync; more than this would hold up the readers. */
const mostPerTransaction = 64
/** Milliseconds of one transaction, past which those that are left take the next: others get their turn in between. */
const longestTransaction = 8

/**
 * The `Sql` port over one connection to a local file. The driver below the client is used directly, because its
 * prepared statements can be kept.
 */
export class LocalSql implements Sql {
  readonly #db: Database.Database
  readonly #sizes: Sql['size']
  readonly #statements: Statements
  readonly #beside: Beside | null
  readonly #copier: LogCopier | null
  #queue: (Job | Apart)[] = []
  #scheduled = false
  /** While something runs apart. */
  #held: Promise<void> | undefined
  #closing = false

  /** @param beside without it everything holds up the event loop, the flushing of the log too */
  constructor(db: Database.Database, sizes: Sql['size'], beside: Beside | null = null) {
    this.#db = db
    this.#statements = new Statements(db)
    this.#sizes = sizes
    this.#beside = beside
    this.#copier = beside && new LogCopier(beside.aside, (work) => this.#apart(work))
    if (beside) db.exec('PRAGMA synchronous = NORMAL')
  }

  async read<Row>(sql: string, args: readonly Value[] = []): Promise<Row[]> {
    try {
      return this.#statements.rows(sql, args) as Row[]
    } catch (thrown) {
      throw translate(thrown)
    }
  }

  write(
    statements: readonly Statement[],
    { durable = true, long = false }: WriteOptions = {},
  ): Promise<Written[]> {
    const aside = this.#beside?.aside
    if (long && aside) return this.#apart(() => aside.transact(statements))
    return new Promise((resolve, reject) => {
      this.#push({ kind: 'job', statements, durable, resolve, reject })
    })
  }

  size() {
    return this.#sizes()
  }

  compact(): Promise<void> {
    return this.#apart(async () => {
      this.#statements.clear()
      if (!this.#beside) this.#db.exec('VACUUM')
      await this.#beside?.aside.vacuum()
      await this.#beside?.aside.copyLog('TRUNCATE').catch(() => undefined)
    })
  }

  async close(): Promise<void> {
    this.#closing = true
    while (this.#queue.length > 0 || this.#held) {
      await this.#held
      this.#drain()
    }
    await this.#copier?.settled()
    await this.#beside?.flusher.close()
    await this.#beside?.aside.close()
    this.#statements.clear()
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

  /** In its turn, beside the event loop. */
  #apart<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      const run = () => work().then(resolve, (thrown: unknown) => reject(translate(thrown)))
      this.#push({ kind: 'apart', run })
    })
  }

  /** What comes after the end has begun is refused: the driver ends the process where it is asked once it is closed. */
  #push(next: Job | Apart): void {
    if (this.#closing) throw new StoreUnavailable('The database has been closed')
    this.#queue.push(next)
    this.#schedule()
  }

  #schedule(): void {
    if (this.#scheduled || this.#held || this.#queue.length === 0) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      this.#drain()
    })
  }

  #drain(): void {
    const [first] = this.#queue
    if (!first || this.#held) return
    if (first.kind === 'apart') this.#hold(first)
    else this.#transactSome(this.#takeJobs())
    this.#schedule()
  }

  #hold({ run }: Apart): void {
    this.#queue.shift()
    this.#held = run().finally(() => {
      this.#held = undefined
      this.#schedule()
    })
  }

  #takeJobs(): Job[] {
    const apart = this.#queue.findIndex(({ kind }) => kind === 'apart')
    const most = Math.min(mostPerTransaction, apart < 0 ? Infinity : apart)
    return this.#queue.splice(0, most) as Job[]
  }

  #transactSome(jobs: Job[]): void {
    const begun = performance.now()
    if (this.#beside || jobs.some(({ durable }) => durable)) this.#transact(jobs)
    else this.#withoutSync(() => this.#transact(jobs))
    this.#copier?.wrote(performance.now() - begun)
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
    const begun = performance.now()
    try {
      this.#db.exec('BEGIN IMMEDIATE')
      for (const job of jobs) {
        if (acknowledge.length > 0 && performance.now() - begun > longestTransaction) break
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
      for (const tell of acknowledge) tell()
    })
  }

  /** Nobody is told of a commit before it is on the disk; the next ones need not wait for that. */
  #whenDurable(jobs: readonly Job[], tell: () => void): void {
    const flusher = jobs.some(({ durable }) => durable) ? this.#beside?.flusher : undefined
    const flushed = flusher ? flusher.flush() : null
    if (!flushed) tell()
    flushed?.then(tell, (thrown: unknown) => {
      for (const job of jobs) job.reject(thrown)
    })
  }

  #run(job: Job): () => void {
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

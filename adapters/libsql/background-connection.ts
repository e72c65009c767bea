import type Database from 'libsql'
import Async from 'libsql/promise'
import { GuardFailed, ReadTooLong, type Statement, type Value, type Written } from '../../runtime/ports/sql.ts'
import { bind, columnsOf, shrinkable, toRow } from './database.ts'

/** The driver's own types leave this out. */
type Connection = Async & { readonly inTransaction: boolean }

/**
 * Connections whose statements run on threads of the driver, so that slow statements do not delay readers.
 * Only one connection may write at a time: the caller keeps the other one from writing.
 */
export class BackgroundConnection {
  readonly #path: string
  readonly #options: Database.Options
  #opening: Promise<Connection> | undefined

  constructor(path: string, options: Database.Options) {
    this.#path = path
    this.#options = options
  }

  /** Runs all statements in one transaction, as `Sql.write` requires. */
  async transact(statements: readonly Statement[]): Promise<Written[]> {
    const db = await this.#begin()
    // Garbage collection of a statement blocks the event loop until the running one ends, so all are kept
    // until then.
    const kept: object[] = []
    try {
      await db.exec('BEGIN IMMEDIATE')
      const written: Written[] = []
      for (const statement of statements) written.push(await execute(db, statement, kept))
      await db.exec('COMMIT')
      return written
    } catch (thrown) {
      if (db.inTransaction) await db.exec('ROLLBACK')
      throw thrown
    } finally {
      db.close()
      kept.length = 0
    }
  }

  /** Runs one read-only statement, and interrupts it after `max_seconds`. */
  async read(statement: Statement, max_seconds?: number): Promise<Record<string, Value>[]> {
    const db = await this.#begin()
    const kept: object[] = []
    const timer = max_seconds === undefined ? undefined : setTimeout(() => db.interrupt(), max_seconds * 1_000)
    try {
      return (await query(db, statement, kept)).rows
    } catch (thrown) {
      if ((thrown as { code?: unknown }).code !== 'SQLITE_INTERRUPT') throw thrown
      throw new ReadTooLong(`The statement took more than ${max_seconds} s`, { cause: thrown })
    } finally {
      clearTimeout(timer)
      db.close()
      kept.length = 0
    }
  }

  /** Rewrites the file; from then on it can shrink in steps. */
  async vacuum(): Promise<void> {
    const db = await this.#open()
    await db.exec(shrinkable)
    await db.exec('VACUUM')
  }

  /** Returns up to `pages` free pages to the system. */
  async shrink(pages: number): Promise<void> {
    const db = await this.#open()
    await db.exec(`PRAGMA incremental_vacuum(${pages})`)
  }

  /** Copies the log to the database file as far as readers allow. */
  async copyLog(mode: 'PASSIVE' | 'TRUNCATE'): Promise<void> {
    const db = await this.#open()
    await db.exec(`PRAGMA wal_checkpoint(${mode})`)
  }

  /** Copies and restarts the log; rejects if a reader uses it. */
  async emptyLog(): Promise<void> {
    const db = await this.#open()
    const { rows } = await query(db, { sql: 'PRAGMA wal_checkpoint(TRUNCATE)' }, [])
    if (Number(rows[0]?.busy) !== 0) throw new Error('The log is in use')
  }

  async close(): Promise<void> {
    const db = await this.#opening?.catch(() => undefined)
    this.#opening = undefined
    db?.close()
  }

  #open(): Promise<Connection> {
    this.#opening ??= this.#begin().catch((thrown: unknown) => {
      this.#opening = undefined
      throw thrown
    })
    return this.#opening
  }

  async #begin(): Promise<Connection> {
    const db = new Async(this.#path, this.#options) as Connection
    await db.exec('PRAGMA foreign_keys = ON')
    await db.exec('PRAGMA synchronous = FULL')
    return db
  }
}

async function execute(db: Connection, { sql, args = [], guard }: Statement, kept: object[]): Promise<Written> {
  const { rows, returns } = await query(db, { sql, args }, kept)
  const changes = returns ? rows.length : await changesOf(db, kept)
  if (guard !== undefined && changes === 0) throw new GuardFailed(guard)
  return { rows, changes }
}

async function changesOf(db: Connection, kept: object[]): Promise<number> {
  const { rows } = await query(db, { sql: 'SELECT changes() AS changes' }, kept)
  return Number(rows[0]?.changes)
}

async function query(db: Connection, { sql, args = [] }: Statement, kept: object[]) {
  const statement = await db.prepare(sql)
  const returns = statement.reader === true
  const columns = returns ? columnsOf(statement.raw(true)) : []
  const values = await statement.iterate(args.map(bind))
  kept.push(statement, values)
  const rows = [...values].map((row) => toRow<Record<string, Value>>(columns, row))
  return { rows, returns }
}

import { close, fdatasync, fsync, open } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { StoreUncertain } from '../../runtime/ports/sql.ts'
import type { BackgroundConnection } from './background-connection.ts'

const [openFile, sync, closeFile] = [promisify(open), promisify(fdatasync), promisify(close)]
const syncAll = promisify(fsync)

/**
 * Flushes the write-ahead log in the background, so that the event loop does not block while the disk writes. Calls
 * during a flush share the next one. SQLite holds no lock on this file, so a second descriptor is safe.
 */
export class Flusher {
  readonly #path: string
  #file: Promise<number> | undefined
  #running: Promise<void> | undefined
  #next: Promise<void> | undefined
  readonly #emptyLog: () => Promise<void>
  #failed = false

  /**
   * @param path of the log; it exists from the first write until the last connection closes
   * @param emptyLog copies all of the log to the database file, on the disk, and restarts the log. After a failed flush
   *   nothing else helps: the system drops the pages that the disk did not accept, and anything after them in the log
   *   would be lost too.
   */
  constructor(path: string, emptyLog: () => Promise<void>) {
    this.#path = path
    this.#emptyLog = emptyLog
  }

  /** Resolves when everything that was written to the log before the call is on the disk. */
  flush(): Promise<void> {
    if (!this.#running) return this.#start()
    this.#next ??= this.#running
      .catch(() => undefined)
      .then(() => {
        this.#next = undefined
        return this.#start()
      })
    return this.#next
  }

  async close(): Promise<void> {
    await (this.#next ?? this.#running)?.catch(() => undefined)
    const file = await this.#file?.catch(() => undefined)
    this.#file = undefined
    if (file !== undefined) await closeFile(file)
  }

  #start(): Promise<void> {
    const running = this.#sync().finally(() => {
      if (this.#running === running) this.#running = undefined
    })
    this.#running = running
    return running
  }

  async #sync(): Promise<void> {
    try {
      if (this.#failed) await this.#emptyLog()
      this.#failed = false
      this.#file ??= openLog(this.#path)
      await sync(await this.#file)
    } catch (thrown) {
      this.#file = undefined
      this.#failed = true
      throw new StoreUncertain(`The disk did not accept the data: ${(thrown as Error).message}`, { cause: thrown })
    }
  }
}

/** The log is a new file at each start, so its directory entry must be on the disk too. */
async function openLog(path: string): Promise<number> {
  const folder = await openFile(dirname(path), 'r')
  try {
    await syncAll(folder)
  } finally {
    await closeFile(folder)
  }
  return openFile(path, 'r+')
}

/** Transactions, or milliseconds spent in them, after which the log is copied: about a thousand pages. */
const copyAfter = { transactions: 200, milliseconds: 150 }

/** What was written since the log was last copied. */
export interface Written {
  transactions: number
  milliseconds: number
}

export const isDue = ({ transactions, milliseconds }: Written): boolean =>
  transactions >= copyAfter.transactions || milliseconds >= copyAfter.milliseconds

/**
 * Copies the write-ahead log to the database file in the background, so that no commit has to. What was written
 * meanwhile is copied while writers wait: only a completely copied log is restarted.
 */
export class LogCopier {
  readonly #connection: Pick<BackgroundConnection, 'copyLog'>
  readonly #exclusively: (work: () => Promise<unknown>) => Promise<unknown>
  #written: Written = { transactions: 0, milliseconds: 0 }
  #copying: Promise<void> | undefined

  /** @param exclusively runs work while no writer runs */
  constructor(
    connection: Pick<BackgroundConnection, 'copyLog'>,
    exclusively: (work: () => Promise<unknown>) => Promise<unknown>,
  ) {
    this.#connection = connection
    this.#exclusively = exclusively
  }

  /** To be called after each transaction, with its duration in milliseconds. */
  wrote(milliseconds: number): void {
    const { transactions, milliseconds: before } = this.#written
    this.#written = { transactions: transactions + 1, milliseconds: before + milliseconds }
    if (this.#copying || !isDue(this.#written)) return
    this.#copying = this.#copy().finally(() => {
      this.#copying = undefined
    })
  }

  /** Resolves when the current copy has ended. */
  async settled(): Promise<void> {
    await this.#copying
  }

  async #copy(): Promise<void> {
    this.#written = { transactions: 0, milliseconds: 0 }
    try {
      await this.#connection.copyLog('PASSIVE')
      if (this.#written.transactions > 0) await this.#exclusively(() => this.#connection.copyLog('PASSIVE'))
    } catch {
      // A full disk or another process: the next copy or a commit does it.
    }
  }
}

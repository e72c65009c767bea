import { close, fdatasync, fsync, open } from 'node:fs'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { StoreUncertain } from '../../runtime/ports/sql.ts'

const [openFile, sync, closeFile] = [promisify(open), promisify(fdatasync), promisify(close)]
const syncAll = promisify(fsync)

/**
 * Flushes the write-ahead log beside the event loop, so that nobody stands still while the disk writes. Those who come
 * while it is being flushed share the next flush. SQLite holds no lock on this file, so a descriptor of our own is safe.
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
   * @param emptyLog puts all of the log into the database file, on the disk, and begins the log anew. After a flush that
   *   failed nothing else helps: the system forgets what the disk did not take, and what is written behind it would be
   *   lost with it.
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
      throw new StoreUncertain(`The disk has not taken what was written: ${(thrown as Error).message}`, {
        cause: thrown,
      })
    }
  }
}

/** The log is a new file at every start: its name must be on the disk too, or what is in it could not be found. */
async function openLog(path: string): Promise<number> {
  const folder = await openFile(dirname(path), 'r')
  try {
    await syncAll(folder)
  } finally {
    await closeFile(folder)
  }
  return openFile(path, 'r+')
}

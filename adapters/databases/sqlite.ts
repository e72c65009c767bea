import { realpath } from 'node:fs/promises'
import { dirname, join, sep } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/ports/clock.ts'
import {
  DatabaseError,
  type DatabaseResult,
  type DatabaseRun,
  type DatabaseServer,
} from '../../runtime/ports/databases.ts'
import { Pool } from '../process/pool.ts'

interface Question extends DatabaseRun {
  path: string
}

type Answer = DatabaseResult | { error: string; is_busy: boolean }

interface Settings {
  clock: Clock
  idle_ms: number
  private_folder: string
}

/** Files of SQLite, in threads, because a statement stops the thread that runs it; a cancelled one ends with its thread. */
export class SqliteFiles {
  readonly #pool: Pool<Worker, Question, Answer>
  readonly #private: string

  constructor({ clock, idle_ms, private_folder }: Settings) {
    this.#private = private_folder
    this.#pool = new Pool({
      ...{ clock, idle_ms, max: 2, strict: true },
      start: () => new Worker(join(import.meta.dirname, 'sqlite-thread.ts')),
      failure: (why) => new DatabaseError(`SQLite ended: ${why}`, { definite: false, permanent: false }),
    })
  }

  async run(server: DatabaseServer, run: DatabaseRun, signal: AbortSignal): Promise<DatabaseResult> {
    const path = await this.#pathOf(server)
    const answer = await this.#pool.run({ ...run, path }, { signal })
    if (!('error' in answer)) return answer
    throw new DatabaseError(`${server.database}: ${answer.error}`, { definite: true, permanent: !answer.is_busy })
  }

  close = (): Promise<void> => this.#pool.close()

  /** The real path of the file, which exists or is new in a folder. */
  async #pathOf({ database, is_trusted }: DatabaseServer): Promise<string> {
    const refuse = (message: string) => new DatabaseError(message, { definite: true, permanent: true })
    if (!is_trusted)
      throw refuse('A file of this machine is opened only if an administrator has entered the credential')
    const own = await realpath(this.#private)
    const path = await realpath(database)
      .catch(async () => join(await realpath(dirname(database)), database.split('/').at(-1) ?? ''))
      .catch(() => null)
    if (path === null) throw refuse(`The folder of ${database} does not exist`)
    if (path === own || path.startsWith(own + sep)) throw refuse('A file of hearthd itself is not opened')
    return path
  }
}

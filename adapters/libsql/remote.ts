import { type Client, createClient, type InStatement, LibsqlBatchError, type ResultSet } from '@libsql/client/http'
import {
  GuardFailed,
  type Sql,
  type Statement,
  StoreUnavailable,
  StoreUncertain,
  StoreUnreachable,
  type Value,
  type Written,
} from '../../runtime/ports/sql.ts'

/**
 * Milliseconds for one request. Less than the time that leases have left when a daemon gives up its work, so that a server
 * that does not answer is noticed before.
 */
const patience = 15_000
/** Milliseconds for slow statements and for `VACUUM`. */
const longPatience = 600_000

/**
 * The `Sql` port over a libSQL server's HTTP protocol. A batch is one request, so a process that dies never leaves a
 * transaction open. The batches of one process run in order.
 */
export function openRemoteSql(url: string, authToken: string | undefined): Sql {
  const clientWith = (milliseconds: number) =>
    createClient({
      ...{ url, intMode: 'number', ...(authToken ? { authToken } : {}) },
      fetch: (request: Request) => fetch(request, { signal: AbortSignal.timeout(milliseconds) }),
    })
  const [client, slow] = [clientWith(patience), clientWith(longPatience)]
  const writer = new Writer((statements, long) => transact(long ? slow : client, statements))
  return {
    async read<Row>(sql: string, args: readonly Value[] = [], { long = false } = {}) {
      const result = await (long ? slow : client).execute(toStatement({ sql, args })).catch(translate)
      return rowsOf(result) as Row[]
    },
    write: (statements, { long = false } = {}) => writer.write(statements, long),
    /** A server may refuse this, which does no harm. */
    async compact() {
      await writer.idle
      await slow.execute('VACUUM').catch(() => undefined)
    },
    // The server owns the file.
    shrink: async () => undefined,
    size: async () => ({ bytes: 0, wal_bytes: 0 }),
    async close() {
      await writer.idle
      client.close()
      slow.close()
    },
  }
}

interface Waiting {
  statements: readonly Statement[]
  long: boolean
  resolve(written: Written[]): void
  reject(thrown: unknown): void
}

/** Batches in one transaction. */
const maxGroup = 32

/** Runs batches in order. Those that arrive while a transaction runs share the next one; if that fails, each runs alone. */
class Writer {
  /** Resolves when nothing waits. */
  idle: Promise<void> = Promise.resolve()
  readonly #run: (statements: readonly Statement[], long: boolean) => Promise<Written[]>
  readonly #waiting: Waiting[] = []
  #isRunning = false

  constructor(run: (statements: readonly Statement[], long: boolean) => Promise<Written[]>) {
    this.#run = run
  }

  write(statements: readonly Statement[], long: boolean): Promise<Written[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Written[]>()
    this.#waiting.push({ statements, long, resolve, reject })
    if (!this.#isRunning) this.idle = this.#runAll()
    return promise
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true
    while (this.#waiting.length > 0) {
      const slow = this.#waiting.findIndex(({ long }) => long)
      const group = this.#waiting.splice(0, slow < 0 ? maxGroup : Math.max(1, Math.min(slow, maxGroup)))
      if (group.length === 1 || !(await this.#runTogether(group))) for (const one of group) await this.#runAlone(one)
    }
    this.#isRunning = false
  }

  async #runAlone({ statements, long, resolve, reject }: Waiting): Promise<void> {
    await this.#run(statements, long).then(resolve, reject)
  }

  /** False if one of them failed, so that nothing is stored. */
  async #runTogether(group: readonly Waiting[]): Promise<boolean> {
    try {
      const written = await this.#run(
        group.flatMap(({ statements }) => statements),
        false,
      )
      for (const { statements, resolve } of group) resolve(written.splice(0, statements.length))
      return true
    } catch (thrown) {
      if (!(thrown instanceof StoreUnavailable)) return false
      for (const { reject } of group) reject(thrown)
      return true
    }
  }
}

/**
 * The protocol has no condition on the number of changed rows, so each guard is followed by a statement that fails, and
 * names the guard, if nothing was changed. Its argument is not constant, so SQLite does not evaluate it in advance.
 */
const check = (index: number): InStatement =>
  `SELECT json_extract('{}', CASE WHEN changes() > 0 THEN '$' ELSE 'guard ${index}' END)`

async function transact(client: Client, statements: readonly Statement[]): Promise<Written[]> {
  if (statements.length === 0) return []
  const steps = statements.flatMap((statement, index) => {
    const step = { index, statement: toStatement(statement) }
    return statement.guard === undefined ? [step] : [step, { index: null, statement: check(index) }]
  })
  try {
    const batch = steps.map(({ statement }) => statement)
    const results = await client.batch(batch, 'write')
    return results.filter((_, step) => steps[step]?.index !== null).map(toWritten)
  } catch (thrown) {
    const failed = thrown instanceof LibsqlBatchError && /'guard (\d+)'/.exec(thrown.message)
    const guard = failed && statements[Number(failed[1])]?.guard
    if (typeof guard === 'string') throw new GuardFailed(guard)
    const refused = refusalOf(thrown)
    // The request was sent, and the answer that was lost may have been that it is stored.
    if (refused instanceof StoreUnreachable && !neverSent(thrown))
      throw new StoreUncertain('The database server did not say whether this was stored', { cause: thrown })
    throw refused
  }
}

/** The client sends numbers as REAL; integers are meant as integers. */
function toStatement({ sql, args = [] }: Statement): InStatement {
  return {
    sql,
    args: args.map((value) => (typeof value === 'number' && Number.isInteger(value) ? BigInt(value) : value)),
  }
}

function toWritten(result: ResultSet): Written {
  const returns = result.columns.length > 0
  const rows = returns ? (rowsOf(result) as Written['rows']) : []
  return { rows, changes: returns ? rows.length : result.rowsAffected }
}

/** Plain objects: the client's rows carry their values twice, by index and by name. */
function rowsOf({ columns, rows }: ResultSet): Record<string, unknown>[] {
  return rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, plain(row[index])])))
}

const plain = (value: unknown) => (value instanceof ArrayBuffer ? new Uint8Array(value) : value)

const refusedByStore = /SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/
/** The server is unreachable, the connection broke, or a transaction took longer than the server allows. */
const lostServer = /^(HRANA_|SERVER_ERROR|TRANSACTION_CLOSED|UNKNOWN)/

function refusalOf(thrown: unknown): unknown {
  const { code, message } = thrown as { code?: unknown; message?: string }
  const text = typeof code === 'string' ? code : ''
  if (refusedByStore.test(text) || refusedByStore.test(String(message)))
    return new StoreUnavailable(`The database server cannot store this: ${message}`, { cause: thrown })
  if (isNetworkError(thrown) || lostServer.test(text))
    return new StoreUnreachable(`The database server cannot be reached: ${reasonOf(thrown)}`, { cause: thrown })
  return thrown
}

function translate(thrown: unknown): never {
  throw refusalOf(thrown)
}

const isNetworkError = (thrown: unknown): boolean =>
  thrown instanceof Error && (/^(TimeoutError|AbortError)$/.test(thrown.name) || /fetch/i.test(thrown.message))

/** Errors of connections, outermost first. */
function* causesOf(thrown: unknown): Generator<Error & { code?: string }> {
  for (let one = thrown; one instanceof Error; one = one.cause) yield one
}

/** Whether no connection was made, so that the server has received nothing. */
const neverSent = (thrown: unknown): boolean =>
  causesOf(thrown).some(({ code }) =>
    /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/.test(code ?? ''),
  )

const reasonOf = (thrown: unknown): string => [...causesOf(thrown)].at(-1)?.message ?? String(thrown)

import { type Client, createClient, type InStatement, type ResultSet, type Transaction } from '@libsql/client/http'
import {
  GuardFailed,
  type Sql,
  type Statement,
  StoreUnavailable,
  type Value,
  type Written,
} from '../../runtime/ports/sql.ts'

/**
 * The `Sql` port over a libSQL server's HTTP protocol. The writes of one process run one at a time: the
 * server has one writer anyway, and a transaction that waits for its own process would only delay the others.
 */
export function openRemoteSql(url: string, authToken: string | undefined): Sql {
  const client = createClient({ url, intMode: 'number', ...(authToken ? { authToken } : {}) })
  let last: Promise<unknown> = Promise.resolve()
  return {
    async read<Row>(sql: string, args: readonly Value[] = []) {
      const result = await client.execute(toStatement({ sql, args })).catch(translate)
      return rowsOf(result) as Row[]
    },
    write(statements) {
      const mine = last.then(() => transact(client, statements).catch(translate))
      last = mine.catch(() => undefined)
      return mine
    },
    /** A server may refuse this, which does no harm. */
    async compact() {
      await last
      await client.execute('VACUUM').catch(() => undefined)
    },
    // The server owns the file.
    shrink: async () => undefined,
    size: async () => ({ bytes: 0, wal_bytes: 0 }),
    async close() {
      await last
      client.close()
    },
  }
}

async function transact(client: Client, statements: readonly Statement[]): Promise<Written[]> {
  const transaction = await client.transaction('write')
  try {
    const written: Written[] = []
    for (const group of untilGuards(statements)) written.push(...(await runGroup(transaction, group)))
    await transaction.commit()
    return written
  } catch (thrown) {
    await transaction.rollback().catch(() => undefined)
    throw thrown
  } finally {
    transaction.close()
  }
}

/**
 * Groups that each end at a guard, so that nothing runs after a failed guard; a group is one round
 * trip.
 */
function untilGuards(statements: readonly Statement[]): Statement[][] {
  const groups: Statement[][] = [[]]
  for (const statement of statements) {
    groups.at(-1)?.push(statement)
    if (statement.guard !== undefined) groups.push([])
  }
  return groups.filter((group) => group.length > 0)
}

async function runGroup(transaction: Transaction, group: Statement[]): Promise<Written[]> {
  const results = await transaction.batch(group.map(toStatement))
  const written = results.map(toWritten)
  const guard = group.at(-1)?.guard
  if (guard !== undefined && written.at(-1)?.changes === 0) throw new GuardFailed(guard)
  return written
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

function translate(thrown: unknown): never {
  const { code, message } = thrown as { code?: unknown; message?: string }
  const network = thrown instanceof TypeError && /fetch/i.test(String(message))
  const lost = typeof code === 'string' && (lostServer.test(code) || refusedByStore.test(code))
  if (network || lost || refusedByStore.test(String(message))) {
    throw new StoreUnavailable(`The database server is unavailable: ${message}`, { cause: thrown })
  }
  throw thrown
}

import { Fault } from '../../runtime/fault.ts'
import {
  GuardFailed,
  type Sql,
  type Statement,
  StoreUnavailable,
  type Value,
  type Written,
} from '../../runtime/ports/sql.ts'
import type { ObjectStorage, SqlStorage } from './platform.ts'

/**
 * The `Sql` port over the SQLite of a Durable Object. Every call is synchronous underneath, and nothing
 * leaves the object before its writes are confirmed, so a resolved promise is durable.
 */
export function createObjectSql(storage: ObjectStorage): Sql {
  const { sql } = storage
  return {
    read: async <Row>(text: string, args: readonly Value[] = []) => translated(() => rowsOf(sql, text, args) as Row[]),
    write: async (statements) =>
      translated(() => storage.transactionSync(() => statements.map((statement) => execute(sql, statement)))),
    // The platform owns the file.
    compact: async () => undefined,
    shrink: async () => undefined,
    size: async () => ({ bytes: sql.databaseSize, wal_bytes: 0 }),
    close: async () => undefined,
  }
}

function execute(sql: SqlStorage, { sql: text, args = [], guard }: Statement): Written {
  const cursor = sql.exec(text, ...args)
  const returns = cursor.columnNames.length > 0
  const rows = cursor.toArray().map(withBytes)
  // The cursor counts the rows of indexes too.
  const changes = returns ? rows.length : Number(sql.exec('SELECT changes() AS count').toArray()[0]?.count)
  if (guard !== undefined && changes === 0) throw new GuardFailed(guard)
  return { rows, changes }
}

const rowsOf = (sql: SqlStorage, text: string, args: readonly Value[]): Written['rows'] =>
  sql
    .exec(text, ...args)
    .toArray()
    .map(withBytes)

function withBytes(row: Record<string, Value | ArrayBuffer>): Record<string, Value> {
  const entries = Object.entries(row).map(([name, value]) => [
    name,
    value instanceof ArrayBuffer ? new Uint8Array(value) : value,
  ])
  return Object.fromEntries(entries) as Record<string, Value>
}

function translated<Result>(run: () => Result): Result {
  try {
    return run()
  } catch (thrown) {
    throw translate(thrown)
  }
}

/** The codes are at the end of the message. Two limits of the platform depend on the input of a caller. */
function translate(thrown: unknown): unknown {
  if (thrown instanceof GuardFailed || !(thrown instanceof Error)) return thrown
  const { message } = thrown
  if (/SQLITE_(FULL|IOERR|READONLY|CANTOPEN|BUSY|LOCKED)/.test(message)) {
    return new StoreUnavailable(message, { cause: thrown })
  }
  if (message.includes('SQLITE_TOOBIG')) {
    return new Fault(413, 'payload_too_large', 'This host stores at most 2 MB per value')
  }
  if (message.includes('pattern too complex')) {
    return new Fault(400, 'bad_request', 'This host searches for at most 48 bytes of literal text')
  }
  return thrown
}

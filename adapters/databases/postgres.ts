import postgres from 'postgres'
import type { DatabaseResult, DatabaseRun } from '../../runtime/ports/databases.ts'
import { type Opening, Rows, type SqlConnection, tlsOptions } from './connection.ts'

type Sql = postgres.Sql | postgres.TransactionSql

/** Rows that are fetched at a time. */
const batch = 500

const asText = (value: unknown): string => String(value)

const iso = (text: string): string => {
  const time = new Date(/[+-]\d\d(?::?\d\d)?$/.test(text) ? text : `${text.replace(' ', 'T')}Z`)
  return Number.isNaN(time.getTime()) ? text : time.toISOString()
}

const long = (text: string): unknown => (Number.isSafeInteger(Number(text)) ? Number(text) : text)

/** What the server says is read and written as it stands; types by their number in `pg_type`. */
const typesOf = (long_as_text: boolean) => ({
  bool: { to: 16, from: [16], serialize: asText, parse: (text: string) => text === 't' },
  bytea: { to: 17, from: [17], serialize: asText, parse: (text: string) => Buffer.from(text.slice(2), 'hex') },
  long: { to: 20, from: [20], serialize: asText, parse: long_as_text ? asText : long },
  json: {
    ...{ to: 114, from: [114, 3802], parse: (text: string): unknown => JSON.parse(text) },
    serialize: (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value)),
  },
  day: { to: 1082, from: [1082], serialize: asText, parse: asText },
  time: { to: 1184, from: [1114, 1184], serialize: asText, parse: iso },
})

/** A value for a column of any type: `postgres` turns it into a text where it does not know better. */
function parameter(value: unknown): postgres.ParameterOrJSON<never> {
  if (typeof value !== 'object' || value === null) return value as postgres.ParameterOrJSON<never>
  const copy = Array.isArray(value) ? [...value] : { ...value }
  return Object.defineProperty(copy, 'toString', { value: () => JSON.stringify(value) }) as never
}

export async function openPostgres({ server, connect }: Opening, long_as_text: boolean): Promise<SqlConnection> {
  let isCancelling = false
  const sql = postgres({
    host: server.host,
    port: server.port,
    database: server.database || server.username,
    username: server.username,
    // A function, because an empty text would be replaced by that of the environment.
    pass: () => server.password,
    ssl: tlsOptions(server) ?? false,
    // The driver calls it again within `cancel`, and cannot handle that this fails.
    socket: () => (isCancelling ? connect().catch(() => new Promise<never>(() => undefined)) : connect()),
    max: 1,
    types: typesOf(long_as_text),
    onnotice: () => undefined,
    connection: { application_name: 'hearthd' },
  } as postgres.Options<Record<string, postgres.PostgresType>>)
  let isOpen = true
  const cancel = (query: Query) => {
    isCancelling = true
    query.cancel()
    isCancelling = false
  }
  const close = () => {
    isOpen = false
    void sql.end({ timeout: 0 }).catch(() => undefined)
  }
  try {
    await sql.unsafe('SELECT 1')
  } catch (thrown) {
    close()
    throw thrown
  }
  return {
    isUsable: () => isOpen,
    close,
    async run(run, signal) {
      const rows = new Rows(run)
      const statements = (own: Sql) => runAll(own, run, { rows, signal, cancel })
      try {
        if (run.read_only) return await sql.begin('READ ONLY', statements)
        return await (run.statements.length > 1 ? sql.begin(statements) : statements(sql))
      } catch (thrown) {
        if (!isAnswer(thrown)) close()
        throw thrown
      }
    },
  }
}

/** Whether the server has answered, so that the connection can be used again. */
const isAnswer = (thrown: unknown): boolean => thrown instanceof postgres.PostgresError

async function runAll(
  sql: Sql,
  { statements, read_only }: DatabaseRun,
  { rows, signal, cancel }: { rows: Rows; signal: AbortSignal; cancel: (query: Query) => void },
): Promise<DatabaseResult> {
  let changed = 0
  for (const statement of statements) {
    signal.throwIfAborted()
    const query = sql.unsafe(statement.text, statement.values.map(parameter))
    const stop = () => cancel(query)
    signal.addEventListener('abort', stop, { once: true })
    try {
      changed += await (read_only ? fetchRows(query, rows) : execute(query, rows))
    } finally {
      signal.removeEventListener('abort', stop)
    }
  }
  return { rows: rows.rows, changed }
}

type Query = ReturnType<postgres.Sql['unsafe']>

async function fetchRows(query: Query, rows: Rows): Promise<number> {
  for await (const some of query.cursor(batch)) {
    for (const row of some) rows.add(row)
    if (rows.isFull) break
  }
  return 0
}

async function execute(query: Query, rows: Rows): Promise<number> {
  const result = await query
  for (const row of result) rows.add(row)
  return result.command === 'SELECT' ? 0 : result.count
}

import { type Connection, type ConnectionOptions, createConnection, type Query } from 'mysql2'
import type { DatabaseRun, DatabaseStatement } from '../../runtime/ports/databases.ts'
import { type Opening, Rows, type SqlConnection, tlsOptions } from './connection.ts'

export async function openMysql(opening: Opening, long_as_text: boolean): Promise<SqlConnection> {
  const connection = await signIn(opening, long_as_text)
  let isOpen = true
  connection.on('error', () => {
    isOpen = false
  })
  const close = () => {
    isOpen = false
    connection.destroy()
  }
  /** Ends what runs on the server; a closed connection alone would not. */
  const cancel = async () => {
    close()
    const other = await signIn(opening, long_as_text)
    other.query(`KILL QUERY ${Number(connection.threadId)}`, () => other.destroy())
  }
  return {
    isUsable: () => isOpen,
    close,
    async run(run, signal) {
      const rows = new Rows(run)
      const onAbort = () => void cancel().catch(() => undefined)
      signal.addEventListener('abort', onAbort, { once: true })
      const send = (statement: DatabaseStatement) => execute(connection, statement, { rows, close, run })
      const isTransaction = run.read_only || run.statements.length > 1
      const control = (text: string) => send({ text, values: [] })
      let changed = 0
      try {
        if (isTransaction) await control(`START TRANSACTION${run.read_only ? ' READ ONLY' : ''}`)
        for (const statement of run.statements) changed += await send(statement)
        if (isTransaction && isOpen) await control('COMMIT')
        return { rows: rows.rows, changed }
      } catch (thrown) {
        // The server ends the transaction of a closed connection without its changes.
        if (isTransaction || !isAnswer(thrown)) close()
        throw thrown
      } finally {
        signal.removeEventListener('abort', onAbort)
      }
    },
  }
}

/** Whether the server has answered, so that the connection can be used again. */
const isAnswer = (thrown: unknown): boolean =>
  thrown instanceof Error && 'sqlState' in thrown && !('fatal' in thrown && thrown.fatal === true)

async function signIn({ server, connect }: Opening, long_as_text: boolean): Promise<Connection> {
  const stream = await connect()
  const ssl = tlsOptions(server)
  const options: ConnectionOptions = {
    host: server.host,
    user: server.username,
    password: server.password,
    ...(server.database && { database: server.database }),
    ...(ssl && {
      ssl: { rejectUnauthorized: ssl.rejectUnauthorized === true, verifyIdentity: server.tls === 'checked' },
    }),
    stream,
    timezone: 'Z',
    dateStrings: ['DATE'],
    supportBigNumbers: true,
    bigNumberStrings: long_as_text,
    charset: 'utf8mb4',
    maxPreparedStatements: 20,
    // Nothing but the statement itself is sent.
    multipleStatements: false,
    flags: ['-LOCAL_FILES'],
  }
  const connection = createConnection(options)
  return new Promise((resolve, reject) => {
    const fail = (cause: Error) => {
      connection.destroy()
      reject(cause)
    }
    connection.once('error', fail)
    connection.connect((cause) => {
      if (cause) return fail(cause)
      connection.off('error', fail)
      resolve(connection)
    })
  })
}

interface Executing {
  rows: Rows
  run: DatabaseRun
  close(): void
}

/** The number of rows that a statement has changed. Its connection is closed if there are more rows than were asked for. */
function execute(
  connection: Connection,
  { text, values }: DatabaseStatement,
  { rows, run, close }: Executing,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let changed = 0
  const own = values.map((value) => (typeof value === 'object' && value !== null ? JSON.stringify(value) : value))
  // Statements without values need no preparation, which some do not have.
  const query: Query =
    own.length === 0 ? connection.query(text) : (connection.execute(text, own as string[]) as unknown as Query)
  let isDone = false
  const end = (settle: () => void) => {
    isDone = true
    settle()
    connection.off('error', lose)
  }
  const lose = (cause: Error) => end(() => reject(cause))
  connection.on('error', lose)
  query.on('error', lose)
  query.on('result', (row: Record<string, unknown>) => {
    // What has arrived is still read after the connection was closed.
    if (isDone) return
    if ('affectedRows' in row && 'serverStatus' in row) {
      changed += Number(row.affectedRows)
      return
    }
    if (rows.isFull && !run.read_only) return
    try {
      if (!rows.isFull) return rows.add(row)
      end(() => resolve(changed))
    } catch (thrown) {
      end(() => reject(thrown))
    }
    close()
  })
  query.on('end', () => end(() => resolve(changed)))
  return promise
}

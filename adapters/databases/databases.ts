import type { Socket } from 'node:net'
import type { Clock } from '../../runtime/ports/clock.ts'
import { DatabaseError, type DatabaseServer, type Databases } from '../../runtime/ports/databases.ts'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import { minute, second } from '../../runtime/time.ts'
import { within } from '../../runtime/within.ts'
import type { Opening, SqlConnection } from './connection.ts'
import { ConnectionPool } from './pool.ts'
import type { RedisConnection } from './redis.ts'
import { SqliteFiles } from './sqlite.ts'

/** A connection to a checked address of a host that a person configured. */
export type Connect = (host: string, port: number, options: { trusted: boolean }) => Promise<Socket>

export interface DatabasesSettings {
  clock: Clock
  connect: Connect
  /** No database may be opened in it. */
  private_folder: string
  /** Milliseconds after which a connection without use is closed. Default: one minute. */
  idle_ms?: number
}

/** Connections to one server. */
const maxConnections = 4

/** Until a server must have accepted the sign-in. */
const signInLimit = 10 * second

export interface NodeDatabases extends Databases {
  /** Open connections. */
  connections(): number
  close(): Promise<void>
}

export function createDatabases({
  clock,
  connect,
  private_folder,
  idle_ms = minute,
}: DatabasesSettings): NodeDatabases {
  const settings = { clock, idle_ms, max: maxConnections }
  const sql = new ConnectionPool<SqlConnection>(settings)
  const redis = new ConnectionPool<RedisConnection>(settings)
  const files = new SqliteFiles({ clock, idle_ms, private_folder })
  /** Opens a connection; its socket is destroyed if the sign-in is cancelled or takes too long. */
  const opened = <Connection>(
    server: DatabaseServer,
    outer: AbortSignal,
    open: (opening: Opening) => Promise<Connection>,
  ): Promise<Connection> =>
    within(
      { clock, signal: outer },
      { milliseconds: signInLimit, late: new Error('no answer in time') },
      async (signal) => {
        let isOpening = true
        const connectHere = async () => {
          const socket = await connect(server.host, server.port, { trusted: server.is_trusted })
          // Until the driver listens, nobody else hears of an error.
          socket.on('error', () => undefined)
          const end = () => void (isOpening && socket.destroy(signal.reason))
          if (signal.aborted) end()
          else signal.addEventListener('abort', end, { once: true })
          return socket
        }
        try {
          return await open({ server, connect: connectHere })
        } catch (cause) {
          throw cause instanceof OutboundBlocked ? cause : new NotOpened(errorMessage(cause), { cause })
        } finally {
          isOpening = false
        }
      },
    )
  return {
    async run(server, run, signal) {
      if (server.engine === 'sqlite') return files.run(server, run, signal)
      const { long_as_text } = run
      const open = async (opening: Opening) =>
        server.engine === 'postgres'
          ? (await import('./postgres.ts')).openPostgres(opening, long_as_text)
          : (await import('./mysql.ts')).openMysql(opening, long_as_text)
      const task = (connection: SqlConnection) => connection.run(run, signal)
      return answered(server, signal, () =>
        sql.use(`${JSON.stringify(server)} ${long_as_text}`, () => opened(server, signal, open), { task, signal }),
      )
    },
    async command(server, commands, signal) {
      const open = async (opening: Opening) => (await import('./redis.ts')).openRedis(opening)
      const task = (connection: RedisConnection) => connection.command(commands)
      return answered(server, signal, () =>
        redis.use(JSON.stringify(server), () => opened(server, signal, open), { task, signal }),
      )
    },
    connections: () => sql.size + redis.size,
    async close() {
      sql.close()
      redis.close()
      await files.close()
    },
  }
}

/** The server was not reached, or refused the sign-in: nothing was sent. */
class NotOpened extends Error {
  override name = 'NotOpened'
}

/** SQLSTATE of errors that another attempt may not meet: connections, resources, deadlocks, locks, shutdown. */
const passing = /^(?:08|40|53|55P03|57P0[1-3]|HYT00)/

async function answered<Result>(
  server: DatabaseServer,
  signal: AbortSignal,
  task: () => Promise<Result>,
): Promise<Result> {
  try {
    return await task()
  } catch (thrown) {
    signal.throwIfAborted()
    if (thrown instanceof DatabaseError || thrown instanceof OutboundBlocked) throw thrown
    throw errorOf(thrown, server)
  }
}

/** What a driver says about an error: a code of the system, or an SQLSTATE. */
interface Details {
  code?: string
  sqlState?: string
  errno?: number
}

function errorOf(thrown: unknown, { engine, host, port }: DatabaseServer): DatabaseError {
  const isOpened = !(thrown instanceof NotOpened)
  const error = thrown instanceof NotOpened ? thrown.cause : thrown
  const at = `${host}:${port}`
  const { code, sqlState, errno } = error as Details
  const message = errorMessage(error) || String(code ?? 'no reason given')
  const state = (engine === 'postgres' ? code : sqlState) ?? ''
  const isReply = engine === 'redis' ? (error as Error).name === 'ReplyError' : /^[0-9A-Z]{5}$/.test(state)
  if (isReply) {
    const isPassing = passing.test(state) || errno === 1205 || /^(?:LOADING|BUSY|TRYAGAIN|CLUSTERDOWN)/.test(message)
    const hint = state === '25006' || errno === 1792 ? '. To change data, choose “Execute a statement”' : ''
    return new DatabaseError(`${at} answered: ${message}${hint}`, { definite: true, permanent: !isPassing })
  }
  if (isOpened) return new DatabaseError(`${at} did not answer: ${message}`, { definite: false, permanent: false })
  const isTls = /certificate|self-signed|altnames|secure|ssl|wrong version number/i.test(message)
  return isTls
    ? new DatabaseError(`Cannot establish an encrypted connection to ${at}: ${message}. ${modes}`, unchanging)
    : new DatabaseError(`Cannot connect to ${at}: ${message}`, { definite: true, permanent: code === 'ENOTFOUND' })
}

const unchanging = { definite: true, permanent: true }
const modes = 'Add sslmode=require to the address to skip the check of the certificate, or sslmode=disable'

import type { Socket } from 'node:net'
import { connect as encrypt } from 'node:tls'
import { AbstractConnector, Redis } from 'ioredis'
import type { RedisCommand } from '../../runtime/ports/databases.ts'
import { maxCharacters, type Opening, tlsOptions, tooLarge } from './connection.ts'
import type { Pooled } from './pool.ts'

export interface RedisConnection extends Pooled {
  command(commands: readonly RedisCommand[]): Promise<unknown[]>
}

export async function openRedis({ server, connect }: Opening): Promise<RedisConnection> {
  const socket = await connect()
  const tls = tlsOptions(server)
  const stream = tls ? await encrypted(socket, tls) : socket
  /** Hands the connection over; the options have no place for one. */
  class Connector extends AbstractConnector {
    constructor() {
      super(0)
    }
    override connect = async () => stream
    override disconnect = () => void stream.destroy()
  }
  const redis = new Redis({
    Connector,
    ...(server.username && { username: server.username }),
    ...(server.password && { password: server.password }),
    db: Number(server.database || 0),
    lazyConnect: true,
    // A command that was cut is not sent again: it may have been run.
    retryStrategy: () => null,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    enableReadyCheck: false,
    disableClientInfo: true,
  })
  let isOpen = true
  let failure: Error | undefined
  redis.on('error', (cause) => {
    failure = cause
  })
  redis.on('end', () => {
    isOpen = false
  })
  const close = () => {
    isOpen = false
    redis.disconnect()
  }
  try {
    await redis.connect()
    await redis.call('PING')
  } catch (thrown) {
    close()
    throw failure ?? thrown
  }
  return {
    isUsable: () => isOpen,
    close,
    async command(commands) {
      const { bytesRead } = stream
      const limit = () => {
        if (stream.bytesRead - bytesRead > maxCharacters) stream.destroy(tooLarge())
      }
      stream.on('data', limit)
      try {
        return await send(redis, commands)
      } catch (thrown) {
        if (isAnswer(thrown)) throw thrown
        close()
        throw failure ?? thrown
      } finally {
        stream.off('data', limit)
      }
    },
  }
}

async function send(redis: Redis, commands: readonly RedisCommand[]): Promise<unknown[]> {
  const [first = [], ...others] = commands
  const [name = '', ...args] = first
  if (others.length === 0) return [await redis.call(name, ...args)]
  const replies = await redis.multi(commands.map((command) => ['call', ...command])).exec()
  return (replies ?? []).map(([failure, reply]) => {
    if (failure) throw failure
    return reply
  })
}

/** Whether the server has answered. */
const isAnswer = (thrown: unknown): boolean => thrown instanceof Error && thrown.name === 'ReplyError'

function encrypted(socket: Socket, options: object): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const stream = encrypt({ ...options, socket })
    stream.once('error', reject)
    stream.once('secureConnect', () => {
      stream.off('error', reject)
      resolve(stream)
    })
  })
}

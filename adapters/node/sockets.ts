import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { WebSocket, WebSocketServer } from 'ws'
import { authenticateSocket, tokenOf } from '../../runtime/auth/authenticate-socket.ts'
import type { Context } from '../../runtime/context.ts'
import { Fault } from '../../runtime/fault.ts'
import type { Host } from '../../runtime/host.ts'
import { toFault } from '../../runtime/http/errors.ts'
import { RouteTable } from '../../runtime/http/router.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import type { Socket, SocketEndpoint } from '../../runtime/http/socket.ts'
import type { ProxyPolicy } from './http/request.ts'
import { refuseSocket } from './http/server.ts'

export interface Upgrades {
  /** Opens a socket, or refuses with a plain HTTP answer. */
  answer(request: IncomingMessage, raw: Duplex, head: Buffer): Promise<void>
  /** Closes all sockets. */
  close(code: number, reason: string): void
}

interface Opening {
  request: IncomingMessage
  raw: Duplex
  head: Buffer
}

/** Milliseconds between two pings; a client that has not answered the last one is disconnected. */
const pingEvery = 30_000

export function createUpgrades(sockets: readonly SocketEndpoint[], host: Host, proxies: ProxyPolicy): Upgrades {
  const table = new RouteTable(routesOf(sockets))
  const servers = new Map<number, Promise<WebSocketServer>>()

  /** One server per frame limit. The package is loaded with the first socket. */
  function serverFor(maxPayload: number): Promise<WebSocketServer> {
    const cached = servers.get(maxPayload)
    if (cached) return cached
    const made = import('ws').then(({ WebSocketServer }) => {
      const server = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        maxPayload,
        perMessageDeflate: false,
      })
      server.on('error', (cause) => host.log.write('warn', 'the socket server failed', { cause }))
      server.on(
        'wsClientError',
        (_, raw) => void refuseSocket(raw, new Fault(400, 'bad_request', 'This is not a WebSocket handshake')),
      )
      return server
    })
    servers.set(maxPayload, made)
    return made
  }

  async function open(opening: Opening): Promise<void> {
    const request = toRequest(opening.request, proxies)
    const context = contextOf(request, host, proxies.peerOf(opening.request))
    const { route } = await table.find('GET', request.url)
    context.caller = await authenticateSocket(route, request, context)
    const server = await serverFor(route.max_frame_bytes)
    server.handleUpgrade(opening.request, opening.raw, opening.head, (socket) =>
      adopt(socket, route, context, tokenOf(request)),
    )
  }

  const all = new Set<WebSocket>()
  function adopt(socket: WebSocket, route: SocketEndpoint, context: Context, token: string | null): void {
    const end = (code: number, reason: string) => closeSocket(socket, code, reason)
    const forget = host.process.connections.add({ credential: context.caller.id, end })
    all.add(socket)
    socket.on('error', (cause) =>
      host.log.write('debug', 'a connection broke', { route: route.path, cause: cause.message }),
    )
    socket.once('close', () => {
      all.delete(socket)
      forget()
    })
    keepAlive(socket)
    Promise.try(() => route.open(frameSocket(socket), context, token)).catch((cause: unknown) => {
      host.log.write('error', 'a socket failed', { route: route.path, cause })
      end(1011, 'Something went wrong here')
    })
  }

  return {
    async answer(request, raw, head) {
      raw.on('error', () => raw.destroy())
      try {
        if (host.process.stopping.aborted) throw new Fault(503, 'unavailable', 'hearthd is stopping')
        await open({ request, raw, head })
      } catch (thrown) {
        await refuseSocket(raw, toFault(thrown)).catch(() => raw.destroy())
      }
    },
    close(code, reason) {
      for (const socket of all) closeSocket(socket, code, reason)
    },
  }
}

/** The request without a body, for the checks of origin and token. */
function toRequest(request: IncomingMessage, proxies: ProxyPolicy): Request {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) headers.set(name, String(value))
  return new Request(`${proxies.protocolOf(request)}://${request.headers.host}${request.url}`, { headers })
}

function keepAlive(socket: WebSocket): void {
  let alive = true
  const timer = setInterval(() => {
    if (!alive) return socket.terminate()
    alive = false
    socket.ping()
  }, pingEvery)
  timer.unref()
  socket.on('pong', () => {
    alive = true
  })
  socket.once('close', () => clearInterval(timer))
}

/** Bytes that may be buffered for a client; one that reads too slowly is dropped. */
const maxBuffered = 1024 * 1024
/** "Try again later", in the registry of RFC 6455. */
const tryAgainLater = 1013

/** The program's view of a WebSocket. */
function frameSocket(socket: WebSocket): Socket {
  return {
    send(frame) {
      if (socket.readyState !== socket.OPEN) return
      if (socket.bufferedAmount > maxBuffered) return drop(socket)
      socket.send(frame)
    },
    close: (code, reason) => closeSocket(socket, code, reason),
    buffered: () => socket.bufferedAmount,
    onMessage: (listener) =>
      void socket.on('message', (data, binary) => {
        const bytes = data as Buffer
        listener(binary ? new Uint8Array(bytes) : bytes.toString('utf8'))
      }),
    onClose(listener) {
      if (socket.readyState === socket.CLOSED) listener()
      else socket.once('close', () => listener())
    },
  }
}

/** Milliseconds for the client to answer a close frame. */
const closeTimeout = 2_000

/** A close frame holds 123 bytes of reason. */
function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState === socket.CLOSED) return
  socket.close(
    code,
    Buffer.from(reason)
      .subarray(0, 123)
      .toString('utf8')
      .replace(/\ufffd$/, ''),
  )
  setTimeout(() => socket.terminate(), closeTimeout).unref()
}

function drop(socket: WebSocket): void {
  socket.close(tryAgainLater, 'This client reads too slowly')
  socket.terminate()
}

import { authenticateSocket, tokenOf } from '../../runtime/auth/authenticate-socket.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import type { Context } from '../../runtime/context.ts'
import type { Host } from '../../runtime/host.ts'
import { answerFaults } from '../../runtime/http/errors.ts'
import { securityHeaders } from '../../runtime/http/headers.ts'
import { RouteTable } from '../../runtime/http/router.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { contextOf, type Peer } from '../../runtime/http/serve.ts'
import type { Socket, SocketEndpoint } from '../../runtime/http/socket.ts'
import type { ObjectState, ServerSocket } from './platform.ts'

declare const WebSocketPair: new () => { 0: WebSocket; 1: ServerSocket }

/** RFC 6455, section 7.4.1. */
const normal = 1000
const tooBig = 1009
const broken = 1011
const tryAgain = 1013

export const isUpgrade = (request: Request) => request.headers.get('upgrade')?.toLowerCase() === 'websocket'

/** What opens a socket again after the object has slept. A revoked credential closes it first: revoking wakes the object. */
interface Kept {
  path: string
  /** Without the token. */
  url: string
  caller: Caller
  frame: string | null
}

/** The sockets of one object. The platform holds those that can be resumed, so that the object may sleep meanwhile. */
export class Sockets {
  readonly #endpoints: readonly SocketEndpoint[]
  readonly #state: Pick<ObjectState, 'acceptWebSocket' | 'getWebSockets'>
  readonly #table: RouteTable<SocketEndpoint>
  readonly #open = new WeakMap<WebSocket, OpenSocket>()

  constructor(endpoints: readonly SocketEndpoint[], state: ObjectState) {
    this.#endpoints = endpoints
    this.#state = state
    this.#table = new RouteTable(routesOf(endpoints))
  }

  /** Opens a socket, or refuses with a plain HTTP answer. */
  async upgrade(request: Request, host: Host, peer: Peer): Promise<Response> {
    const context = contextOf(request, host, peer)
    const answer = await answerFaults(context, async () => {
      const { route } = await this.#table.find('GET', request.url)
      context.caller = await authenticateSocket(route, request, context)
      const pair = new WebSocketPair()
      this.#accept(pair[1], route, context, request)
      return new Response(null, { status: 101, webSocket: pair[0] } as ResponseInit)
    })
    if (answer.status !== 101) for (const header of Object.entries(securityHeaders)) answer.headers.set(...header)
    return answer
  }

  /** Opens the sockets that the platform has held while the object slept. Call it before anything is published. */
  wake(host: Host): void {
    for (const socket of this.#state.getWebSockets()) {
      const kept = socket.deserializeAttachment() as Kept
      const route = this.#endpoints.find(({ path }) => path === kept.path)
      if (!route) {
        closeSocket(socket, tryAgain, 'Connect again')
        continue
      }
      const context = { ...contextOf(new Request(kept.url), host, kept.caller), caller: kept.caller }
      const open = this.#adopt(socket, { route, context, token: null, kept })
      if (kept.frame !== null) open.receive(kept.frame)
    }
  }

  receive(socket: WebSocket, data: string | ArrayBuffer): void {
    this.#open.get(socket)?.receive(data)
  }

  /** The platform leaves it to us to answer the close frame of a socket that it holds. */
  closed(socket: WebSocket): void {
    socket.close(normal)
    this.failed(socket)
  }

  failed(socket: WebSocket): void {
    this.#open.get(socket)?.end()
  }

  #accept(socket: ServerSocket, route: SocketEndpoint, context: Context, request: Request): void {
    const token = tokenOf(request)
    if (route.resume) {
      const kept = { path: route.path, url: withoutToken(request.url), caller: context.caller, frame: null }
      socket.serializeAttachment(kept)
      this.#state.acceptWebSocket(socket)
      this.#adopt(socket, { route, context, token, kept })
      return
    }
    socket.accept()
    const open = this.#adopt(socket, { route, context, token, kept: null })
    socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => open.receive(data))
    socket.addEventListener('close', () => open.end())
    socket.addEventListener('error', () => open.end())
  }

  #adopt(socket: ServerSocket, opening: Opening): OpenSocket {
    const open = new OpenSocket(socket, opening)
    this.#open.set(socket, open)
    const { route, context, token } = opening
    const close = (code: number, reason: string) => closeSocket(socket, code, reason)
    open.onClose(context.process.connections.add({ credential: context.caller.id, end: close }))
    Promise.try(() => route.open(open, context, token)).catch((cause: unknown) => {
      context.log.write('error', 'a socket failed', { route: route.path, cause })
      close(broken, 'Something went wrong here')
    })
    return open
  }
}

interface Opening {
  route: SocketEndpoint
  context: Context
  token: string | null
  /** Null if the socket keeps the object awake. */
  kept: Kept | null
}

/** A WebSocket for the program. The platform does not report how much is buffered. */
class OpenSocket implements Socket {
  readonly #socket: ServerSocket
  readonly #route: SocketEndpoint
  readonly #kept: Kept | null
  readonly #listeners: Parameters<Socket['onMessage']>[0][] = []
  readonly #ended: (() => void)[] = []

  constructor(socket: ServerSocket, { route, kept }: Opening) {
    this.#socket = socket
    this.#route = route
    this.#kept = kept
  }

  send(frame: string | Uint8Array): void {
    if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame as string)
  }

  close(code: number, reason: string): void {
    closeSocket(this.#socket, code, reason)
  }

  buffered(): number {
    return 0
  }

  onMessage(listener: (frame: string | Uint8Array) => void): void {
    this.#listeners.push(listener)
  }

  onClose(listener: () => void): void {
    this.#ended.push(listener)
  }

  receive(data: string | ArrayBuffer): void {
    const { max_frame_bytes, resume } = this.#route
    if (sizeOf(data) > max_frame_bytes) {
      this.close(tooBig, `A frame is limited to ${max_frame_bytes} bytes`)
      return
    }
    const frame = this.#kept && typeof data === 'string' ? (resume?.(data) ?? null) : null
    if (frame !== null) this.#socket.serializeAttachment({ ...this.#kept, frame })
    for (const listener of this.#listeners) listener(typeof data === 'string' ? data : new Uint8Array(data))
  }

  end(): void {
    for (const listener of this.#ended.splice(0)) listener()
  }
}

function withoutToken(text: string): string {
  const url = new URL(text)
  url.searchParams.delete('token')
  return url.href
}

const sizeOf = (data: string | ArrayBuffer) =>
  typeof data === 'string' ? new TextEncoder().encode(data).length : data.byteLength

/** A close frame holds 123 bytes of reason. */
function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== WebSocket.OPEN) return
  socket.close(code, reason.slice(0, 40))
}

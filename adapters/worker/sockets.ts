import { authenticateSocket, tokenOf } from '../../runtime/auth/authenticate-socket.ts'
import type { Context } from '../../runtime/context.ts'
import type { Host } from '../../runtime/host.ts'
import { answerFaults } from '../../runtime/http/errors.ts'
import { securityHeaders } from '../../runtime/http/headers.ts'
import { RouteTable } from '../../runtime/http/router.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { contextOf, type Peer } from '../../runtime/http/serve.ts'
import type { Socket, SocketEndpoint } from '../../runtime/http/socket.ts'
import type { ServerSocket } from './platform.ts'

declare const WebSocketPair: new () => { 0: WebSocket; 1: ServerSocket }

/** RFC 6455, section 7.4.1. */
const tooBig = 1009
const broken = 1011

export const isUpgrade = (request: Request) => request.headers.get('upgrade')?.toLowerCase() === 'websocket'

/** Opens a socket, or refuses with a plain HTTP answer. */
export function upgrades(sockets: readonly SocketEndpoint[]) {
  const table = new RouteTable(routesOf(sockets))
  return async (request: Request, host: Host, peer: Peer): Promise<Response> => {
    const context = contextOf(request, host, peer)
    const answer = await answerFaults(context, async () => {
      const { route } = await table.find('GET', request.url)
      context.caller = await authenticateSocket(route, request, context)
      const pair = new WebSocketPair()
      adopt(pair[1], route, context, tokenOf(request))
      return new Response(null, { status: 101, webSocket: pair[0] } as ResponseInit)
    })
    if (answer.status !== 101) for (const header of Object.entries(securityHeaders)) answer.headers.set(...header)
    return answer
  }
}

function adopt(socket: ServerSocket, route: SocketEndpoint, context: Context, token: string | null): void {
  const { connections } = context.process
  const end = (code: number, reason: string) => closeSocket(socket, code, reason)
  const forget = connections.add({ credential: context.caller.id, end })
  socket.addEventListener('close', forget)
  socket.addEventListener('error', forget)
  socket.accept()
  Promise.try(() => route.open(frameSocket(socket, route.max_frame_bytes), context, token)).catch((cause: unknown) => {
    context.log.write('error', 'a socket failed', { route: route.path, cause })
    end(broken, 'Something went wrong here')
  })
}

/** A WebSocket for the program. The platform does not report how much is buffered. */
function frameSocket(socket: ServerSocket, most: number): Socket {
  return {
    send(frame) {
      if (socket.readyState === WebSocket.OPEN) socket.send(frame as string)
    },
    close: (code, reason) => closeSocket(socket, code, reason),
    buffered: () => 0,
    onMessage: (listener) =>
      socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
        if (sizeOf(data) > most) return closeSocket(socket, tooBig, `A frame is limited to ${most} bytes`)
        listener(typeof data === 'string' ? data : new Uint8Array(data))
      }),
    onClose(listener) {
      socket.addEventListener('close', () => listener())
      socket.addEventListener('error', () => listener())
    },
  }
}

const sizeOf = (data: string | ArrayBuffer) =>
  typeof data === 'string' ? new TextEncoder().encode(data).length : data.byteLength

/** A close frame holds 123 bytes of reason. */
function closeSocket(socket: WebSocket, code: number, reason: string): void {
  if (socket.readyState !== WebSocket.OPEN) return
  socket.close(code, reason.slice(0, 40))
}

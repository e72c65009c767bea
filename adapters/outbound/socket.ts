import type { LookupFunction } from 'node:net'
import { type ClientOptions, createWebSocketStream, WebSocket } from 'ws'
import type { OutboundSocket, SocketOptions } from '../../runtime/ports/outbound.ts'
import { second } from '../../runtime/time.ts'

interface Settings extends SocketOptions {
  /** Returns only addresses that the guard has checked. */
  lookup: LookupFunction
  /** Milliseconds until the handshake must be done. */
  timeout: number
  user_agent: string
}

/** Opens a WebSocket connection to the addresses of `lookup`. */
export async function openSocket(url: string | URL, settings: Settings): Promise<OutboundSocket> {
  const { signal, lookup, timeout, user_agent, max_message_bytes, ping_seconds } = settings
  signal.throwIfAborted()
  // `ws` passes what it does not know to the socket, which takes `lookup`.
  const options: ClientOptions & { lookup: LookupFunction } = {
    lookup,
    handshakeTimeout: timeout,
    maxPayload: max_message_bytes,
    perMessageDeflate: false,
    headers: { 'user-agent': user_agent },
  }
  const socket = new WebSocket(url, options)
  // Before the handshake, so that no message is missed. It stops reading while nobody takes messages.
  const stream = createWebSocketStream(socket, { readableObjectMode: true })
  stream.on('error', () => undefined)
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.once('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  const cut = () => socket.terminate()
  signal.addEventListener('abort', cut, { once: true })
  void closed.then(() => signal.removeEventListener('abort', cut))
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve)
    socket.once('error', (error) => reject(signal.aborted ? signal.reason : error))
  })
  if (ping_seconds !== undefined) keepAlive(socket, ping_seconds)
  return { messages: untilEnd(stream), closed, cut, send: (text) => socket.send(text, () => undefined) }
}

/** A connection that was cut without notice would otherwise look open for hours. */
function keepAlive(socket: WebSocket, seconds: number): void {
  let isAnswered = true
  socket.on('pong', () => {
    isAnswered = true
  })
  const timer = setInterval(() => {
    if (!isAnswered) return socket.terminate()
    isAnswered = false
    socket.ping()
  }, seconds * second)
  socket.once('close', () => clearInterval(timer))
}

async function* untilEnd(stream: AsyncIterable<string>): AsyncIterable<string> {
  try {
    yield* stream
  } catch {
    // `closed` says how it ended.
  }
}

import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { createServer } from 'node:tls'

/** A certificate with its chain, and its private key, as PEM. */
export interface KeyPair {
  cert: string
  key: string
}

/** Milliseconds for the first byte, and for the handshake. */
const patience = 10_000
/** The first byte of a TLS connection. No request of HTTP begins with it. */
const handshake = 0x16

/**
 * Lets the port of a server speak HTTPS as well as HTTP: the first byte of a connection tells which. Both have the limits of
 * the server. `current` returns the certificate of a connection that begins now. Returns a function that drops the
 * connections that have said nothing yet, such as those that browsers open in advance; the server does not know them.
 */
export function acceptTls(server: Server, current: () => KeyPair): () => void {
  const listeners = server.listeners('connection')
  server.removeAllListeners('connection')
  const accept = (socket: Socket) => {
    for (const listener of listeners) listener.call(server, socket)
  }
  let used = current()
  const tls = createServer({ ...used, handshakeTimeout: patience })
  tls.on('secureConnection', accept)
  tls.on('tlsClientError', (_, socket) => socket.destroy())
  const begin = (socket: Socket) => {
    const latest = current()
    if (latest !== used) tls.setSecureContext(latest)
    used = latest
    // Or a client that leaves during the handshake stays until its time is over.
    socket.allowHalfOpen = false
    tls.emit('connection', socket)
  }
  const silent = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    const drop = () => socket.destroy()
    silent.add(socket)
    socket.once('close', () => silent.delete(socket))
    socket.on('error', drop)
    socket.setTimeout(patience, drop)
    socket.once('readable', () => {
      silent.delete(socket)
      const first = socket.read(1) as Buffer | null
      if (first === null) return drop()
      socket.unshift(first)
      socket.setTimeout(0)
      socket.off('timeout', drop)
      if (first[0] === handshake) begin(socket)
      else accept(socket)
    })
  })
  return () => {
    for (const socket of silent) socket.destroy()
  }
}

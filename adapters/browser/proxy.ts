import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'
import { reach, repeatable, Upstream } from './upstream.ts'

/**
 * The checked addresses that a connection to this URL may use; it is the service's one guard. Rejects for what must
 * not be reached.
 */
export type Locate = (url: URL) => Promise<string[]>

export interface EgressProxy {
  /** For the browser's proxy setting. */
  server: string
  /** Why the last request to the host of this URL was refused, for a clear error; null when it was not. */
  refusalOf(url: URL): string | null
  /** Ends every connection that is open. */
  drop(): void
  close(): Promise<void>
}

/** Milliseconds that a connection of the browser waits for its next request; the browser closes it before. */
const idleLimit = 6 * 60_000
const mostRefusals = 500

/**
 * All that the browser sends passes here: it is a proxy on the loopback that resolves each name once, has every address
 * checked, and connects to the checked one. Rules inside the browser would miss redirects, workers, sockets and
 * prefetches. It accepts connections of this machine alone, and lends them no more than the guard allows.
 */
export async function startProxy(locate: Locate): Promise<EgressProxy> {
  const refusals = new Map<string, string>()
  const sockets = new Set<Socket>()
  const track = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => socket.destroy())
    socket.once('close', () => sockets.delete(socket))
  }

  const drop = () => {
    for (const socket of sockets) socket.destroy()
  }

  async function addressesOf(url: URL): Promise<string[]> {
    try {
      const addresses = await locate(url)
      refusals.delete(placeOf(url))
      return addresses
    } catch (thrown) {
      if (thrown instanceof OutboundBlocked) {
        if (refusals.size >= mostRefusals) refusals.clear()
        refusals.set(placeOf(url), thrown.message)
      }
      throw thrown
    }
  }

  const upstream = new Upstream(track)
  const server = createServer({ keepAliveTimeout: idleLimit, noDelay: true }, async (incoming, outgoing) => {
    try {
      await forward(incoming, outgoing, { upstream, addressesOf })
    } catch (thrown) {
      refuse(outgoing, thrown)
    }
  })
  server.on('connection', track)
  server.on('clientError', (_, socket) => socket.destroy())
  server.on('connect', async (incoming: IncomingMessage, client: Socket, head: Buffer) => {
    try {
      const url = tunnelTarget(incoming.url)
      const remote = await reach(await addressesOf(url), portOf(url))
      track(remote)
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      if (head.length > 0) remote.write(head)
      join(client, remote)
    } catch {
      client.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    server: `http://127.0.0.1:${port}`,
    refusalOf: (url) => refusals.get(placeOf(url)) ?? null,
    drop,
    async close() {
      drop()
      server.close()
      await once(server, 'close')
    },
  }
}

/** Either end that goes takes the other along. */
function join(client: Socket, remote: Socket): void {
  client.once('close', () => remote.destroy())
  remote.once('close', () => client.destroy())
  client.pipe(remote)
  remote.pipe(client)
}

/** What a tunnel leads to, as a URL that the guard can judge; whether it is spoken to in TLS is not seen here. */
function tunnelTarget(authority = ''): URL {
  const url = URL.parse(`http://${authority}`)
  if (url?.pathname !== '/' || url.search || url.hash) throw new TypeError('This is not a host and port')
  return url
}

/** The same for a page and for the tunnel to it. */
const placeOf = (url: URL): string => `${url.hostname}:${portOf(url)}`

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

/** Only for the connection between two neighbours: RFC 9110, section 7.6.1. */
const hopByHop = [
  'connection',
  'proxy-connection',
  'proxy-authorization',
  'proxy-authenticate',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
]

interface Way {
  upstream: Upstream
  addressesOf(url: URL): Promise<string[]>
}

async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { upstream, addressesOf }: Way,
): Promise<void> {
  const url = URL.parse(incoming.url ?? '')
  if (url?.protocol !== 'http:') throw new TypeError('Only http is forwarded')
  const place = { name: url.hostname, port: portOf(url), addresses: await addressesOf(url) }
  const headers = { ...withoutHops(incoming), host: url.host }
  const options = { method: incoming.method ?? 'GET', path: url.pathname + url.search, headers }
  const ask = (own: boolean): void => {
    const asked = upstream.begin(place, options, own)
    const leave = () => asked.destroy()
    asked.on('response', (response) => {
      outgoing.off('close', leave).once('close', () => response.destroy())
      answer(response, outgoing)
    })
    asked.on('error', () => {
      outgoing.off('close', leave)
      if (asked.reusedSocket && !outgoing.headersSent && !outgoing.destroyed) return ask(true)
      outgoing.destroy()
    })
    outgoing.once('close', leave)
    incoming.pipe(asked)
  }
  ask(!repeatable(incoming))
}

function answer(response: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(response.statusCode ?? 502, response.statusMessage ?? '', withoutHops(response))
  response.pipe(outgoing)
  response.once('error', () => outgoing.destroy())
}

function withoutHops({ headers }: IncomingMessage): Record<string, string | string[]> {
  const named = (headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase())
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !hopByHop.includes(name) && !named.includes(name),
  )
  return Object.fromEntries(kept) as Record<string, string | string[]>
}

/** What is forbidden is told as a page; what cannot be reached ends like a connection that failed. */
function refuse(outgoing: ServerResponse, thrown: unknown): void {
  if (outgoing.headersSent || !(thrown instanceof OutboundBlocked)) return void outgoing.destroy()
  outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  outgoing.end(`hearthd did not let this request through: ${thrown.message}`)
}

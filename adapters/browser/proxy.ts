import { once } from 'node:events'
import {
  Agent,
  type ClientRequestArgs,
  createServer,
  type IncomingMessage,
  type RequestOptions,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { OutboundBlocked } from '../../runtime/ports/outbound.ts'

/**
 * Resolves a URL to checked addresses; this is the service's only guard. Rejects if the URL must not be
 * reached.
 */
export type Locate = (url: URL) => Promise<string[]>

export interface EgressProxy {
  /** Address for the browser's proxy setting. */
  server: string
  /** Why the last request to this host was refused; null if it was not. */
  refusalOf(url: URL): string | null
  /** Closes every open connection. */
  drop(): void
  close(): Promise<void>
}

/** Milliseconds that an idle connection from the browser stays open; the browser closes it earlier. */
const idleLimit = 6 * 60_000
const maxRefusals = 500

/**
 * All traffic of the browser passes through this proxy on the loopback interface: it resolves each name once,
 * has every address checked, and connects to the checked one. Rules inside the browser would miss redirects,
 * workers, sockets and prefetches.
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
        if (refusals.size >= maxRefusals) refusals.clear()
        refusals.set(placeOf(url), thrown.message)
      }
      throw thrown
    }
  }

  const agents = { kept: new Connections(track, true), single: new Connections(track, false) }
  const server = createServer({ keepAliveTimeout: idleLimit, noDelay: true }, async (incoming, outgoing) => {
    try {
      await forward(incoming, outgoing, { agents, addressesOf })
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

/** Pipes both ways; when one end closes, so does the other. */
function join(client: Socket, remote: Socket): void {
  client.once('close', () => remote.destroy())
  remote.once('close', () => client.destroy())
  client.pipe(remote)
  remote.pipe(client)
}

/** The target of a tunnel as a URL for the guard. */
function tunnelTarget(authority = ''): URL {
  const url = URL.parse(`http://${authority}`)
  if (url?.pathname !== '/' || url.search || url.hash) throw new TypeError('Not a host and port')
  return url
}

/** Host and port, the same for a page and the tunnel to it. */
const placeOf = (url: URL): string => `${url.hostname}:${portOf(url)}`

const portOf = (url: URL): number => Number(url.port || (url.protocol === 'https:' ? 443 : 80))

/** Hop-by-hop headers: RFC 9110, section 7.6.1. */
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

interface Egress {
  /** `single` connects for each request. */
  agents: { kept: Connections; single: Connections }
  addressesOf(url: URL): Promise<string[]>
}

async function forward(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { agents, addressesOf }: Egress,
): Promise<void> {
  const url = URL.parse(incoming.url ?? '')
  if (url?.protocol !== 'http:') throw new TypeError('Only http is forwarded')
  const place = { name: url.hostname, port: portOf(url), addresses: await addressesOf(url) }
  const headers = { ...withoutHops(incoming), host: url.host }
  const options = { method: incoming.method ?? 'GET', path: url.pathname + url.search, headers, place }
  const ask = (agent: Connections): void => {
    const sent = request({ ...options, agent, setHost: false } as Placed)
    const leave = () => sent.destroy()
    sent.on('response', (response) => {
      outgoing.off('close', leave).once('close', () => response.destroy())
      answer(response, outgoing)
    })
    sent.on('error', () => {
      outgoing.off('close', leave)
      if (sent.reusedSocket && !outgoing.headersSent && !outgoing.destroyed) return ask(agents.single)
      outgoing.destroy()
    })
    outgoing.once('close', leave)
    incoming.pipe(sent)
  }
  ask(isRepeatable(incoming) ? agents.kept : agents.single)
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

/** A refused request gets a page with the reason; an unreachable one a failed connection. */
function refuse(outgoing: ServerResponse, thrown: unknown): void {
  if (outgoing.headersSent || !(thrown instanceof OutboundBlocked)) return void outgoing.destroy()
  outgoing.writeHead(403, { 'content-type': 'text/plain; charset=utf-8', connection: 'close' })
  outgoing.end(`hearthd blocked this request: ${thrown.message}`)
}

/** Milliseconds to connect to one address. */
const connectLimit = 10_000
/** Milliseconds that an idle connection to a server stays open, unless the server asks for less. */
const upstreamIdleLimit = 5_000
const maxIdle = 6

/** The target of one request, with the addresses that were checked for it. */
interface Place {
  name: string
  port: number
  addresses: readonly string[]
}

type Placed = RequestOptions & { place: Place }

type Track = (socket: Socket) => void

/**
 * Connections pooled by target. A name that resolves to other addresses now is another target, so no request
 * goes to an address that was not checked for it.
 */
class Connections extends Agent {
  readonly #track: Track

  constructor(track: Track, keepAlive: boolean) {
    super({ keepAlive, timeout: upstreamIdleLimit, maxFreeSockets: maxIdle })
    this.#track = track
  }

  override getName(options?: RequestOptions): string {
    const { name, port, addresses } = (options as Placed).place
    return [name, port, ...addresses.toSorted()].join(' ')
  }

  override createConnection(options: ClientRequestArgs, done: (failure: Error | null, stream: Duplex) => void): null {
    const { addresses, port } = (options as Placed).place
    reach(addresses, port).then(
      (socket) => {
        this.#track(socket)
        done(null, socket)
      },
      (failure: Error) => done(failure, null as never),
    )
    return null
  }
}

/**
 * Whether a request can be repeated. A server may close an idle connection just as a request is sent on it:
 * such a request is sent again, and any other has its own connection.
 */
const isRepeatable = ({ method = '', headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

/** Connects to the first address that answers. */
export async function reach(addresses: readonly string[], port: number): Promise<Socket> {
  let failure: unknown = new Error('No address')
  for (const host of addresses) {
    const socket = connect({ host, port, timeout: connectLimit, noDelay: true })
    socket.once('timeout', () => socket.destroy(new Error('Connection timed out')))
    try {
      await once(socket, 'connect')
      socket.setTimeout(0)
      socket.removeAllListeners('timeout')
      return socket
    } catch (thrown) {
      failure = thrown
    }
  }
  throw failure
}

import { once } from 'node:events'
import {
  Agent,
  type ClientRequest,
  type ClientRequestArgs,
  type IncomingMessage,
  type RequestOptions,
  request,
} from 'node:http'
import { connect, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'

/** Milliseconds to reach one address. */
const connectLimit = 10_000
/** Milliseconds that a connection waits for the next request; a server that says less is believed. */
const idleLimit = 5_000
const mostIdle = 6

/** Where a request may go: the addresses were checked for this very request. */
export interface Place {
  name: string
  port: number
  addresses: readonly string[]
}

type Placed = RequestOptions & { place: Place }

type Track = (socket: Socket) => void

/**
 * Connections by place. A name that leads to other addresses since is another place, so nothing travels to an address
 * that was not checked for it.
 */
class Connections extends Agent {
  readonly #track: Track

  constructor(track: Track, keepAlive: boolean) {
    super({ keepAlive, timeout: idleLimit, maxFreeSockets: mostIdle })
    this.#track = track
  }

  override getName(options?: RequestOptions): string {
    const { name, port, addresses } = (options as Placed).place
    return [name, port, ...addresses.toSorted()].join(' ')
  }

  override createConnection(
    options: ClientRequestArgs,
    done: (failure: Error | null, stream: Duplex) => void,
  ): null {
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

/** The ways on to where requests may go. */
export class Upstream {
  readonly #kept: Connections
  readonly #single: Connections

  constructor(track: Track) {
    this.#kept = new Connections(track, true)
    this.#single = new Connections(track, false)
  }

  /** Begins a request, on a connection that waits for one or on one of its own. What it carries is still to be sent. */
  begin(place: Place, options: RequestOptions, own: boolean): ClientRequest {
    const placed: Placed = { ...options, place, agent: own ? this.#single : this.#kept, setHost: false }
    return request(placed)
  }
}

/**
 * Whether it does no harm twice. The server may close a connection that waits just as the next request travels on it;
 * such a request is sent once more, and every other one has a connection of its own.
 */
export const repeatable = ({ method = '', headers }: IncomingMessage): boolean =>
  (method === 'GET' || method === 'HEAD') &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

/** A connection to the first address that answers. */
export async function reach(addresses: readonly string[], port: number): Promise<Socket> {
  let failure: unknown = new Error('There is no address')
  for (const host of addresses) {
    const socket = connect({ host, port, timeout: connectLimit, noDelay: true })
    socket.once('timeout', () => socket.destroy(new Error('It did not answer in time')))
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

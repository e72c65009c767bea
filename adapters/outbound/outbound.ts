import { networkInterfaces } from 'node:os'
import { judgeTarget, type Question, readPolicy } from '../../runtime/outbound/policy.ts'
import { type Outbound, OutboundBlocked, type OutboundOptions } from '../../runtime/ports/outbound.ts'
import { type Connections, openConnections } from './connections.ts'
import { createFollower, createTrust, judge, requireTarget } from './follow.ts'
import { createLocator, type Resolve, systemResolve } from './locate.ts'

export interface OutboundSettings {
  /** Hosts, `*.hosts`, addresses, CIDR ranges, host:port that are open though they are private. */
  allowlist?: readonly string[]
  /** The same forms; wins over everything else. */
  blocklist?: readonly string[]
  /** Ports where this service listens; asked at each request. */
  own_ports?: () => readonly number[]
  /** All addresses of a name. Default: the system's resolver. */
  resolve?: Resolve
  user_agent?: string
}

export interface NodeOutbound extends Outbound {
  /**
   * The checked addresses that a connection to this URL may use, for those who must open sockets themselves,
   * such as the proxy of the browser. Rejects with `OutboundBlocked`.
   */
  locate(url: string | URL, options?: Pick<OutboundOptions, 'trusted_origins'>): Promise<string[]>
  /** The same for a host that speaks another protocol and that a person configured, such as a mail server. */
  locateHost(host: string, port: number): Promise<string[]>
  /** Ends the connections that are kept open. */
  close(): Promise<void>
}

/** The guard of a Node host. Throws when an entry of a list cannot be read. */
export function createOutbound(settings: OutboundSettings = {}): NodeOutbound {
  const { own_ports = () => [], resolve = systemResolve, user_agent = 'hearthd' } = settings
  const policy = readPolicy(settings.allowlist, settings.blocklist)
  const locate = createLocator(resolve)
  const own = () => ({ ports: own_ports(), addresses: ownAddresses })
  const pools = new Map<boolean, Promise<Connections>>()

  /** Trusted requests have connections of their own, so no other request ever travels on one of them. */
  function poolFor(trusted: boolean): Promise<Connections> {
    const known = pools.get(trusted)
    if (known) return known
    const opened = openConnections((target) => locate({ target, policy, own: own(), trusted }))
    pools.set(trusted, opened)
    return opened
  }

  async function send({ target, trusted }: Question, init: RequestInit): Promise<Response> {
    const { dispatcher } = await poolFor(trusted)
    try {
      return await fetch(target.url, { ...init, dispatcher } as RequestInit)
    } catch (error) {
      throw findBlocked(error) ?? error
    }
  }

  return {
    ...createFollower({ policy, own, user_agent, send }),
    locate: async (url, options) =>
      locate(judge({ policy, own }, url, createTrust(options?.trusted_origins))),
    async locateHost(host, port) {
      const target = { ...requireTarget(`http://${host.includes(':') ? `[${host}]` : host}`), port }
      const question: Question = { target, policy, own: own(), trusted: true }
      const refusal = judgeTarget(question)
      if (refusal) throw new OutboundBlocked(refusal)
      return locate(question)
    },
    async close() {
      const open = await Promise.all(pools.values())
      pools.clear()
      await Promise.all(open.map((connections) => connections.close()))
    },
  }
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((found) => found?.map(({ address }) => address) ?? [])
}

/** `fetch` wraps what happened at connect time. */
function findBlocked(error: unknown): OutboundBlocked | null {
  if (error instanceof OutboundBlocked) return error
  return error instanceof Error && error.cause ? findBlocked(error.cause) : null
}

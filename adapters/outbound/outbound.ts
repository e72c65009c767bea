import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { isIPv6, type LookupFunction, connect as openTcp, type Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { buildConnector as Build, Dispatcher } from 'undici'
import { judgeAddress, judgeTarget, type Question, readPolicy } from '../../runtime/outbound/policy.ts'
import type { Target } from '../../runtime/outbound/targets.ts'
import { type Outbound, OutboundBlocked, type OutboundOptions } from '../../runtime/ports/outbound.ts'
import { createFollower, createTrust, judge, requireTarget, webAddress } from './follow.ts'

export interface OutboundSettings {
  /** Hosts, `*.hosts`, addresses, CIDR ranges and host:port values that are allowed although they are private. */
  allowlist?: readonly string[]
  /** Same forms. Overrides everything else. */
  blocklist?: readonly string[]
  /** Ports on which this service listens; called for each request. */
  own_ports?: () => readonly number[]
  /** All addresses of a name. Default: the system's resolver. */
  resolve?: Resolve
  user_agent?: string
}

export interface NodeOutbound extends Outbound {
  /**
   * The checked addresses for a connection to this URL, for code that opens sockets itself, such as the browser's
   * proxy. Rejects with `OutboundBlocked`.
   */
  locate(url: string | URL, options?: Pick<OutboundOptions, 'trusted_origins'>): Promise<string[]>
  /** The same for a host that speaks another protocol and that a person configured, such as a mail server. */
  locateHost(host: string, port: number): Promise<string[]>
  /** A connection to a checked address of a host. One that no administrator named must be public. */
  connect(host: string, port: number, options: { trusted: boolean }): Promise<Socket>
  /** Ends the connections that are kept open. */
  close(): Promise<void>
}

/** Creates the guard of a Node host. Throws if a list entry is invalid. */
export function createOutbound(settings: OutboundSettings = {}): NodeOutbound {
  const { own_ports = () => [], resolve = systemResolve, user_agent = 'hearthd' } = settings
  const policy = readPolicy(settings.allowlist, settings.blocklist)
  const locate = createLocator(resolve)
  const own = () => ({ ports: own_ports(), addresses: ownAddresses })
  const pools = new Map<boolean, Promise<Connections>>()

  /** Trusted requests use separate connections. */
  function poolFor(trusted: boolean): Promise<Connections> {
    const cached = pools.get(trusted)
    if (cached) return cached
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

  async function locateServer(host: string, port: number, trusted: boolean): Promise<string[]> {
    const target = { ...requireTarget(`http://${host.includes(':') ? `[${host}]` : host}`), port }
    const question: Question = { target, policy, own: own(), trusted }
    const refusal = judgeTarget(question)
    if (refusal) throw new OutboundBlocked(refusal)
    return locate(question)
  }

  return {
    ...createFollower({ policy, own, user_agent, send }),
    locate: async (url, options) => locate(judge({ policy, own }, url, createTrust(options?.trusted_origins))),
    locateHost: (host, port) => locateServer(host, port, true),
    async connect(host, port, { trusted }) {
      const addresses = await locateServer(host, port, trusted)
      const socket = openTcp({ host, port, lookup: pinned(addresses), timeout: connectLimit, noDelay: true })
      const late = () =>
        socket.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT', syscall: 'connect' }))
      socket.once('timeout', late)
      await once(socket, 'connect')
      socket.off('timeout', late).setTimeout(0).setKeepAlive(true, 60_000)
      return socket
    },
    async openSocket(url, options) {
      const web = webAddress(url)
      const question = judge({ policy, own }, web, createTrust())
      const addresses = await locate(question)
      const { openSocket } = await import('./socket.ts')
      return openSocket(url, { ...options, lookup: pinned(addresses), timeout: connectLimit, user_agent })
    },
    async close() {
      const open = await Promise.all(pools.values())
      pools.clear()
      await Promise.all(open.map((connections) => connections.close()))
    },
  }
}

function ownAddresses(): string[] {
  return Object.values(networkInterfaces()).flatMap((addresses) => addresses?.map(({ address }) => address) ?? [])
}

/** `fetch` wraps errors of the connection. */
function findBlocked(error: unknown): OutboundBlocked | null {
  if (error instanceof OutboundBlocked) return error
  return error instanceof Error && error.cause ? findBlocked(error.cause) : null
}

interface Connections {
  /** For the `dispatcher` of Node's `fetch`. */
  dispatcher: Dispatcher
  close(): Promise<void>
}

/**
 * A pool whose sockets connect only to the addresses that `locate` returns. It is called once per connection, so later
 * DNS changes have no effect. The pool ignores proxy variables.
 */
async function openConnections(locate: (target: Target) => Promise<string[]>): Promise<Connections> {
  const { Agent, Dispatcher1Wrapper, buildConnector } = loadUndici()

  async function connectorFor({ protocol, host }: Build.Options): Promise<Build.connector> {
    const addresses = await locate(requireTarget(`${protocol}//${host}`))
    return buildConnector({
      timeout: connectLimit,
      allowH2: false,
      maxCachedSessions: 0,
      lookup: pinned(addresses),
    })
  }

  const agent = new Agent({
    connect: (options, callback) => {
      connectorFor(options).then(
        (connect) => connect(options, callback),
        (error) => callback(error, null),
      )
    },
  })
  // Node's own `fetch` speaks to dispatchers of undici 7; the wrapper translates.
  return { dispatcher: new Dispatcher1Wrapper(agent), close: () => agent.close() }
}

type Undici = Pick<typeof import('undici'), 'Agent' | 'Dispatcher1Wrapper' | 'buildConnector'>

/**
 * Loaded by the first request. The main module of undici would also load its `fetch`, caches, sockets and mocks, which
 * are not used here: this takes 15 ms instead of 50, and 2.4 MB less of the heap.
 */
function loadUndici(): Undici {
  const load = createRequire(import.meta.url)
  return {
    Agent: load('undici/lib/dispatcher/agent.js'),
    Dispatcher1Wrapper: load('undici/lib/dispatcher/dispatcher1-wrapper.js'),
    buildConnector: load('undici/lib/core/connect.js'),
  }
}

/** A resolver that returns these addresses for any name. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const [first = { address: '', family: 4 }] = answers
  return (_hostname, options, callback) => {
    if (options.all) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}

export type Resolve = (hostname: string) => Promise<readonly string[]>

/** Milliseconds, once for the lookup and once for the connection. */
export const connectLimit = 10_000

export const systemResolve: Resolve = async (hostname) => {
  const answers = await lookup(hostname, { all: true, order: 'verbatim' })
  return answers.map(({ address }) => address)
}

/**
 * Resolves a target once and checks every address. One forbidden address refuses the name: mixing a private address
 * with public ones is an attack that waits for the client to try it.
 */
export function createLocator(resolve: Resolve): (question: Question) => Promise<string[]> {
  return async (question) => {
    const { host, literal } = question.target
    const addresses = literal ? [host] : await withLimit(resolve(host), host)
    if (addresses.length === 0) throw notFound(`${host} has no address`)
    for (const address of addresses) {
      const refusal = judgeAddress(question, address)
      if (refusal) throw new OutboundBlocked(refusal)
    }
    return [...addresses]
  }
}

/** Nothing was sent: see `isUnsent`. */
const notFound = (message: string) => Object.assign(new TypeError(message), { code: 'ENOTFOUND' })

async function withLimit<Value>(work: Promise<Value>, host: string): Promise<Value> {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(notFound(`${host} was not resolved in time`)), connectLimit)
  try {
    return await Promise.race([work, promise])
  } finally {
    clearTimeout(timer)
  }
}

import { unsupported } from '../../runtime/fault.ts'
import { judgeTarget, type Own, type Policy, type Question, readPolicy } from '../../runtime/outbound/policy.ts'
import { type Hop, isStream, nextHop } from '../../runtime/outbound/redirects.ts'
import { parseTarget, type Target } from '../../runtime/outbound/targets.ts'
import { type Outbound, OutboundBlocked, type OutboundOptions } from '../../runtime/ports/outbound.ts'

interface Wire {
  policy: Policy
  user_agent: string
  own(): Own
  /** Sends one request to a checked target, without following redirects. */
  send(question: Question, init: RequestInit): Promise<Response>
}

const maxRedirects = 5

/** Wraps a transport with the guard, which checks each hop before sending and follows redirects itself. */
export function createFollower(wire: Wire): Omit<Outbound, 'openSocket'> {
  return {
    refusal(url, { trusted_origins } = {}) {
      try {
        judge(wire, url, createTrust(trusted_origins))
        return null
      } catch (thrown) {
        if (thrown instanceof OutboundBlocked) return thrown.message
        throw thrown
      }
    },
    async fetch(url, init = {}, { trusted_origins, max_redirects = maxRedirects }: OutboundOptions = {}) {
      const trust = createTrust(trusted_origins)
      let hop = firstHop(url, init, wire.user_agent)
      for (let redirects = 0; ; redirects += 1) {
        const question = judge(wire, hop.url, trust)
        const response = await wire.send(question, toInit(hop, init.signal))
        if (init.redirect === 'manual') return response
        const next = nextHop(hop, response.status, response.headers.get('location'))
        if (next.kind === 'answer') return redirects > 0 ? markRedirected(response) : response
        await response.body?.cancel()
        if (next.kind === 'fail') throw new TypeError(next.reason)
        if (init.redirect === 'error') throw new TypeError('The server responded with a redirect')
        if (redirects >= max_redirects) throw new TypeError(`More than ${max_redirects} redirects`)
        hop = next.hop
      }
    },
  }
}

export function requireTarget(url: string | URL): Target {
  const parsed = parseTarget(url)
  if (!parsed.ok) throw new OutboundBlocked(parsed.reason)
  return parsed.target
}

/** The address of a WebSocket as the guard judges it: `ws` is http, and `wss` is https. */
export function webAddress(url: string | URL): string {
  const [, secure, rest] = /^ws(s?):(.*)$/is.exec(String(url)) ?? []
  if (rest === undefined) throw new OutboundBlocked('only ws and wss are allowed')
  return `http${secure}:${rest}`
}

/** The target of a URL. Throws `OutboundBlocked` if the guard refuses it. */
export function judge(wire: Pick<Wire, 'policy' | 'own'>, url: string | URL, trust: Trust): Question {
  const target = requireTarget(url)
  const question: Question = { target, policy: wire.policy, own: wire.own(), trusted: trust(target.origin) }
  const refusal = judgeTarget(question)
  if (refusal) throw new OutboundBlocked(refusal)
  return question
}

type Trust = (origin: string) => boolean

/** Trust ends at the first redirect to another origin: a page must not redirect back to a trusted address. */
export function createTrust(trusted_origins: readonly string[] = []): Trust {
  const origins = new Set(trusted_origins.map((origin) => URL.parse(origin)?.origin))
  let unbroken = true
  return (origin) => {
    unbroken &&= origins.has(origin)
    return unbroken
  }
}

function firstHop(url: string | URL, init: RequestInit, user_agent: string): Hop {
  const headers = new Headers(init.headers)
  // A `Host` header would override the virtual host that the URL determines.
  headers.delete('host')
  if (!headers.has('user-agent')) headers.set('user-agent', user_agent)
  return { url: requireTarget(url).url, method: normalMethod(init.method), headers, body: init.body ?? null }
}

/** `fetch` accepts the common methods in any case; the redirect rules expect capitals. */
function normalMethod(method = 'GET'): string {
  const capitals = method.toUpperCase()
  return ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].includes(capitals) ? capitals : method
}

/** Passes only the options that every host supports; the others apply to browsers. */
function toInit({ method, headers, body }: Hop, signal: AbortSignal | null | undefined): RequestInit {
  const init: RequestInit & { duplex?: 'half' } = {
    method,
    headers,
    body,
    redirect: 'manual',
    signal: signal ?? null,
  }
  if (isStream(body)) init.duplex = 'half'
  return init
}

/** `fetch` sets this when it follows a redirect itself. */
function markRedirected(response: Response): Response {
  return Object.defineProperty(response, 'redirected', { value: true })
}

interface WebOutboundSettings {
  allowlist?: readonly string[]
  blocklist?: readonly string[]
  user_agent?: string
}

/**
 * The guard for hosts without sockets. It checks the URL of each hop: scheme, port, literal addresses, local and
 * metadata names, both lists. It cannot resolve names, so a public name that points to a private address passes, and
 * address rules match only literal addresses. The platform must prevent that, as Cloudflare Workers do, which cannot
 * reach private networks. Do not use it on a machine with access to a private network.
 */
export function createWebOutbound(fetch: typeof globalThis.fetch, settings: WebOutboundSettings = {}): Outbound {
  const { allowlist, blocklist, user_agent = 'hearthd' } = settings
  const wire: Wire = {
    policy: readPolicy(allowlist, blocklist),
    user_agent,
    own: () => ({ ports: [], addresses: () => [] }),
    // Browsers hide the target of a redirect; workers and Node return it.
    send: ({ target }, init) => fetch(target.url.href, init),
  }
  return {
    ...createFollower(wire),
    async openSocket(url) {
      judge(wire, webAddress(url), createTrust())
      throw unsupported('This host keeps no connections open; the Node host does')
    },
  }
}

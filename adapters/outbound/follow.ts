import {
  judgeTarget,
  type Own,
  type Policy,
  type Question,
  readPolicy,
} from '../../runtime/outbound/policy.ts'
import { type Hop, isStream, nextHop } from '../../runtime/outbound/redirects.ts'
import { parseTarget, type Target } from '../../runtime/outbound/targets.ts'
import { type Outbound, OutboundBlocked, type OutboundOptions } from '../../runtime/ports/outbound.ts'

export interface Wire {
  policy: Policy
  user_agent: string
  own(): Own
  /** Sends one request to a target that was judged, without following redirects. */
  send(question: Question, init: RequestInit): Promise<Response>
}

const maxRedirects = 5

/** The guard around a wire: judges each hop before it is sent, and follows redirects itself. */
export function createFollower(wire: Wire): Outbound {
  return {
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
        if (init.redirect === 'error') throw new TypeError('The server answered with a redirect')
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

/** The question for a URL that the guard allows; throws `OutboundBlocked` for any other. */
export function judge(wire: Pick<Wire, 'policy' | 'own'>, url: string | URL, trust: Trust): Question {
  const target = requireTarget(url)
  const question: Question = { target, policy: wire.policy, own: wire.own(), trusted: trust(target.origin) }
  const refusal = judgeTarget(question)
  if (refusal) throw new OutboundBlocked(refusal)
  return question
}

export type Trust = (origin: string) => boolean

/** Trust ends with the first hop to another origin: a page must not lead back to what a person trusted. */
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
  // It would choose the virtual host and the TLS name, which the URL decides.
  headers.delete('host')
  if (!headers.has('user-agent')) headers.set('user-agent', user_agent)
  return { url: requireTarget(url).url, method: normalMethod(init.method), headers, body: init.body ?? null }
}

/** `fetch` accepts the common methods in any case; the redirect rules expect capitals. */
function normalMethod(method = 'GET'): string {
  const capitals = method.toUpperCase()
  return ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'POST', 'PUT'].includes(capitals) ? capitals : method
}

/** Only what every host understands; the rest of `RequestInit` is about pages in a browser. */
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

export interface WebOutboundSettings {
  allowlist?: readonly string[]
  blocklist?: readonly string[]
  user_agent?: string
}

/**
 * The guard for hosts without sockets. It judges the URL of each hop: scheme, port, literal addresses, local and
 * metadata names, both lists. It cannot see what a name resolves to, so a public name that points to a private
 * address passes here, and rules with addresses match literal ones only. The platform has to
 * prevent that: Cloudflare's workers reach no private network. Do not use it on a machine whose network is worth protecting.
 */
export function createWebOutbound(
  fetch: typeof globalThis.fetch,
  settings: WebOutboundSettings = {},
): Outbound {
  const { allowlist, blocklist, user_agent = 'hearthd' } = settings
  return createFollower({
    policy: readPolicy(allowlist, blocklist),
    user_agent,
    own: () => ({ ports: [], addresses: () => [] }),
    // Browsers hide the target of a redirect; workers and Node return it.
    send: ({ target }, init) => fetch(target.url.href, init),
  })
}

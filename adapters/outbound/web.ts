import { readPolicy } from '../../runtime/outbound/policy.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { createFollower } from './follow.ts'

export interface WebOutboundSettings {
  allowlist?: readonly string[]
  blocklist?: readonly string[]
  user_agent?: string
}

/**
 * The guard for hosts without sockets. It judges the URL of each hop: scheme, port, literal addresses, local and
 * metadata names, both lists. It cannot see what a name resolves to, so a public name that points to a private
 * address passes here, and rules with addresses match literal ones only. That is the platform's part: the
 * workers of Cloudflare reach no private network. Do not use it on a machine whose network is worth protecting.
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
    // A browser would hide where a redirect leads; workers and Node answer it as it is.
    send: ({ target }, init) => fetch(target.url.href, init),
  })
}

/** The guard refused the address. `reason` is safe to show: it names the rule, not the network. */
export class OutboundBlocked extends Error {
  override name = 'OutboundBlocked'
}

export interface OutboundOptions {
  /**
   * Origins (`http://127.0.0.1:11434`) that a person configured for this purpose and that may be private,
   * for example the base URL of a local model server. Never taken from a model or a page.
   */
  trusted_origins?: readonly string[]
  /** Maximum redirects; each hop is checked again. Default 5. */
  max_redirects?: number
}

/**
 * The guard of all outgoing requests. It allows http and https only, resolves the name once, checks every address
 * and connects to the checked address. Refused requests reject with `OutboundBlocked`.
 */
export interface Outbound {
  fetch(url: string | URL, init?: RequestInit, options?: OutboundOptions): Promise<Response>
  /** Why every request to this URL would be refused, based on its text alone; null if it may be reachable. */
  refusal(url: string | URL, options?: Pick<OutboundOptions, 'trusted_origins'>): string | null
}

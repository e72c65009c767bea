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
  /** Most redirects to follow; each hop is checked again. Default 5. */
  max_redirects?: number
}

/**
 * The one way out. Every request of the daemon passes here: http and https only, the name is resolved once,
 * every address is checked, and the connection goes to the checked address. Blocked → `OutboundBlocked`.
 */
export interface Outbound {
  fetch(url: string | URL, init?: RequestInit, options?: OutboundOptions): Promise<Response>
}

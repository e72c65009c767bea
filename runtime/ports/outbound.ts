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
  /** Opens a WebSocket connection to a `ws` or `wss` URL, under the same rules as `fetch`. Follows no redirects. */
  openSocket(url: string | URL, options: SocketOptions): Promise<OutboundSocket>
}

export interface SocketOptions {
  /** Ends the connection, also after it was opened. */
  signal: AbortSignal
  /** A longer message ends the connection. */
  max_message_bytes: number
  /** Seconds between pings. A connection whose other side did not answer the last one is ended. Default: no pings. */
  ping_seconds?: number
}

/** A WebSocket connection for text messages. */
export interface OutboundSocket {
  /** In the order received, until the connection ends. Read once. */
  messages: AsyncIterable<string>
  /** How the connection ended: 1006 if there was no close frame. */
  closed: Promise<{ code: number; reason: string }>
  /** Ignored after the end of the connection. */
  send(text: string): void
  /** Ends the connection at once, without a close frame. */
  cut(): void
}

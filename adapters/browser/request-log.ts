import type { BrowserContext, Page, Request, Response, WebSocket } from 'playwright'
import type { TabUser } from '../../runtime/ports/browser.ts'
import { hideInUrl } from '../../runtime/secrets/traffic.ts'
import type { NetworkRequest } from '../../runtime/tabs/schema.ts'
import { iso } from '../../runtime/time.ts'
import { sees } from './tabs.ts'

/** Requests kept, of all pages together. */
const maxRequests = 1_000
/** Characters of an address; `data:` addresses can be megabytes. */
const longestUrl = 4_000

interface RequestSource {
  now(): number
  /** Why the guard refused the last request to this host; null if it did not. */
  refusalOf(url: URL): string | null
  /** Bytes of the mocked response; null if the request was not mocked. */
  mockedSize(request: Request): number | null
}

type About = Pick<NetworkRequest, 'method' | 'url' | 'resource_type'>

/** The requests of pages, oldest first. */
export class RequestLog {
  readonly #source: RequestSource
  readonly #entries = new Map<object, NetworkRequest>()
  readonly #pages = new WeakMap<object, Page>()
  #seen = 0

  constructor(source: RequestSource) {
    this.#source = source
  }

  attach(context: BrowserContext): void {
    context.on('request', (request) => this.#begin(request))
    context.on('response', (response) => this.#answer(response))
    context.on('requestfinished', (request) => void this.#finish(request))
    context.on('requestfailed', (request) => this.#fail(request))
    context.on('page', (page) => this.#followSockets(page))
  }

  /** The requests of the pages that a user sees. */
  list(user?: TabUser): NetworkRequest[] {
    const visible = [...this.#entries].filter(([key]) => sees(user, this.#pages.get(key) ?? null))
    return visible.map(([, entry]) => ({ ...entry }))
  }

  #begin(request: Request): void {
    const [method, url] = [request.method(), request.url()]
    this.#note(request, { method, url, resource_type: request.resourceType() }, pageOf(request))
  }

  #note(key: object, { method, url, resource_type }: About, page: Page | null): NetworkRequest {
    this.#seen += 1
    if (page) this.#pages.set(key, page)
    const entry: NetworkRequest = {
      id: `req_${this.#seen}`,
      method,
      url: hideInUrl(url.slice(0, longestUrl)),
      resource_type,
      status: null,
      mime_type: null,
      duration_ms: null,
      size_bytes: null,
      mocked: false,
      error: null,
      blocked_reason: null,
      started_at: iso(this.#source.now()),
    }
    this.#entries.set(key, entry)
    const oldest = this.#entries.keys().next().value
    if (this.#entries.size > maxRequests && oldest) this.#entries.delete(oldest)
    return entry
  }

  /** Recorded with the headers, as the page may close before the body ends. */
  #answer(response: Response): void {
    const request = response.request()
    const entry = this.#entries.get(request)
    if (!entry) return
    entry.mocked = this.#source.mockedSize(request) !== null
    entry.status = response.status()
    entry.mime_type = response.headers()['content-type']?.split(';')[0]?.trim() || null
  }

  async #finish(request: Request): Promise<void> {
    const entry = this.#entries.get(request)
    if (!entry) return
    entry.duration_ms = this.#duration(request, entry)
    const response = request.existingResponse()
    const mocked = this.#source.mockedSize(request)
    const blocked_reason = this.#refusal(request)
    if (mocked === null && response?.status() === 403 && blocked_reason) {
      Object.assign(entry, { error: 'blocked', blocked_reason, status: null, mime_type: null })
      return
    }
    entry.size_bytes = mocked ?? (await sizeOf(request))
  }

  #fail(request: Request): void {
    const entry = this.#entries.get(request)
    if (!entry) return
    const reason = request.failure()?.errorText ?? 'failed'
    entry.duration_ms = this.#duration(request, entry)
    entry.mocked = this.#source.mockedSize(request) !== null
    const guarded = proxied.test(reason) ? this.#refusal(request) : null
    const refused = guarded ?? (own.test(reason) ? `Chromium refused it: ${reason}` : null)
    entry.error = refused === null ? reason : 'blocked'
    entry.blocked_reason = refused
    if (refused !== null) Object.assign(entry, { status: null, mime_type: null })
  }

  /** Why the guard refuses its address; null if it does not. */
  #refusal(request: Request): string | null {
    const url = URL.parse(request.url())
    return url && this.#source.refusalOf(url)
  }

  /** By Chromium's clock if available, as events arrive late under load. */
  #duration(request: Request, { started_at }: NetworkRequest): number {
    const { responseEnd } = request.timing()
    const milliseconds = responseEnd > 0 ? responseEnd : this.#source.now() - Date.parse(started_at)
    return Math.max(0, Math.round(milliseconds * 10) / 10)
  }

  /** Sockets are logged as requests: address and outcome, never their messages. */
  #followSockets(page: Page): void {
    const open = new Set<NetworkRequest>()
    page.on('websocket', (socket) => this.#addSocket(socket, page, open))
    // Playwright does not report that sockets close with their page.
    const end = () => {
      for (const entry of open) this.#endSocket(entry, open)
    }
    page.on('close', end)
    page.on('framenavigated', (frame) => frame === page.mainFrame() && end())
  }

  #addSocket(socket: WebSocket, page: Page, open: Set<NetworkRequest>): void {
    const url = socket.url()
    const entry = this.#note(socket, { method: 'GET', url, resource_type: 'websocket' }, page)
    open.add(entry)
    const answer = () => {
      if (entry.error === null) entry.status = switchingProtocols
    }
    // Playwright reports an open socket with its first message, or with its regular close.
    socket.once('framesent', answer).once('framereceived', answer)
    socket.once('close', () => {
      answer()
      this.#endSocket(entry, open)
    })
    socket.on('socketerror', (reason) => {
      this.#failSocket(entry, reason)
      this.#endSocket(entry, open)
    })
  }

  #endSocket(entry: NetworkRequest, open: Set<NetworkRequest>): void {
    if (open.delete(entry)) entry.duration_ms = Math.max(0, this.#source.now() - Date.parse(entry.started_at))
  }

  /** The first error counts: a refused handshake is reported again as a broken one. */
  #failSocket(entry: NetworkRequest, reason: string): void {
    if (entry.error !== null) return
    const url = URL.parse(entry.url.replace(/^ws/i, 'http'))
    const refusal = /ERR_TUNNEL|ERR_PROXY|via proxy/.test(reason) && url ? this.#source.refusalOf(url) : null
    entry.error = refusal === null ? reason.slice(0, longestReason) : 'blocked'
    entry.blocked_reason = refusal
    const answered = /: (\d{3})$/.exec(reason)?.[1]
    entry.status = answered === undefined ? entry.status : Number(answered)
  }
}

/** Chromium's errors for requests that it refuses itself: to the local network, or to unsafe ports. */
const own = /ERR_BLOCKED_BY|ERR_UNSAFE_PORT/
/**
 * Chromium's errors for a tunnel that the proxy refuses, and for a proxy response that a page of another
 * origin, or a download, may not read.
 */
const proxied = /ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY|ERR_FAILED|ERR_INVALID_RESPONSE|ERR_ABORTED/

/** Null for the request of a worker. */
export function pageOf(request: Request): Page | null {
  try {
    return request.frame().page()
  } catch {
    return null
  }
}

async function sizeOf(request: Request): Promise<number | null> {
  const sizes = await request.sizes().catch(() => null)
  return sizes ? Math.max(0, sizes.responseBodySize) : null
}

const switchingProtocols = 101
const longestReason = 300

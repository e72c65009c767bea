import type { BrowserContext, Request } from 'playwright'
import { hideInUrl } from '../../runtime/browser/credentials.ts'
import type { NetworkRequest } from '../../runtime/browser/schema.ts'
import { iso } from '../../runtime/time.ts'

/** Requests that are kept, of all pages together. */
const mostRequests = 1_000
/** Characters of an address; `data:` addresses can be megabytes. */
const longestUrl = 4_000

export interface RequestSource {
  now(): number
  /** Why the guard refused the last request to the host of this address; null when it did not. */
  refusalOf(url: URL): string | null
  /** Bytes of the answer that a mock gave to this request; null when it went out. */
  mockedSize(request: Request): number | null
}

/** What the pages have asked the network for, the oldest first. */
export class RequestLog {
  readonly #source: RequestSource
  readonly #entries = new Map<Request, NetworkRequest>()
  #seen = 0

  constructor(source: RequestSource) {
    this.#source = source
  }

  attach(context: BrowserContext): void {
    context.on('request', (request) => this.#begin(request))
    context.on('requestfinished', (request) => void this.#finish(request))
    context.on('requestfailed', (request) => this.#fail(request))
  }

  list(): NetworkRequest[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry }))
  }

  #begin(request: Request): void {
    this.#seen += 1
    this.#entries.set(request, {
      id: `req_${this.#seen}`,
      method: request.method(),
      url: hideInUrl(request.url().slice(0, longestUrl)),
      resource_type: request.resourceType(),
      status: null,
      mime_type: null,
      duration_ms: null,
      size_bytes: null,
      mocked: false,
      error: null,
      started_at: iso(this.#source.now()),
    })
    const oldest = this.#entries.keys().next().value
    if (this.#entries.size > mostRequests && oldest) this.#entries.delete(oldest)
  }

  async #finish(request: Request): Promise<void> {
    const entry = this.#entries.get(request)
    if (!entry) return
    entry.duration_ms = this.#duration(request, entry)
    const response = request.existingResponse()
    const mocked = this.#source.mockedSize(request)
    if (mocked === null && response?.status() === 403 && this.#refused(request)) {
      entry.error = 'blocked'
      return
    }
    entry.mocked = mocked !== null
    entry.status = response?.status() ?? null
    entry.mime_type = response?.headers()['content-type']?.split(';')[0]?.trim() || null
    entry.size_bytes = mocked ?? (await sizeOf(request))
  }

  #fail(request: Request): void {
    const entry = this.#entries.get(request)
    if (!entry) return
    const reason = request.failure()?.errorText ?? 'failed'
    entry.duration_ms = this.#duration(request, entry)
    entry.mocked = this.#source.mockedSize(request) !== null
    entry.error = refusals.test(reason) && this.#refused(request) ? 'blocked' : reason
  }

  #refused(request: Request): boolean {
    const url = URL.parse(request.url())
    return url !== null && this.#source.refusalOf(url) !== null
  }

  /** By Chromium's own clock where it tells, for events come late when much is going on. */
  #duration(request: Request, { started_at }: NetworkRequest): number {
    const { responseEnd } = request.timing()
    const milliseconds = responseEnd > 0 ? responseEnd : this.#source.now() - Date.parse(started_at)
    return Math.max(0, Math.round(milliseconds * 10) / 10)
  }
}

/** What Chromium calls a tunnel, or a request, that the proxy or the browser itself refused. */
const refusals = /ERR_TUNNEL_CONNECTION_FAILED|ERR_BLOCKED_BY|ERR_PROXY|ERR_UNSAFE_PORT/

async function sizeOf(request: Request): Promise<number | null> {
  const sizes = await request.sizes().catch(() => null)
  return sizes ? Math.max(0, sizes.responseBodySize) : null
}

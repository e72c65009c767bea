import type { BrowserContext, Request, Response } from 'playwright'
import { hideInUrl } from '../../runtime/browser/credentials.ts'
import type { NetworkRequest } from '../../runtime/browser/schema.ts'
import { iso } from '../../runtime/time.ts'
import { SocketLog } from './socket-log.ts'

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

type About = Pick<NetworkRequest, 'method' | 'url' | 'resource_type'>

/** What the pages have asked the network for, the oldest first. */
export class RequestLog {
  readonly #source: RequestSource
  readonly #entries = new Map<object, NetworkRequest>()
  readonly #sockets: SocketLog
  #seen = 0

  constructor(source: RequestSource) {
    this.#source = source
    this.#sockets = new SocketLog(source, (key, about) => this.#note(key, about))
  }

  attach(context: BrowserContext): void {
    context.on('request', (request) => this.#begin(request))
    context.on('response', (response) => this.#answer(response))
    context.on('requestfinished', (request) => void this.#finish(request))
    context.on('requestfailed', (request) => this.#fail(request))
    this.#sockets.attach(context)
  }

  list(): NetworkRequest[] {
    return [...this.#entries.values()].map((entry) => ({ ...entry }))
  }

  #begin(request: Request): void {
    const [method, url] = [request.method(), request.url()]
    this.#note(request, { method, url, resource_type: request.resourceType() })
  }

  #note(key: object, { method, url, resource_type }: About): NetworkRequest {
    this.#seen += 1
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
    if (this.#entries.size > mostRequests && oldest) this.#entries.delete(oldest)
    return entry
  }

  /** A page may leave before it has read the body. */
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
    const refused = guarded ?? (own.test(reason) ? `The browser itself refuses it: ${reason}` : null)
    entry.error = refused === null ? reason : 'blocked'
    entry.blocked_reason = refused
    if (refused !== null) Object.assign(entry, { status: null, mime_type: null })
  }

  /** Why the guard refuses where it goes; null when it does not. */
  #refusal(request: Request): string | null {
    const url = URL.parse(request.url())
    return url && this.#source.refusalOf(url)
  }

  /** By Chromium's own clock where it tells, for events come late when much is going on. */
  #duration(request: Request, { started_at }: NetworkRequest): number {
    const { responseEnd } = request.timing()
    const milliseconds = responseEnd > 0 ? responseEnd : this.#source.now() - Date.parse(started_at)
    return Math.max(0, Math.round(milliseconds * 10) / 10)
  }
}

/** What Chromium calls a request that it refuses by itself: into the local network, or to a port of something else. */
const own = /ERR_BLOCKED_BY|ERR_UNSAFE_PORT/
/**
 * What it calls a tunnel that the proxy does not open, and an answer of the proxy's that a page of another origin, or a
 * download, may not read.
 */
const proxied = /ERR_TUNNEL_CONNECTION_FAILED|ERR_PROXY|ERR_FAILED|ERR_INVALID_RESPONSE|ERR_ABORTED/

async function sizeOf(request: Request): Promise<number | null> {
  const sizes = await request.sizes().catch(() => null)
  return sizes ? Math.max(0, sizes.responseBodySize) : null
}

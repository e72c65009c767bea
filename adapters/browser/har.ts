import type { BrowserContext, Page, Request, Response } from 'playwright'
import { sumOf } from '../../runtime/numbers.ts'
import type { TabUser } from '../../runtime/ports/browser.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { redact, redacted } from '../../runtime/secrets/redact.ts'
import { hideInBody, hideInHeader, hideInUrl, isSecretParameter } from '../../runtime/secrets/traffic.ts'
import { iso } from '../../runtime/time.ts'
import { pageOf } from './request-log.ts'
import { sees } from './tabs.ts'

/** Entries per HAR; later requests are left out. */
const maxEntries = 5_000
/** Bytes of all bodies together. */
const maxBodies = 64 * 1024 * 1024

interface HarPage {
  startedDateTime: string
  id: string
  title: string
  pageTimings: { onContentLoad: number | null; onLoad: number | null }
}

/** Records requests as HAR 1.2: http://www.softwareishard.com/blog/har-12-spec. Playwright's own recorder ends with its context. */
export class HarRecorder {
  readonly #clock: Pick<Clock, 'now'>
  readonly #started_at: number
  readonly user: TabUser | undefined
  readonly #contexts = new Set<BrowserContext>()
  readonly #entries: { page: Page | null; entry: Promise<HarEntry | null> }[] = []
  readonly #pages = new Map<Page, HarPage>()
  #room = maxBodies

  /** @param user whose pages are recorded; undefined for all */
  constructor(clock: Pick<Clock, 'now'>, user?: TabUser) {
    this.user = user
    this.#clock = clock
    this.#started_at = clock.now()
  }

  get status(): { started_at: number; entries: number } {
    return { started_at: this.#started_at, entries: this.#entries.length }
  }

  attach(context: BrowserContext): void {
    this.#contexts.add(context)
    context.on('request', this.#see).on('requestfinished', this.#write).on('requestfailed', this.#write)
  }

  detach(): void {
    for (const context of this.#contexts)
      context.off('request', this.#see).off('requestfinished', this.#write).off('requestfailed', this.#write)
  }

  /** The HAR document. Credentials are redacted unless `keep_credentials` is set. */
  async stop(options: { keep_credentials: boolean; creator: { name: string; version: string } }): Promise<unknown> {
    this.detach()
    // Not earlier: a window belongs to nobody until it has loaded.
    const own = this.#entries.filter(({ page }) => sees(this.user, page))
    const entries = (await Promise.all(own.map(({ entry }) => entry))).filter((entry) => entry !== null)
    const written = options.keep_credentials ? entries : entries.map(redactEntry)
    const pages = await Promise.all(
      [...this.#pages].filter(([page]) => sees(this.user, page)).map(([page, about]) => titled(page, about)),
    )
    const sorted = written.toSorted((left, right) => left.startedDateTime.localeCompare(right.startedDateTime))
    return { log: { version: '1.2', creator: options.creator, pages, entries: sorted } }
  }

  readonly #see = (request: Request): void => {
    const page = pageOf(request)
    if (!page || this.#pages.has(page)) return
    this.#pages.set(page, {
      startedDateTime: iso(this.#clock.now()),
      id: `page_${this.#pages.size + 1}`,
      title: '',
      pageTimings: { onContentLoad: null, onLoad: null },
    })
  }

  readonly #write = (request: Request): void => {
    if (this.#entries.length >= maxEntries) return
    const page = pageOf(request)
    const pageref = page && this.#pages.get(page)?.id
    const take = (bytes: number) => {
      if (bytes > this.#room) return false
      this.#room -= bytes
      return true
    }
    this.#entries.push({ page, entry: entryOf(request, { pageref, take }).catch(() => null) })
  }
}

async function titled(page: Page, about: HarPage): Promise<HarPage> {
  const timings = await page
    .evaluate(() => {
      const [entry] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
      const end = (time: number | undefined) => (time ? Math.round(time) : null)
      return {
        title: document.title,
        onContentLoad: end(entry?.domContentLoadedEventEnd),
        onLoad: end(entry?.loadEventEnd),
      }
    })
    .catch(() => ({ title: '', onContentLoad: null, onLoad: null }))
  const { title, ...pageTimings } = timings
  return { ...about, title, pageTimings }
}

/** Bytes of one body; a larger one is left out. */
const maxBody = 1024 * 1024

interface Pair {
  name: string
  value: string
}

interface EntryOptions {
  pageref?: string | null | undefined
  /** Reserves space for a body; false if there is none left. */
  take(bytes: number): boolean
}

type HarEntry = Awaited<ReturnType<typeof entryOf>>

/** The entry of a finished request. */
async function entryOf(request: Request, options: EntryOptions) {
  const response = request.existingResponse()
  const [headers, sizes, version, server] = await Promise.all([
    request.headersArray().catch(() => pairsOf(request.headers())),
    response ? request.sizes().catch(() => null) : null,
    response?.httpVersion().catch(() => null) ?? null,
    response?.serverAddr().catch(() => null) ?? null,
  ])
  const httpVersion = (version ?? 'HTTP/1.1').toUpperCase()
  const failure = request.failure()?.errorText ?? 'failed'
  const timing = request.timing()
  const timings = timingsOf(timing)
  const time = sumOf(Object.values(timings), (part) => Math.max(part, 0)) - Math.max(timings.ssl, 0)
  return {
    ...(options.pageref ? { pageref: options.pageref } : {}),
    startedDateTime: new Date(timing.startTime > 0 ? timing.startTime : Date.now()).toISOString(),
    time,
    request: {
      method: request.method(),
      url: request.url(),
      httpVersion,
      cookies: cookiesOf(headers, 'cookie'),
      headers,
      queryString: queryOf(request.url()),
      headersSize: sizes?.requestHeadersSize ?? -1,
      bodySize: sizes?.requestBodySize ?? -1,
      ...postDataOf(request, options),
    },
    response: await responseOf(response, { httpVersion, sizes, options, failure }),
    cache: {},
    timings,
    ...(server?.ipAddress ? { serverIPAddress: server.ipAddress.replace(/^\[(.*)\]$/, '$1') } : {}),
  }
}

interface Answering {
  httpVersion: string
  sizes: Awaited<ReturnType<Request['sizes']>> | null
  options: EntryOptions
  failure: string
}

/** Without a response, all of it is empty. */
async function responseOf(response: Response | null, { httpVersion, sizes, options, failure }: Answering) {
  const headers = await response?.headersArray().catch(() => pairsOf(response.headers()))
  const status = response?.status() ?? 0
  const redirected = status >= 300 && status < 400
  const body = redirected ? null : await response?.body().catch(() => null)
  return {
    status,
    statusText: response?.statusText() ?? '',
    httpVersion,
    cookies: cookiesOf(headers ?? [], 'set-cookie'),
    headers: headers ?? [],
    content: contentOf(body ?? null, response?.headers()['content-type'] ?? 'x-unknown', options),
    redirectURL: response?.headers().location ?? '',
    headersSize: sizes?.responseHeadersSize ?? -1,
    bodySize: sizes?.responseBodySize ?? -1,
    ...(!response && { comment: failure }),
  }
}

const textTypes =
  /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|javascript|x-www-form-urlencoded))|\+(?:json|xml)/i

interface Content {
  size: number
  mimeType: string
  text?: string
  encoding?: string
  comment?: string
}

function contentOf(body: Buffer | null, mimeType: string, { take }: EntryOptions): Content {
  const size = body?.byteLength ?? 0
  if (!body) return { size, mimeType }
  if (size > maxBody || !take(size)) return { size, mimeType, comment: 'The body is too large' }
  if (textTypes.test(mimeType)) return { size, mimeType, text: body.toString('utf8') }
  return { size, mimeType, text: body.toString('base64'), encoding: 'base64' }
}

interface PostData {
  mimeType: string
  params: Pair[]
  text: string
  comment?: string
}

function postDataOf(request: Request, { take }: EntryOptions): { postData?: PostData } {
  const bytes = request.postDataBuffer()
  if (!bytes) return {}
  const mimeType = request.headers()['content-type'] ?? 'application/octet-stream'
  if (bytes.byteLength > maxBody || !take(bytes.byteLength))
    return { postData: { mimeType, params: [], text: '', comment: 'The body is too large' } }
  const text = bytes.toString('utf8')
  const params = /x-www-form-urlencoded/i.test(mimeType) ? pairsOf(new URLSearchParams(text)) : []
  return { postData: { mimeType, params, text } }
}

function pairsOf(source: Record<string, string> | URLSearchParams): Pair[] {
  const entries = source instanceof URLSearchParams ? [...source] : Object.entries(source)
  return entries.map(([name, value]) => ({ name, value }))
}

const queryOf = (address: string): Pair[] => {
  const url = URL.parse(address)
  return url && /^https?:$/.test(url.protocol) ? pairsOf(url.searchParams) : []
}

function cookiesOf(headers: readonly Pair[], name: 'cookie' | 'set-cookie'): Pair[] {
  const lines = headers.filter((header) => header.name.toLowerCase() === name).flatMap(({ value }) => value.split('\n'))
  const cookies =
    name === 'cookie' ? lines.flatMap((line) => line.split(';')) : lines.map((line) => line.split(';')[0] ?? '')
  return cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '')
    .map((cookie) => {
      const [first = '', ...rest] = cookie.split('=')
      return { name: first, value: rest.join('=') }
    })
}

/** Milliseconds of each phase; −1 for one that did not occur. */
function timingsOf(timing: ReturnType<Request['timing']>) {
  const span = (start: number, end: number) =>
    start >= 0 && end >= start ? Math.round((end - start) * 1000) / 1000 : -1
  const part = (start: number, end: number) => Math.max(0, span(start, end))
  const { requestStart, responseStart, responseEnd } = timing
  return {
    blocked: -1,
    dns: span(timing.domainLookupStart, timing.domainLookupEnd),
    connect: span(timing.connectStart, timing.connectEnd),
    ssl: timing.secureConnectionStart > 0 ? span(timing.secureConnectionStart, timing.connectEnd) : -1,
    send: 0,
    wait: part(requestStart, responseStart),
    receive: part(responseStart, responseEnd),
  }
}

const hideHeader = ({ name, value }: Pair): Pair => ({ name, value: hideInHeader(name, value) })

const hideParameter = ({ name, value }: Pair): Pair => ({
  name,
  value: isSecretParameter(name) ? redacted : redact(value),
})

/** Any cookie may be a session. */
const hideCookie = ({ name }: Pair): Pair => ({ name, value: redacted })

/** An entry without credentials. */
function redactEntry(entry: HarEntry): HarEntry {
  const { request, response } = entry
  const { postData } = request
  return {
    ...entry,
    request: {
      ...request,
      url: hideInUrl(request.url),
      headers: request.headers.map(hideHeader),
      cookies: request.cookies.map(hideCookie),
      queryString: request.queryString.map(hideParameter),
      ...(postData && {
        postData: {
          ...postData,
          params: postData.params.map(hideParameter),
          text: hideInBody(postData.text, postData.mimeType),
        },
      }),
    },
    response: {
      ...response,
      headers: response.headers.map(hideHeader),
      cookies: response.cookies.map(hideCookie),
      redirectURL: response.redirectURL && hideInUrl(response.redirectURL),
      content: hideContent(response.content),
    },
  }
}

/** Sign-in services return tokens as JSON; other bodies are kept. */
function hideContent(content: Content): Content {
  if (content.text === undefined || content.encoding || !/json/i.test(content.mimeType)) return content
  return { ...content, text: hideInBody(content.text, content.mimeType) }
}

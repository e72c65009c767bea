import type { Request, Response } from 'playwright'

/** Bytes of one body; of a longer one only the size is told. */
const longestBody = 1024 * 1024

interface Pair {
  name: string
  value: string
}

export interface HarEntry {
  pageref?: string
  startedDateTime: string
  time: number
  request: {
    method: string
    url: string
    httpVersion: string
    cookies: Pair[]
    headers: Pair[]
    queryString: Pair[]
    headersSize: number
    bodySize: number
    postData?: { mimeType: string; params: Pair[]; text: string; comment?: string }
  }
  response: {
    status: number
    statusText: string
    httpVersion: string
    cookies: Pair[]
    headers: Pair[]
    content: { size: number; mimeType: string; text?: string; encoding?: string; comment?: string }
    redirectURL: string
    headersSize: number
    bodySize: number
    comment?: string
  }
  cache: Record<string, never>
  timings: {
    blocked: number
    dns: number
    connect: number
    send: number
    wait: number
    receive: number
    ssl: number
  }
  serverIPAddress?: string
}

export interface EntryOptions {
  pageref?: string | null | undefined
  /** Whether there is room for so many bytes more. */
  take(bytes: number): boolean
}

/** What an archive says of one request that has ended. */
export async function entryOf(request: Request, options: EntryOptions): Promise<HarEntry> {
  const response = request.existingResponse()
  const [headers, sizes, version, server] = await Promise.all([
    request.headersArray().catch(() => pairsOf(request.headers())),
    response ? request.sizes().catch(() => null) : null,
    response?.httpVersion().catch(() => null) ?? null,
    response?.serverAddr().catch(() => null) ?? null,
  ])
  const httpVersion = (version ?? 'HTTP/1.1').toUpperCase()
  const timing = request.timing()
  const timings = timingsOf(timing)
  const time =
    Object.values(timings).reduce((sum, part) => sum + Math.max(part, 0), 0) - Math.max(timings.ssl, 0)
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
    response: response
      ? await responseOf(response, { httpVersion, sizes, options })
      : failedResponse(httpVersion, request.failure()?.errorText),
    cache: {},
    timings,
    ...(server?.ipAddress ? { serverIPAddress: server.ipAddress.replace(/^\[(.*)\]$/, '$1') } : {}),
  }
}

type Sizes = Awaited<ReturnType<Request['sizes']>>

async function responseOf(
  response: Response,
  { httpVersion, sizes, options }: { httpVersion: string; sizes: Sizes | null; options: EntryOptions },
): Promise<HarEntry['response']> {
  const headers = await response.headersArray().catch(() => pairsOf(response.headers()))
  const mimeType = response.headers()['content-type'] ?? 'x-unknown'
  const redirected = response.status() >= 300 && response.status() < 400
  const body = redirected ? null : await response.body().catch(() => null)
  return {
    status: response.status(),
    statusText: response.statusText(),
    httpVersion,
    cookies: cookiesOf(headers, 'set-cookie'),
    headers,
    content: { ...contentOf(body, mimeType, options), mimeType },
    redirectURL: response.headers().location ?? '',
    headersSize: sizes?.responseHeadersSize ?? -1,
    bodySize: sizes?.responseBodySize ?? -1,
  }
}

const failedResponse = (httpVersion: string, comment = 'failed'): HarEntry['response'] => ({
  status: 0,
  statusText: '',
  httpVersion,
  cookies: [],
  headers: [],
  content: { size: 0, mimeType: 'x-unknown' },
  redirectURL: '',
  headersSize: -1,
  bodySize: -1,
  comment,
})

const textTypes =
  /^(?:text\/|application\/(?:[\w.+-]*json|[\w.+-]*xml|javascript|x-www-form-urlencoded))|\+(?:json|xml)/i

function contentOf(body: Buffer | null, mimeType: string, { take }: EntryOptions) {
  if (!body) return { size: 0 }
  const size = body.byteLength
  if (size > longestBody || !take(size)) return { size, comment: 'The body was too large to be kept' }
  if (textTypes.test(mimeType)) return { size, text: body.toString('utf8') }
  return { size, text: body.toString('base64'), encoding: 'base64' }
}

function postDataOf(request: Request, { take }: EntryOptions): Pick<HarEntry['request'], 'postData'> {
  const bytes = request.postDataBuffer()
  if (!bytes) return {}
  const mimeType = request.headers()['content-type'] ?? 'application/octet-stream'
  if (bytes.byteLength > longestBody || !take(bytes.byteLength))
    return { postData: { mimeType, params: [], text: '', comment: 'The body was too large to be kept' } }
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
  const lines = headers
    .filter((header) => header.name.toLowerCase() === name)
    .flatMap(({ value }) => value.split('\n'))
  const cookies =
    name === 'cookie'
      ? lines.flatMap((line) => line.split(';'))
      : lines.map((line) => line.split(';')[0] ?? '')
  return cookies
    .map((cookie) => cookie.trim())
    .filter((cookie) => cookie !== '')
    .map((cookie) => {
      const [first = '', ...rest] = cookie.split('=')
      return { name: first, value: rest.join('=') }
    })
}

/** Milliseconds of each part; −1 where there was none, as the format has it. */
function timingsOf(timing: ReturnType<Request['timing']>): HarEntry['timings'] {
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

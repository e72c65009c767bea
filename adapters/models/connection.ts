import { findVendor } from '../../runtime/models/vendors/index.ts'
import type { Vendor } from '../../runtime/models/vendors/vendor.ts'
import { classifyAddress } from '../../runtime/outbound/addresses.ts'
import { classifyName } from '../../runtime/outbound/targets.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { unlessAborted } from '../../runtime/within.ts'
import { mergeDeltas } from './merge-deltas.ts'

/** The part of `fetch` that this folder uses. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

export interface ModelHost {
  /** The host's guarded `fetch`. Base URLs are set by people, so their origins may be private. */
  fetch: Fetch
  clock: Clock
  /** Milliseconds from the request to the first chunk of the answer, whatever a call asks for. */
  first_chunk_ms?: number
  /** Milliseconds from one chunk to the next. Default 120,000. */
  idle_ms?: number
}

export interface Access {
  provider: string
  api_key?: string
  base_url?: string
}

/** The vendor with the address and the key to use. Throws if there is no such provider, address or key. */
export function resolveAccess(access: Access): { vendor: Vendor; base_url: string; api_key: string } {
  const vendor = findVendor(access.provider)
  if (!vendor) throw new ModelError('provider_unavailable', `${access.provider}: no such provider`)
  const base_url = access.base_url ? readBaseUrl(access.base_url, vendor) : vendor.base_url
  if (!access.api_key && !vendor.keyless && base_url === vendor.base_url)
    throw new ModelError('auth', `${vendor.id}: no API key is set`)
  return { vendor, base_url, api_key: access.api_key ?? '' }
}

/** People often omit the path: a bare host gets the vendor's default path. */
function readBaseUrl(text: string, { id, base_url, list }: Vendor): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ModelError('provider_unavailable', `${id}: the base URL is not valid`)
  const path = url.pathname.replace(/(?<!\/)\/+$/, '') || new URL(base_url).pathname.replace(/\/$/, '')
  return url.origin + (list === 'ollama' ? path.replace(/\/v1$/, '') : path)
}

/** The requests of one model call, with its time and size limits. */
export interface Connection {
  /** For the provider packages, which call `fetch` and read the body of its answer. */
  fetch: typeof globalThis.fetch
  /** Aborted when the connection is closed. */
  signal: AbortSignal
  /** Why this side closed the connection early, if it did. */
  closedBecause(): ModelError | undefined
  close(): void
}

/** Maximum bytes of one answer: far above any real one, to stop endless ones. */
const maxBytes = 64 * 1024 * 1024

/**
 * Opens a connection that closes when the caller aborts, when the vendor sends nothing for too long, or when
 * it sends too much. Time during which our own reader is slow does not count.
 */
export function openConnection(
  host: ModelHost,
  { signal, first_token_seconds = 60 }: { signal: AbortSignal; first_token_seconds?: number },
  { vendor, base_url }: { vendor: Vendor; base_url: string },
): Connection {
  const controller = new AbortController()
  let cause: ModelError | undefined
  const fail = (error: ModelError) => {
    cause ??= error
    controller.abort(cause)
  }
  const onAbort = () => fail(errorOfAbort(signal))
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  const limits = {
    first_chunk_ms:
      host.first_chunk_ms ??
      Math.max(first_token_seconds * 1_000, vendor.kind === 'local' || isLocal(base_url) ? localFirstChunk : 0),
    idle_ms: host.idle_ms ?? 120_000,
  }
  const silence = watchSilence(host.clock, limits, controller.signal, (began) => {
    const seconds = (began ? limits.idle_ms : limits.first_chunk_ms) / 1_000
    const what = began
      ? `sent nothing for ${seconds} s in the middle of its answer`
      : `did not answer within ${seconds} s`
    fail(new ModelError('timeout', `${vendor.id}: ${what}`))
  })

  return {
    signal: controller.signal,
    closedBecause: () => cause,
    async fetch(input, init) {
      silence.listen()
      const url = input instanceof Request ? input.url : input
      const sent = host.fetch(url, { ...init, signal: controller.signal })
      const response = await unlessAborted(sent, controller.signal)
      if (!response.body) return response
      const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
      return new Response(meter(response.body, { fail, silence, signal: controller.signal, isStream }), response)
    },
    close() {
      signal.removeEventListener('abort', onAbort)
      controller.abort(cause ?? closed)
    },
  }
}

/** Milliseconds. A local server may have to load the model first. */
const localFirstChunk = 300_000

function isLocal(base_url: string): boolean {
  const { hostname } = new URL(base_url)
  const kind = classifyName(hostname) ?? classifyAddress(hostname)
  return ['local name', 'loopback', 'private', 'unique local', 'link-local'].includes(kind)
}

/**
 * Preallocated: without a reason, `abort` creates an exception with a stack trace, which takes half a
 * millisecond.
 */
const closed = new ModelError('cancelled', 'closed')

function errorOfAbort({ reason }: AbortSignal): ModelError {
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError'
  return isTimeout ? new ModelError('timeout', 'out of time') : new ModelError('cancelled', 'cancelled')
}

/**
 * Maximum bytes of one chunk of a response. The provider packages parse a chunk synchronously, about 20 ms per hundred
 * events, so a vendor that sends a long response at once would block the event loop.
 */
const maxPiece = 8 * 1024

const encoder = new TextEncoder()

interface Meter {
  fail(error: ModelError): void
  silence: Silence
  signal: AbortSignal
  /** The body has server-sent events. */
  isStream: boolean
}

function meter(
  body: ReadableStream<Uint8Array>,
  { fail, silence, signal, isStream }: Meter,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  let rest: Uint8Array = new Uint8Array()
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const merged = (chunk: Uint8Array) => encoder.encode(mergeDeltas(decoder.decode(chunk, { stream: true })))
  const next = (controller: ReadableStreamDefaultController<Uint8Array>, from: Uint8Array) => {
    // Do not split a long line: the packages would scan it again with each chunk.
    const line = from.indexOf(0x0a, maxPiece)
    const end = line < 0 ? from.length : line + 1
    controller.enqueue(from.subarray(0, end))
    rest = from.subarray(end)
  }
  return new ReadableStream({
    start(controller) {
      const cancel = () => {
        controller.error(signal.reason)
        reader.cancel(signal.reason).catch(() => {
          // It had already failed.
        })
      }
      signal.addEventListener('abort', cancel, { once: true })
    },
    async pull(controller) {
      if (rest.length > 0) {
        await new Promise((resolve) => setTimeout(resolve, 0))
        return next(controller, rest)
      }
      silence.listen()
      const { done, value } = await reader.read()
      silence.heard()
      if (done) return controller.close()
      bytes += value.byteLength
      if (bytes > maxBytes) return fail(new ModelError('interrupted', 'the answer has more than 64 MB'))
      next(controller, isStream ? merged(value) : value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

interface Silence {
  /** Starts the wait for the vendor, unless it is already running. */
  listen(): void
  /** The vendor has sent something. */
  heard(): void
}

/** One timer, rearmed when it fires: a stream of 5,000 chunks a second must not set 5,000 timers. */
function watchSilence(
  clock: Clock,
  { first_chunk_ms, idle_ms }: { first_chunk_ms: number; idle_ms: number },
  signal: AbortSignal,
  onSilence: (began: boolean) => void,
): Silence {
  let limit = first_chunk_ms
  let began = false
  let since: number | undefined
  const watch = async () => {
    for (let left = limit; left > 0; left = remaining()) await clock.after(Math.min(left, idle_ms), signal)
    onSilence(began)
  }
  // The wall clock may jump: never wait longer than the limit.
  const remaining = () => (since === undefined ? limit : Math.min(limit, since + limit - clock.now()))
  watch().catch(() => {
    // The connection was closed.
  })
  return {
    listen() {
      since ??= clock.now()
    },
    heard() {
      since = undefined
      limit = idle_ms
      began = true
    },
  }
}

/** Bytes of an error body that are read. */
const maxErrorBytes = 64 * 1024

/**
 * The provider packages read error bodies without a limit and treat any 200 body as an event stream, so that
 * a proxy's HTML page or a gateway's JSON error would look like an interrupted answer. This reads any other
 * body here, up to a limit, and returns it as an error response.
 */
export function refuseDocuments(fetch: typeof globalThis.fetch, provider: string): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await fetch(input, init)
    if (response.ok && !isDocument(response)) return response
    const text = await readText(response, maxErrorBytes)
    if (response.ok && text.trimStart().startsWith('<'))
      throw new ModelError('provider_unavailable', `${provider}: the address answered with a web page`)
    return new Response(text || null, {
      status: response.ok ? 502 : response.status,
      headers: response.headers,
    })
  }
}

const isDocument = ({ headers }: Response): boolean => /\b(json|html|xml)\b/.test(headers.get('content-type') ?? '')

/** The first `limit` bytes as text; the rest is not fetched. */
export async function readText(response: Response, limit: number): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    bytes += chunk.byteLength
    if (bytes >= limit) break
  }
  return text
}

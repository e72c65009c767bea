import { z } from 'zod'
import type { Context } from '../../context.ts'
import { readBytes } from '../../http/body.ts'
import { parseJson } from '../../json.ts'
import { sumOf } from '../../numbers.ts'
import { OutboundBlocked, type OutboundSocket, type SocketOptions } from '../../ports/outbound.ts'
import { toHex } from '../../secrets/signatures.ts'
import { errorMessage } from '../../thrown.ts'
import { day, hour, second } from '../../time.ts'
import { within } from '../../within.ts'
import { type InboundMessage, type Platform, permanent, SendFailed, uploadTime } from '../platform.ts'

/** Time limit for the response headers, in milliseconds, plus that of the upload. */
const timeout = 30 * second

function sizeOf(body: unknown): number {
  if (typeof body === 'string') return body.length
  if (body instanceof Uint8Array) return body.byteLength
  if (!(body instanceof FormData)) return 0
  return sumOf(body.values(), (value) => (value instanceof Blob ? value.size : 0))
}

/** Maximum size of a response; more than any platform's API sends. */
const maxAnswerBytes = 1024 * 1024

export interface ApiAnswer {
  status: number
  headers: Headers
  body: unknown
}

export type ApiRequest = Omit<RequestInit, 'signal'> & {
  json?: unknown
  bearer?: string
}

export async function requestApi(context: Context, url: string, request: ApiRequest): Promise<ApiAnswer> {
  const response = await requestFile(context, url, request)
  const { status, headers } = response
  try {
    return { status, headers, body: parseJson(await readBytes(response, maxAnswerBytes)) }
  } catch (thrown) {
    throw noAnswer(thrown, url)
  }
}

/** Like `requestApi`, but returns the response without reading its body. */
export async function requestFile(
  context: Context,
  url: string,
  { json, bearer, ...init }: ApiRequest = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  if (json !== undefined) headers.set('content-type', 'application/json; charset=utf-8')
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`)
  const body = json === undefined ? (init.body ?? null) : JSON.stringify(json)
  try {
    return await within(context, { milliseconds: timeout + uploadTime(sizeOf(body)) }, (signal) =>
      context.outbound.fetch(url, { ...init, headers, body, signal }),
    )
  } catch (thrown) {
    throw noAnswer(thrown, url)
  }
}

function noAnswer(thrown: unknown, url: string): SendFailed {
  const { host } = new URL(url)
  if (thrown instanceof OutboundBlocked)
    return permanent(`The guard for outgoing requests refused ${host}: ${thrown.message}`)
  const { cause, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
  return new SendFailed(`${host} did not answer: ${cause instanceof Error ? cause.message : message}`)
}

export interface Refusal {
  title: string
  /** The platform's own reason, without secrets. */
  reason?: string | undefined
  /** Retry delay given in the response body. */
  retry_after_seconds?: number | null | undefined
}

/** The error for an unsuccessful response: 408, 425, 429 and 5xx may be retried, everything else may not. */
export function failureOf({ status, headers }: ApiAnswer, refusal: Refusal, now: number): SendFailed {
  const { title, reason = `HTTP status ${status}` } = refusal
  const retry_after_seconds = refusal.retry_after_seconds ?? retryAfter(headers.get('retry-after'), now) ?? null
  if (status === 429) return new SendFailed(`${title} rate limit exceeded: ${reason}`, { retry_after_seconds })
  if (status >= 500) return new SendFailed(`${title} failed: ${reason}`, { retry_after_seconds })
  const is_permanent = ![408, 425].includes(status)
  if (status === 401) return new SendFailed(`${title} refused the credentials: ${reason}`, { is_permanent })
  return new SendFailed(`${title} refused the request: ${reason}`, { is_permanent })
}

/** `Retry-After` in seconds, from a number or a date; null for anything else. */
export function retryAfter(value: string | null, now: number): number | null {
  if (value === null) return null
  if (/^\d{1,9}(\.\d{1,6})?$/.test(value)) return Math.ceil(Number(value))
  const date = Date.parse(value)
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now) / second))
}

/** The response of a download; rejects with `SendFailed` if it is not successful. */
export async function requireFile(
  context: Context,
  url: string,
  { title, bearer }: { title: string; bearer?: string },
): Promise<Response> {
  const response = await requestFile(context, url, bearer === undefined ? {} : { bearer })
  return requireSuccess(response, title, context.clock.now())
}

export async function requireSuccess(response: Response, title: string, now: number): Promise<Response> {
  if (response.ok) return response
  await response.body?.cancel()
  const { status, headers } = response
  throw failureOf({ status, headers, body: null }, { title }, now)
}

/**
 * Whether a message may be new. Ids are kept for two days; some platforms do not sign a timestamp, so an
 * older message may be a replay.
 */
export const isFresh = ({ sent_at }: Pick<InboundMessage, 'sent_at'>, now: number): boolean =>
  Date.parse(sent_at) > now - 2 * day + hour

/** Refuses to send a credential to a host that is not the platform's. */
export function requireHost(url: string, domains: readonly string[]): string {
  if (!isHostOf(URL.parse(url), 'https:', domains)) throw permanent('The file is not hosted by the platform')
  return url
}

const isHostOf = (url: URL | null, protocol: string, domains: readonly string[]): boolean =>
  url?.protocol === protocol && domains.some((domain) => url.hostname === domain || url.hostname.endsWith(`.${domain}`))

/** Time limit for opening a connection, in milliseconds. */
export const openLimit = 20 * second

interface PlatformSocket extends Omit<SocketOptions, 'signal'> {
  title: string
  domains: readonly string[]
}

/** Opens a WebSocket connection to an address that the platform named. Rejects with `SendFailed`. */
export async function openSocket(
  context: Context,
  url: string,
  { title, domains, ...options }: PlatformSocket,
): Promise<OutboundSocket> {
  const parsed = URL.parse(url)
  // The address or the first message carries a credential.
  if (!parsed || !isHostOf(parsed, 'wss:', domains))
    throw new SendFailed(`${title} named an address that is not its own`)
  try {
    return await within(context, { milliseconds: openLimit }, (signal) =>
      context.outbound.openSocket(parsed.href, { ...options, signal }),
    )
  } catch (thrown) {
    context.signal.throwIfAborted()
    throw new SendFailed(`Cannot connect to ${parsed.hostname}: ${errorMessage(thrown)}`, {
      is_permanent: thrown instanceof OutboundBlocked,
    })
  }
}

/** A UUID derived from a text, for platforms whose deduplication key must be a UUID. */
export async function uuidOf(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  const hex = toHex(new Uint8Array(digest))
  const variant = ((Number.parseInt(hex[16] ?? '0', 16) & 3) | 8).toString(16)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

export function formOf(
  texts: Readonly<Record<string, string>>,
  field: string,
  file: { name: string; mime_type: string; bytes: Uint8Array },
): FormData {
  const form = new FormData()
  for (const [name, text] of Object.entries(texts)) form.set(name, text)
  form.set(field, new Blob([file.bytes as BlobPart], { type: file.mime_type }), file.name)
  return form
}

type Health = Awaited<ReturnType<Platform['health']>>

export async function checkHealth(title: string, check: () => Promise<Health>): Promise<Health> {
  try {
    return await check()
  } catch (thrown) {
    if (thrown instanceof z.ZodError) return { ok: false, detail: `${title} returned an unknown format` }
    if (thrown instanceof SendFailed) return { ok: false, detail: thrown.message }
    throw thrown
  }
}

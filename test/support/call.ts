import type { Caller } from '../../runtime/auth/caller.ts'
import type { Host } from '../../runtime/host.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { adminCaller, peer } from './host.ts'

export interface CallOptions {
  params?: Record<string, string>
  query?: Record<string, string> | URLSearchParams
  /** Sent as JSON, unless it is a form, text or bytes. */
  body?: unknown
  headers?: Record<string, string>
  /** Aborted when the caller leaves. */
  signal?: AbortSignal
  /** Default: one with every scope. */
  caller?: Caller
}

const origin = 'http://127.0.0.1:18781'

/** Calls one endpoint as its own function: no router, no authentication, but its authorisation. */
export function call(endpoint: Endpoint, host: Host, options: CallOptions = {}): Promise<Response> {
  const { params = {}, caller = adminCaller } = options
  const request = requestFor(endpoint, options)
  return endpoint(request, { ...contextOf(request, host, peer), caller }, params)
}

/** The request that reaches `endpoint` with these options, for `call` and for `serve`. */
export function requestFor(endpoint: Pick<Endpoint, 'method' | 'path'>, options: CallOptions = {}): Request {
  const { params = {}, query = {}, body, headers = {}, signal = null } = options
  const path = endpoint.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? 'unknown'))
  const search = new URLSearchParams(query).toString()
  const url = `${origin}${path}${search && `?${search}`}`
  return new Request(url, { method: endpoint.method, headers, signal, ...payload(body, headers) })
}

function payload(body: unknown, headers: Record<string, string>): RequestInit {
  if (body === undefined) return {}
  if (body instanceof FormData || body instanceof Uint8Array || typeof body === 'string')
    return { body: body as BodyInit }
  return { body: JSON.stringify(body), headers: { 'content-type': 'application/json', ...headers } }
}

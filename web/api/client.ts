import { errorOf, unreachable } from './error.ts'
import type { SessionStore } from './session.ts'

export type Query = Record<string, string | number | boolean | null | undefined>

export interface CallOptions {
  query?: Query
  /** Sent as JSON; a `FormData` goes as it is. */
  body?: unknown
  headers?: Record<string, string>
  signal?: AbortSignal
}

/** The daemon's HTTP API. Answers other than 2xx are thrown as `ApiError`. */
export interface Api {
  get<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer>
  post<Answer>(path: string, body?: unknown, options?: CallOptions): Promise<Answer>
  put<Answer>(path: string, body: unknown): Promise<Answer>
  patch<Answer>(path: string, body: unknown): Promise<Answer>
  remove<Answer>(path: string): Promise<Answer>
  /** The answer itself, unread: for streams and files. */
  raw(method: string, path: string, options?: CallOptions): Promise<Response>
}

export function createApi(session: SessionStore): Api {
  const raw = (method: string, path: string, options: CallOptions = {}) =>
    call(session, method, path, options)
  const json = async <Answer>(method: string, path: string, options?: CallOptions): Promise<Answer> => {
    const response = await raw(method, path, options)
    return (response.status === 204 ? undefined : await response.json()) as Answer
  }
  return {
    get: (path, query, signal) => json('GET', path, { ...(query && { query }), ...(signal && { signal }) }),
    post: (path, body, options) => json('POST', path, { ...options, body }),
    put: (path, body) => json('PUT', path, { body }),
    patch: (path, body) => json('PATCH', path, { body }),
    remove: (path) => json('DELETE', path),
    raw,
  }
}

async function call(
  session: SessionStore,
  method: string,
  path: string,
  options: CallOptions,
): Promise<Response> {
  const token = session.get()?.token
  const response = await fetch(address(path, options.query), {
    method,
    headers: headersFor(token, options),
    ...(options.body !== undefined && { body: encoded(options.body) }),
    ...(options.signal && { signal: options.signal }),
  }).catch((error: unknown) => {
    throw options.signal?.aborted ? error : unreachable()
  })
  if (response.ok) return response
  // The session has ended or was revoked; the shell then asks to sign in and comes back to the same place.
  if (response.status === 401 && token && session.get()?.token === token) session.clear()
  throw await errorOf(response)
}

function headersFor(token: string | undefined, options: CallOptions): Record<string, string> {
  const json = options.body !== undefined && !(options.body instanceof FormData)
  return {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(json && { 'content-type': 'application/json' }),
    ...options.headers,
  }
}

const encoded = (body: unknown): BodyInit => (body instanceof FormData ? body : JSON.stringify(body))

function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  if (given.length === 0) return path
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

import type { Api as Endpoints } from '../../handlers/index.ts'
import type { CallInput } from '../../runtime/http/client.ts'
import { errorOf, unreachable } from './error.ts'
import type { SessionStore } from './session.ts'

export type Method = keyof Endpoints
export type PathOf<Verb extends Method> = keyof Endpoints[Verb] & string
type Call = { params: unknown; query: unknown; body: unknown; answer: unknown }
type CallOf<Verb extends Method, Path extends PathOf<Verb>> = Endpoints[Verb][Path] & Call

export type AnswerOf<Verb extends Method, Path extends PathOf<Verb>> = CallOf<Verb, Path>['answer']

export interface Extra {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
}

/** Empty members of a query are not sent, and `true` is sent as text. */
type Loose<Query> = {
  [Name in keyof Query]: Query[Name] | null | '' | ('true' extends Query[Name] ? boolean : never)
}

export type InputOf<Verb extends Method, Path extends PathOf<Verb>> = Omit<
  CallInput<CallOf<Verb, Path>>,
  'query'
> & { query?: Loose<CallOf<Verb, Path>['query']> }

/** The input of a call, which may be left out where the endpoint needs none. */
export type Input<Verb extends Method, Path extends PathOf<Verb>> =
  Record<never, never> extends InputOf<Verb, Path>
    ? [input?: InputOf<Verb, Path> & Extra]
    : [input: InputOf<Verb, Path> & Extra]

type Send<Verb extends Method> = <Path extends PathOf<Verb>>(
  path: Path,
  ...input: Input<Verb, Path>
) => Promise<AnswerOf<Verb, Path>>

/** The daemon's HTTP API, typed by the endpoints. Answers other than 2xx are thrown as `ApiError`. */
export interface Api extends Untyped {
  get: Send<'GET'> & Untyped['get']
  post: Send<'POST'> & Untyped['post']
  put: Send<'PUT'> & Untyped['put']
  patch: Send<'PATCH'> & Untyped['patch']
  delete: Send<'DELETE'>
  /** The unread answer, for streams and files. */
  open<Verb extends Method, Path extends PathOf<Verb>>(
    method: Verb,
    path: Path,
    ...input: Input<Verb, Path>
  ): Promise<Response>
}

export type Query = Record<string, string | number | boolean | null | undefined>

/** TODO(2026-11): goes when no page uses it. */
interface Untyped {
  get<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer>
  post<Answer>(path: string, body?: unknown, options?: AnyInput): Promise<Answer>
  put<Answer>(path: string, body: unknown): Promise<Answer>
  patch<Answer>(path: string, body: unknown): Promise<Answer>
  remove<Answer>(path: string): Promise<Answer>
  raw(method: string, path: string, options?: AnyInput): Promise<Response>
}

const members = ['params', 'query', 'body', 'signal', 'headers']
const isInput = (given: unknown): given is AnyInput =>
  typeof given === 'object' &&
  given !== null &&
  Object.keys(given).length > 0 &&
  Object.keys(given).every((name) => members.includes(name))

/** What any call may take. */
interface AnyInput extends Extra {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

export function createApi(session: SessionStore): Api {
  const open = (method: string, path: string, input: AnyInput = {}) => send(session, method, path, input)
  const json = (method: string) => async (path: string, given?: unknown, more?: unknown) => {
    const old = method === 'GET' ? { query: given, signal: more } : { ...(more ?? {}), body: given }
    const response = await open(method, path, isInput(given) ? given : (old as AnyInput))
    return response.status === 204 ? undefined : response.json()
  }
  return {
    get: json('GET'),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
    delete: json('DELETE'),
    remove: json('DELETE'),
    raw: open,
    open,
  } as Api
}

async function send(session: SessionStore, method: string, path: string, input: AnyInput): Promise<Response> {
  const token = session.get()?.token
  const response = await fetch(addressOf(path, input), {
    method,
    headers: headersFor(token, input),
    ...(input.body !== undefined && { body: encoded(input.body) }),
    ...(input.signal && { signal: input.signal }),
  }).catch((error: unknown) => {
    throw input.signal?.aborted ? error : unreachable()
  })
  if (response.ok) return response
  // The session has expired or was revoked; the app then shows the sign-in page, which returns to this address.
  if (response.status === 401 && token && session.get()?.token === token) session.clear()
  throw await errorOf(response)
}

function headersFor(token: string | undefined, { body, headers }: AnyInput): Record<string, string> {
  return {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && !(body instanceof FormData) && { 'content-type': 'application/json' }),
    ...headers,
  }
}

const encoded = (body: unknown): BodyInit => (body instanceof FormData ? body : JSON.stringify(body))

/** The path with its parameters filled in and the query; empty members of the query are left out. */
export function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  )
  if (given.length === 0) return filled
  return `${filled}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

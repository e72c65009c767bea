import type { Api as Endpoints } from '../../handlers/index.ts'
import type { CallInput } from '../../runtime/http/client.ts'
import { errorOf, unreachable } from './error.ts'
import type { SessionStore } from './session.ts'

type Method = keyof Endpoints
export type PathOf<Verb extends Method> = keyof Endpoints[Verb] & string
type Call = { params: unknown; query: unknown; body: unknown; answer: unknown }
type CallOf<Verb extends Method, Path extends PathOf<Verb>> = Endpoints[Verb][Path] & Call

export type AnswerOf<Verb extends Method, Path extends PathOf<Verb>> = CallOf<Verb, Path>['answer']

interface Extra {
  signal?: AbortSignal | undefined
  headers?: Record<string, string>
}

/** Empty members of a query are not sent, and `true` is sent as text. */
type Loose<Query> = {
  [Name in keyof Query]: Query[Name] | null | '' | ('true' extends Query[Name] ? boolean : never)
}

export type InputOf<Verb extends Method, Path extends PathOf<Verb>> = Omit<CallInput<CallOf<Verb, Path>>, 'query'> & {
  query?: Loose<CallOf<Verb, Path>['query']>
} & RawBody<CallOf<Verb, Path>['body']>

/** Endpoints without a body schema may read a form or bytes. */
type RawBody<Body> = [Body] extends [undefined] ? { body?: FormData | Blob } : unknown

/** The input of a call, which may be left out where the endpoint needs none. */
type Input<Verb extends Method, Path extends PathOf<Verb>> =
  Record<never, never> extends InputOf<Verb, Path>
    ? [input?: InputOf<Verb, Path> & Extra]
    : [input: InputOf<Verb, Path> & Extra]

type Send<Verb extends Method> = <Path extends PathOf<Verb>>(
  path: Path,
  ...input: Input<Verb, Path>
) => Promise<AnswerOf<Verb, Path>>

/** The daemon's HTTP API, typed by the endpoints. Answers other than 2xx are thrown as `ApiError`. */
export interface Api {
  get: Send<'GET'>
  post: Send<'POST'>
  put: Send<'PUT'>
  patch: Send<'PATCH'>
  delete: Send<'DELETE'>
  /** The unread answer, for streams and files. */
  open<Verb extends Method, Path extends PathOf<Verb>>(
    method: Verb,
    path: Path,
    ...input: Input<Verb, Path>
  ): Promise<Response>
}

/** The input of any call. */
interface AnyInput extends Extra {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
}

export function createApi(session: SessionStore): Api {
  const open = (method: string, path: string, input: AnyInput = {}) => send(session, method, path, input)
  const json = (method: string) => async (path: string, input?: AnyInput) => {
    const response = await open(method, path, input)
    return response.status === 204 ? undefined : response.json()
  }
  return {
    get: json('GET'),
    post: json('POST'),
    put: json('PUT'),
    patch: json('PATCH'),
    delete: json('DELETE'),
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
  // The session has expired or was revoked; the app then shows the sign-in page, which returns to this
  // address.
  if (response.status === 401 && token && session.get()?.token === token) session.clear()
  throw await errorOf(response)
}

function headersFor(token: string | undefined, { body, headers }: AnyInput): Record<string, string> {
  return {
    ...(token && { authorization: `Bearer ${token}` }),
    ...(body !== undefined && !isRaw(body) && { 'content-type': 'application/json' }),
    ...headers,
  }
}

const isRaw = (body: unknown): body is FormData | Blob => body instanceof FormData || body instanceof Blob

const encoded = (body: unknown): BodyInit => (isRaw(body) ? body : JSON.stringify(body))

/** The path with its parameters filled in and the query; empty members of the query are left out. */
export function addressOf(path: string, { params = {}, query = {} }: AnyInput): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
  const given = Object.entries(query).filter(([, value]) => value !== undefined && value !== null && value !== '')
  if (given.length === 0) return filled
  return `${filled}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}

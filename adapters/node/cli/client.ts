import type { Api } from '../../../handlers/index.ts'
import type { CallInput } from '../../../runtime/http/client.ts'
import { type Command, environmentOf, Failure, jsonOption, type Options, type Values } from './command.ts'
import { requireDaemon } from './process.ts'

export const keyOption = {
  key: { value: 'key', what: 'API key (default SERVICE_API_KEY, else a session of the local administrator)' },
} as const

type Input<Call> = Call extends { params: unknown; query: unknown; body: unknown } ? CallInput<Call> : never
type Answer<Call> = Call extends { answer: infer Sent } ? Sent : never
/** The input may be left out if the endpoint needs none. */
type Args<Call> = object extends Input<Call> ? [input?: Input<Call>] : [input: Input<Call>]

export interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is. */
  content?: FormData | Blob
}

/** What is wrong with a field of a request. */
export interface Issue {
  path: string
  place?: string
  message: string
}

/** A refusal of the daemon, with what is wrong with which field. */
export class Refusal extends Failure {
  readonly issues: readonly Issue[]

  constructor(message: string, name: string | undefined, issues: readonly Issue[]) {
    super(message, name ? { name } : {})
    this.issues = issues
  }
}

/** The API of a daemon. Rejects with a `Failure` unless the answer is a success. */
export class Client {
  readonly #url: string
  readonly #headers: Record<string, string>

  constructor(url: string, headers: Record<string, string>) {
    this.#url = url
    this.#headers = headers
  }

  /** The address of a path of the daemon, from this machine. */
  addressOf(path: string): string {
    return this.#url + path
  }

  get<Path extends keyof Api['GET'] & string>(path: Path, ...[input]: Args<Api['GET'][Path]>) {
    return this.#call<Answer<Api['GET'][Path]>>('GET', path, input)
  }

  post<Path extends keyof Api['POST'] & string>(path: Path, ...[input]: Args<Api['POST'][Path]>) {
    return this.#call<Answer<Api['POST'][Path]>>('POST', path, input)
  }

  put<Path extends keyof Api['PUT'] & string>(path: Path, ...[input]: Args<Api['PUT'][Path]>) {
    return this.#call<Answer<Api['PUT'][Path]>>('PUT', path, input)
  }

  delete<Path extends keyof Api['DELETE'] & string>(path: Path, ...[input]: Args<Api['DELETE'][Path]>) {
    return this.#call<Answer<Api['DELETE'][Path]>>('DELETE', path, input)
  }

  /** JSON is parsed; a stream is returned as the response. */
  async #call<Sent>(method: string, path: string, input: unknown): Promise<Sent> {
    const response = await this.send(method, path, (input ?? {}) as AnyInput)
    const json = response.headers.get('content-type')?.startsWith('application/json')
    return (json ? await response.json() : response) as Sent
  }

  /** Any call. Rejects with a `Refusal` unless the answer is a success. */
  async send(method: string, path: string, { params = {}, query = {}, body, content }: AnyInput): Promise<Response> {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const url = new URL(this.#url + filled)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const json = body !== undefined && content === undefined
    const headers = { ...this.#headers, ...(json && { 'content-type': 'application/json' }) }
    const response = await fetch(url, {
      method,
      headers,
      body: content ?? (json ? JSON.stringify(body) : null),
    })
    if (!response.ok) throw await refusalOf(response)
    return response
  }

  /** Opens the socket of all events that the caller may see. */
  async openEvents(): Promise<WebSocket> {
    const { ticket } = await this.post('/api/auth/ws-ticket')
    const socket = new WebSocket(`${this.#url.replace(/^http/, 'ws')}/ws/events?token=${ticket}`)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true })
      socket.addEventListener('error', () => reject(new Failure('Cannot follow the events of the daemon')))
    })
    return socket
  }
}

/** Both error shapes: `{error: message}` for a 401, else `{error: code, message}`. */
async function refusalOf(response: Response): Promise<Refusal> {
  const answer = (await response.json().catch(() => ({}))) as {
    error?: string
    message?: string
    issues?: Issue[]
  }
  const { error, message, issues = [] } = answer
  const text = message ?? error ?? `The daemon answered ${response.status}`
  return new Refusal(text, message ? error : 'unauthorized', issues)
}

/**
 * Runs something with the API of the running daemon. The credential is `--key`, else `SERVICE_API_KEY`, else
 * a session of the first administrator, which the command opens in the database and closes when it has ended.
 */
export async function withClient<Result>(
  { key }: { key?: string | undefined },
  run: (client: Client) => Promise<Result>,
): Promise<Result> {
  const environment = environmentOf()
  const { url } = requireDaemon(environment)
  const apiKey = key ?? process.env.SERVICE_API_KEY
  const token = apiKey ?? (await (await import('./local.ts')).openLocalSession(environment))
  const client = new Client(url, { authorization: `Bearer ${token}` })
  try {
    return await run(client)
  } finally {
    if (!apiKey) await client.post('/api/auth/logout').catch(() => undefined)
  }
}

/** The options of every command that uses the API. */
const common = { ...keyOption, ...jsonOption } as const

interface ApiCommand<Known extends Options> extends Pick<Command, 'usage' | 'what' | 'examples'> {
  options?: Known
  run(args: readonly string[], options: Values<Known> & Values<typeof common>, client: Client): unknown
}

/** A command that uses the API of the running daemon, with `--key` and `--json`. */
export const apiCommand = <const Known extends Options>({ options, run, ...command }: ApiCommand<Known>): Command => ({
  ...command,
  options: { ...options, ...common, ...(options?.json && { json: options.json }) },
  run: (args, values) =>
    withClient(values as Values<typeof common>, async (client) =>
      run(args, values as Values<Known> & Values<typeof common>, client),
    ),
})

/** Writes times as `2026-01-05 13:00` in the time zone of the profile, and null as `–`. */
export async function profileTimes(client: Client): Promise<(text: string | null) => string> {
  const { timezone } = await client.get('/api/settings/profile')
  // Swedish writes dates as ISO 8601 does.
  const format = new Intl.DateTimeFormat('sv-SE', {
    dateStyle: 'short',
    timeStyle: 'short',
    timeZone: timezone,
  })
  return (text) => (text === null ? '–' : format.format(new Date(text)))
}

import { existsSync } from 'node:fs'
import { type Api, areas } from '../../../handlers/index.ts'
import { assembleHost } from '../../../runtime/assemble.ts'
import { localContext } from '../../../runtime/auth/local.ts'
import { openSession } from '../../../runtime/auth/sessions.ts'
import { listUsers } from '../../../runtime/auth/user-store.ts'
import { defaultConfig } from '../../../runtime/config.ts'
import type { Host } from '../../../runtime/host.ts'
import type { CallInput } from '../../../runtime/http/client.ts'
import { pendingMigrations } from '../../../runtime/migrations/migrate.ts'
import type { Sql } from '../../../runtime/ports/sql.ts'
import { databasePath, openDatabase } from '../../libsql/database.ts'
import { LocalSql } from '../../libsql/local.ts'
import { markCopied } from '../../libsql/lock.ts'
import { openStore } from '../../libsql/open.ts'
import { createLog } from '../../log/log.ts'
import type { Environment } from '../environment.ts'
import { nodePorts } from '../ports.ts'
import { type Command, environmentOf, Failure, jsonOption, type Options, type Values } from './command.ts'
import { requireDaemon } from './process.ts'

export const keyOption = {
  key: { value: 'key', what: 'API key (default SERVICE_API_KEY, else a session of the local administrator)' },
} as const

type Input<Call> = Call extends { params: unknown; query: unknown; body: unknown } ? CallInput<Call> : never
type Answer<Call> = Call extends { answer: infer Sent } ? Sent : never
/** The input may be left out if the endpoint needs none. */
type Args<Call> = object extends Input<Call> ? [input?: Input<Call>] : [input: Input<Call>]

interface AnyInput {
  params?: Record<string, string>
  query?: Record<string, unknown>
  body?: unknown
  form?: FormData
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

  /** Posts a form to an endpoint that reads one. */
  upload<Path extends keyof Api['POST'] & string>(path: Path, form: FormData) {
    return this.#call<Answer<Api['POST'][Path]>>('POST', path, { form })
  }

  /** JSON is parsed; a stream is returned as the response. */
  async #call<Sent>(method: string, path: string, input: unknown): Promise<Sent> {
    const { params = {}, query = {}, body, form } = (input ?? {}) as AnyInput
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))
    const url = new URL(this.#url + filled)
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value))
    }
    const init = body === undefined ? { body: form ?? null } : { body: JSON.stringify(body) }
    const headers = { ...this.#headers, ...(body !== undefined && { 'content-type': 'application/json' }) }
    const response = await fetch(url, { method, headers, ...init })
    if (!response.ok) throw await failureOf(response)
    const json = response.headers.get('content-type')?.startsWith('application/json')
    return (json ? await response.json() : response) as Sent
  }
}

/** Both error shapes: `{error: message}` for a 401, else `{error: code, message}`. */
async function failureOf(response: Response): Promise<Failure> {
  const { error, message } = (await response.json().catch(() => ({}))) as { error?: string; message?: string }
  const name = message ? error : 'unauthorized'
  return new Failure(message ?? error ?? `The daemon answered ${response.status}`, name ? { name } : {})
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
  const given = key ?? process.env.SERVICE_API_KEY
  const token = given ?? (await openLocalSession(environment))
  const client = new Client(url, { authorization: `Bearer ${token}` })
  try {
    return await run(client)
  } finally {
    if (!given) await client.post('/api/auth/logout').catch(() => undefined)
  }
}

/** The options of every command that uses the API. */
const common = { ...keyOption, ...jsonOption } as const

interface ApiCommand<Known extends Options> extends Pick<Command, 'usage' | 'what' | 'examples'> {
  options?: Known
  run(args: readonly string[], options: Values<Known> & Values<typeof common>, client: Client): unknown
}

/** A command that uses the API of the running daemon, with `--key` and `--json`. */
export const apiCommand = <const Known extends Options>({
  options,
  run,
  ...command
}: ApiCommand<Known>): Command => ({
  ...command,
  options: { ...options, ...common, ...(options?.json && { json: options.json }) },
  run: (args, values) =>
    withClient(values as Values<typeof common>, async (client) =>
      run(args, values as Values<Known> & Values<typeof common>, client),
    ),
})

/** The only entity with this name, in any case; else the only one that was found. */
export function onlyOne<Found extends { name: string }>(
  kind: string,
  wanted: string,
  found: readonly Found[],
): Found {
  const exact = found.filter(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  const [one, other] = exact.length > 0 ? exact : found
  if (!one)
    throw new Failure(`There is no ${kind} ${wanted}; hearthd ${kind} ls lists them`, { name: 'not_found' })
  if (other) throw new Failure(`${wanted} matches several ${kind}s; use an id`, { name: 'ambiguous' })
  return one
}

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

const openLocalSession = (environment: Environment): Promise<string> =>
  withLocalHost(environment, async (host) => {
    const { users } = await listUsers(host, { limit: 200, offset: 0 })
    const admin = users.find((user) => user.role === 'admin')
    if (!admin) throw new Failure('There is no administrator yet: run hearthd setup, or pass --key')
    const context = localContext(host)
    const { session, statement } = await openSession(context, admin.id)
    await context.commit([statement])
    return session.token
  })

/**
 * Runs something directly on the store, whether a daemon is running or not. It needs no credential: anyone
 * who can write to the data folder owns it.
 */
export async function withLocalHost<Result>(
  environment: Environment,
  run: (host: Host) => Promise<Result>,
): Promise<Result> {
  const sql = await openSql(environment)
  const log = createLog({ level: 'warn', stream: process.stderr })
  const { ports, close } = nodePorts({ environment, sql, log, own_ports: () => [] })
  try {
    if ((await pendingMigrations(sql)).length > 0)
      throw new Failure('This database belongs to another release; run hearthd start once')
    const config = { ...defaultConfig, timezone: environment.timezone }
    const stopping = new AbortController().signal
    return await run(assembleHost({ ports, areas, config, stopping, wake: () => undefined }))
  } finally {
    await close()
    await sql.close()
    if (!environment.database_url) markCopied(environment.data_dir)
  }
}

async function openSql(environment: Environment): Promise<Sql> {
  const { data_dir, encryption_key, database_url: url, database_token: auth_token } = environment
  if (url) return (await openStore({ data_dir, url, ...(auth_token ? { auth_token } : {}) })).sql
  const path = databasePath(data_dir)
  if (!existsSync(path)) throw new Failure(`There is no hearthd in ${data_dir} yet; run hearthd start first`)
  return new LocalSql(openDatabase(path, encryption_key), async () => ({ bytes: 0, wal_bytes: 0 }))
}

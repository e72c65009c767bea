import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createMemoryFiles, type FilesImage } from '../../../adapters/memory/files.ts'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import { createMemorySecrets } from '../../../adapters/memory/secrets.ts'
import { createMemorySql } from '../../../adapters/memory/sql.ts'
import type { SetupResult } from '../../../runtime/auth/schema.ts'
import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import type { Access } from '../../../runtime/http/endpoint-info.ts'
import { areaOf } from '../../../runtime/http/openapi/names.ts'
import { isStream } from '../../../runtime/http/returns.ts'
import { RouteTable } from '../../../runtime/http/router.ts'
import { routesOf } from '../../../runtime/http/routes.ts'
import { type Serve, serve } from '../../../runtime/http/serve.ts'
import type { Secrets } from '../../../runtime/ports/secrets.ts'
import { endpoints } from '../../support/endpoints.ts'
import { emptyImage, setUpAdmin, testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'
import { calmBodies, type FuzzedRequest } from './requests.ts'

export interface Table {
  handle: Serve
  routes: RouteTable<Endpoint>
}

const tables = new Map<readonly Endpoint[], Table>()

/** What answers the endpoints of a list; made once per list. */
export function tableOf(list: readonly Endpoint[]): Table {
  const known = tables.get(list) ?? { handle: serve(routesOf(list)), routes: new RouteTable(routesOf(list)) }
  tables.set(list, known)
  return known
}

/** A service with something in it, and who may ask it. */
export interface Target {
  handle: Serve
  host: MemoryHost
  key: string
  /** What stands for `{{id 0}}`, `{{id 1}}`, …: mostly ids of what the endpoint is about. */
  ids: string[]
}

export const plain: FuzzedRequest = {
  method: 'GET',
  target: '/',
  headers: {},
  body: undefined,
  credential: 'admin',
}

const collections = endpoints.filter(({ path, access }) => !path.includes('{') && isPlain(access))

function isPlain(access: Access): boolean {
  return access === 'read' || access === 'write' || access === 'admin'
}

/** Requests that fill a fresh service: a few for everything that can be made without naming something else. */
const makers = collections
  .filter(({ method }) => method === 'POST')
  .flatMap((endpoint) => calmBodies(endpoint, 3).map((body) => makerOf(endpoint, body)))

function makerOf({ method, path }: Endpoint, body: string): FuzzedRequest {
  return { ...plain, method, target: path, headers: { 'content-type': 'application/json' }, body }
}

/** A stream never ends. */
const lists = collections.filter(({ method, returns }) => method === 'GET' && !isStream(returns))

/** Of the same area, or of what nearly everything refers to. More would only take time. */
function isRelated(target: string, { path }: Endpoint): boolean {
  return [areaOf(path), 'agents', 'chat'].includes(areaOf(target))
}

/** What a service had in it once it was filled, for others to start with. */
interface Filled {
  secrets: Secrets
  sql: Uint8Array
  files: FilesImage
  api_key: SetupResult['api_key']
}

/** As that of the hosts; nothing here moves it. */
const filesClock = createFakeClock('2026-01-05T12:00:00.000Z')

const filled = new Map<string, Promise<Filled>>()

/** Filled once for all endpoints of an area. */
function filledFor(endpoint: Endpoint): Promise<Filled> {
  const area = areaOf(endpoint.path)
  const known = filled.get(area) ?? fill(endpoint)
  filled.set(area, known)
  return known
}

async function fill(endpoint: Endpoint): Promise<Filled> {
  const sql = createMemorySql(await emptyImage)
  const files = createMemoryFiles(filesClock)
  const secrets = createMemorySecrets({ cheap: true })
  const host = await testHost({ sql, files, secrets })
  const { api_key } = await setUpAdmin(host)
  const owner: Target = { host, handle: tableOf(endpoints).handle, key: api_key.key, ids: [] }
  const made: string[] = []
  for (const request of makers.filter((maker) => isRelated(maker.target, endpoint))) {
    const response = await send({ ...owner, ids: idsOf(made) }, request)
    if (response.status === 201) made.push(await response.text())
    else await response.body?.cancel()
  }
  await workOff(host)
  return { secrets, sql: sql.image(), files: files.image(), api_key }
}

/** Makes services of their own for the requests of one endpoint, each as good as any other. */
export async function targetsFor(endpoint: Endpoint, { handle }: Table): Promise<() => Promise<Target>> {
  if (endpoint.access === 'setup') return async () => ({ host: await testHost(), handle, key: '', ids: [] })
  const { secrets, sql, files, api_key } = await filledFor(endpoint)
  const fresh = () => testHost({ secrets, sql: createMemorySql(sql), files: createMemoryFiles(filesClock, files) })
  const owner = { host: await fresh(), handle: tableOf(endpoints).handle, key: api_key.key, ids: [] }
  const ids = await idsFor(endpoint, owner)
  // Its own key is named seldom, because nothing more is to be seen once it is gone.
  const named = [...ids.filter((id) => id !== api_key.id), api_key.id]
  return async () => ({ ...owner, host: await fresh(), handle, ids: named })
}

const idsOf = (bodies: string[]) => bodies.flatMap((body) => idsIn(JSON.parse(body)))

/** Ids of everything that can be listed, those of the endpoint's own kind far more often. */
async function idsFor(endpoint: Endpoint, target: Target): Promise<string[]> {
  const ids: string[] = []
  for (const list of lists.filter(({ path }) => isRelated(path, endpoint))) {
    const response = await send(target, { ...plain, target: list.path })
    const found = idsIn(await response.json().catch(() => null)).slice(0, 10)
    const times = endpoint.path.startsWith(`${list.path}/`) ? 20 : 1
    ids.push(...Array.from({ length: times }, () => found).flat())
  }
  return ids
}

function idsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'string' && /(^|_)id$/.test(name) ? [member] : idsIn(member),
  )
}

let requests = 0

/** Sends one request. Each comes from another address, so that the limiter does not answer for everything else. */
export function send({ host, handle, key, ids }: Target, request: FuzzedRequest): Promise<Response> {
  const { method, credential } = request
  const named = (text: string) =>
    text.replace(/(?:\{\{|%7B%7B)id(?: |%20)(\d+)(?:\}\}|%7D%7D)/g, (_, index) => ids[index % ids.length] ?? 'none')
  const body = typeof request.body === 'string' ? named(request.body) : request.body
  const headers = new Headers({ ...request.headers, ...credentials[credential](key) })
  const sendable = method === 'GET' || method === 'HEAD' ? null : (body ?? null)
  const init = { method, headers, body: sendable as BodyInit | null }
  requests += 1
  const address = `10.${(requests >> 16) & 255}.${(requests >> 8) & 255}.${requests & 255}`
  const local = key === ''
  return handle(new Request(`http://127.0.0.1:18781${named(request.target)}`, init), host, { address, local })
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })

const credentials: Record<FuzzedRequest['credential'], (key: string) => Record<string, string>> = {
  admin: (key) => (key ? bearer(key) : {}),
  none: () => ({}),
  wrong: () => bearer(`svc_${'0'.repeat(64)}`),
}

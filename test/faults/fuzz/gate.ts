import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { z } from 'zod'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import { isFile } from '../../../runtime/http/returns.ts'
import { endpoints } from '../../support/endpoints.ts'
import { workOff } from '../../support/work.ts'
import { type FuzzedRequest, requestsFor } from './requests.ts'
import { send, type Table, type Target, tableOf, targetsFor } from './target.ts'

/** Requests per endpoint. */
const runs = Number(process.env.FUZZ_RUNS ?? 2_000)
const seed = Number(process.env.FUZZ_SEED ?? 20_260_105)
/** Requests after which a service is replaced, so that its lists stay short. */
const perService = 400
/** Requests after which the work that they began is done. */
const perWorkOff = 50

const Unauthorized = z.strictObject({ error: z.string().min(1) })
const Refusal = z.looseObject({
  error: z.string().regex(/^[a-z_]+$/),
  message: z.string().min(1),
  status: z.number(),
})
const specified503 = /^(unsupported|unavailable)$/

/** Sends every endpoint of one shard what no client would send. */
export function fuzzGate(shard: (endpoint: Endpoint) => boolean): void {
  const table = endpoints.filter(shard).map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const)
  const name = `%s answers ${runs} requests (seed ${seed})`
  test.each(table)(name, { timeout: 300_000 }, (_, endpoint) => fuzz(endpoint, tableOf(endpoints)))
}

/** Rejects with the smallest request that the endpoint answers wrongly. */
export async function fuzz(endpoint: Endpoint, table: Table): Promise<void> {
  const fresh = await targetsFor(endpoint, table)
  let target = await fresh()
  const replace = async () => {
    await finish(target)
    target = await fresh()
  }
  const judge = createJudge(endpoint, table)
  let sent = 0
  const property = fc.asyncProperty(requestsFor(endpoint), async (request) => {
    sent += 1
    if (endpoint.method !== 'GET' && sent % perService === 0) await replace()
    const response = await send(target, request)
    await judge(target, request, response)
    if (sent % perWorkOff === 0) await workOff(target.host)
    if (isUsedUp(endpoint, request, response)) await replace()
  })
  await fc.assert(property, { numRuns: runs, seed })
  await finish(target)
}

/** Setup is done, or the key that asks has been revoked. */
function isUsedUp({ access, path }: Endpoint, { credential }: FuzzedRequest, { ok, status }: Response): boolean {
  if (access === 'setup') return ok && path === '/api/setup/admin'
  return access !== 'public' && status === 401 && credential === 'admin'
}

/** After all that, the service does what is left and is ready for more. */
async function finish({ host }: Target): Promise<void> {
  await workOff(host)
  const peer = { address: '10.0.0.1', local: false }
  const ready = await tableOf(endpoints).handle(new Request('http://127.0.0.1:18781/health/ready'), host, peer)
  assert.equal(ready.status, 200)
  await host.sql.close()
}

type Judge = (target: Target, request: FuzzedRequest, response: Response) => Promise<void>

function createJudge({ returns }: Endpoint, { routes }: Table): Judge {
  let last = ''
  const refusals = new Set<string>()

  /** A dot segment may have led the request to another endpoint than the one under test. */
  const routeOf = async ({ method, target }: FuzzedRequest) =>
    (await routes.find(method, `http://127.0.0.1${target}`)).route

  async function checkShape(request: FuzzedRequest, status: number, text: string): Promise<void> {
    if (text === last) return
    last = text
    const route = await routeOf(request)
    if (status === (route.status ?? 200) && !isFile(route.returns)) route.returns.parse(JSON.parse(text))
  }

  function checkRefusal(status: number, text: string): void {
    const seen = `${status} ${text}`
    if (refusals.has(seen)) return
    refusals.add(seen)
    if (status === 401) Unauthorized.parse(JSON.parse(text))
    else assert.equal(Refusal.parse(JSON.parse(text)).status, status)
  }

  return async ({ host }, request, response) => {
    const { status, headers } = response
    const type = headers.get('content-type') ?? ''
    assert.equal(headers.get('x-content-type-options'), 'nosniff')
    const unread =
      response.ok && (type !== 'application/json' || (isFile(returns) && isFile((await routeOf(request)).returns)))
    if (unread) return void (await response.body?.cancel())
    const text = await response.text()
    if (status >= 500) checkFailure(host, response, text)
    if (request.method === 'HEAD') return
    if (status >= 400) {
      assert.equal(type, 'application/json')
      checkRefusal(status, text)
    } else if (response.ok) await checkShape(request, status, text)
  }
}

function checkFailure({ log }: MemoryHost, { status }: Response, text: string): void {
  if (status === 503 && (text === '' || specified503.test(JSON.parse(text).error))) return
  const cause = log.lines.findLast(({ fields }) => fields.cause !== undefined)
  throw new Error(`${status}: ${JSON.stringify(cause?.fields ?? text)}`)
}

import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker } from '../../../adapters/worker/bundle.ts'
import { allEndpoints } from '../../../handlers/index.ts'
import { startWorkerd } from '../../hosts/workerd.ts'

let workerd: Miniflare
let url: string
let key: string

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}) =>
  fetch(url + path, {
    method,
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}`, ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(20_000),
  })

beforeAll(async () => {
  const { modules } = await bundleWorker({ entry: 'adapters/worker/worker.ts' })
  workerd = startWorkerd({ modules, bindings: { SERVICE_LOG_LEVEL: 'error' } })
  url = (await workerd.ready).origin
  const admin = { username: 'ada', password: 'correct horse battery' }
  key = (await (await send('POST', '/api/setup/admin', admin, { 'x-setup-token': 'let me in' })).json()).api_key.key
})
afterAll(() => workerd.dispose())

/** The caller would lose its credential or its data. */
const ends = /logout|wipe|reset|setup|\/keys|\/users/

test.each(['GET', 'POST'])(
  'no %s fails otherwise than on Node: what is missing here says so',
  async (method) => {
    const endpoints = (await allEndpoints()).filter((one) => one.method === method && !ends.test(one.path))
    const failed: unknown[] = []
    for (const { path } of endpoints) {
      const response = await send(method, path.replace(/\{\w+\}/g, 'none'), method === 'GET' ? undefined : {})
      if (response.status < 500) {
        await response.body?.cancel()
        continue
      }
      const body = await response.json()
      if (body.error !== 'unsupported') failed.push([path, body])
    }
    expect(failed).toEqual([])
    expect((await send('GET', '/api/agents')).status).toBe(200)
  },
  120_000,
)

import type { Miniflare } from 'miniflare'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bundleWorker } from '../../../adapters/worker/bundle.ts'
import { allEndpoints } from '../../../handlers/index.ts'
import type { ExecutionDetails } from '../../../runtime/workflows/schema.ts'
import { startWorkerd } from '../../hosts/workerd.ts'
import { eventually } from '../../support/daemon-process.ts'
import { drawn } from '../../workflows/kit.ts'

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

test('nodes of a workflow pass on more than the platform stores in one value', async () => {
  const size = 5 * 1024 * 1024
  const nodes = {
    start: { type: 'trigger.manual' },
    big: { type: 'set', params: { values: { text: `=$pad('', ${size}, 'é')` }, keep_input: false } },
    same: { type: 'condition', params: { expression: 'true' } },
    wait: { type: 'delay', params: { seconds: 0 } },
    length: { type: 'set', params: { values: { length: '=$length(input.text)' }, keep_input: false } },
  }
  const flow = drawn(nodes, ['start → big', 'big → same', 'same:true → wait', 'wait → length'])
  const { id } = await (await send('POST', '/api/workflows', flow)).json()
  const { execution_id } = await (await send('POST', `/api/workflows/${id}/execute`, {})).json()
  const ended = await eventually(async () => {
    const response = await send('GET', `/api/workflows/executions/${execution_id}`)
    const execution: ExecutionDetails = await response.json()
    return execution.completed_at !== null && execution
  })
  expect(ended).toMatchObject({ error: null, output: { length: size } })
})

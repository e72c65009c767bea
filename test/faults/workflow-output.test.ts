import { readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ExecutionDetails, NodeRun, Workflow } from '../../runtime/workflows/schema.ts'
import { eventually } from '../support/daemon-process.ts'
import { drawn } from '../workflows/kit.ts'
import { Service } from './service.ts'

const MiB = 1024 * 1024

/** An answer of 100 MB, as a list of texts. */
const server = createServer((_, response) => {
  response.setHeader('content-type', 'application/json')
  const part = `"${'x'.repeat(MiB)}",`
  let sent = 0
  const send = () => {
    for (; sent < 100; sent += 1)
      if (!response.write(sent === 0 ? `[${part}` : part)) {
        sent += 1
        return void response.once('drain', send)
      }
    response.end('1]')
  }
  send()
})

let service: Service
let address: string

beforeAll(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  service = await Service.start({ SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1' })
})

afterAll(async () => {
  server.close()
  await service.kill()
})

/** The largest resident size of the daemon so far, in MiB. */
async function peak(): Promise<number> {
  const status = await readFile(`/proc/${service.pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1]) / 1024
}

const shown = (id: string) => service.read<ExecutionDetails>('GET', `/api/workflows/executions/${id}`)

async function ended(nodes: Parameters<typeof drawn>[0], arrows: string[]): Promise<ExecutionDetails> {
  const { id } = await service.read<Workflow>('POST', '/api/workflows', drawn(nodes, arrows))
  const { execution_id } = await service.read<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`, {
    input: { kept: 'input' },
  })
  await eventually(async () => (await shown(execution_id)).completed_at !== null)
  return shown(execution_id)
}

const start = { type: 'trigger.manual' }
const megabytes = (count: number) => ({
  type: 'set',
  params: { values: { text: `=$pad('', ${count * MiB}, 'x')` }, keep_input: false },
})

test.each([
  ['code', () => ({ type: 'code', params: { code: "return 'x'.repeat(100 * 1024 * 1024)" } })],
  ['an expression', () => megabytes(100)],
  ['an HTTP request', () => ({ type: 'http', params: { url: address } })],
])('an output of 100 MB from %s fails its node, which keeps its input', async (_, node) => {
  const before = await peak()
  const failed = await ended({ start, big: node() }, ['start → big'])
  expect(failed).toMatchObject({ status: 'failed', error: { node_id: 'big' } })
  const run = await service.read<NodeRun>('GET', `/api/workflows/executions/${failed.id}/node-runs/2`)
  expect(run).toMatchObject({ status: 'failed', input: { kept: 'input' }, output: null })
  expect((await peak()) - before).toBeLessThan(250)
})

test('branches and loops with large values fail where they become too large', async () => {
  const before = await peak()
  const parts = Object.fromEntries(Array.from({ length: 8 }, (_, index) => [`part${index}`, megabytes(9)]))
  const names = Object.keys(parts)
  const merged = await ended({ start, ...parts, merge: { type: 'merge' } }, [
    `start → ${names.join(', ')}`,
    ...names.map((name) => `${name} → merge`),
  ])
  expect(merged).toMatchObject({ status: 'failed', error: { code: 'too_large' } })
  const looped = await ended({ start, each: { type: 'loop', params: { items: 12 } }, big: megabytes(9) }, [
    'start → each',
    'each:loop → big',
    'big → each',
  ])
  expect(looped).toMatchObject({ status: 'failed', error: { node_id: 'each', code: 'too_large' } })
  expect((await peak()) - before).toBeLessThan(400)
})

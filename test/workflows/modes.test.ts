import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as projects from '../../handlers/projects/projects.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, executionsOf, nodeRun, ran, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const wait = { type: 'delay', params: { seconds: 3_600 } }
const fail = { type: 'code', params: { code: 'throw new Error("no")' } }

const statuses = async (host: MemoryHost, id: string): Promise<string[]> => {
  const { executions: found } = await (await call(executions.executions, host, { params: { id } })).json()
  return found.map(({ status }: { status: string }) => status).reverse()
}

test.each([
  ['queued', {}, ['waiting', 'queued', 'queued'], ['succeeded', 'waiting', 'queued']],
  ['restart', {}, ['cancelled', 'cancelled', 'waiting'], ['cancelled', 'cancelled', 'succeeded']],
  ['parallel', { max_concurrent: 1 }, ['waiting', 'waiting', 'waiting'], ['succeeded', 'succeeded', 'succeeded']],
] as const)('three executions at once in the mode %s', async (mode, more, first, later) => {
  const host = await testHost()
  const settings = { mode, ...more }
  const { id } = await created(host, drawn({ start, wait }, ['start → wait'], { settings }))
  for (let count = 0; count < 3; count += 1) await started(host, id)
  await workOff(host)
  expect(await statuses(host, id)).toEqual(first)
  await host.clock.advance(3_600_000)
  await workOff(host)
  expect(await statuses(host, id)).toEqual(later)
})

test('in the mode single a second execution is refused, also if both are started at once', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start, wait }, ['start → wait'], { settings: { mode: 'single' } }))
  const execute = () => call(executions.execute, host, { params: { id }, body: {} })
  const answers = await Promise.all([execute(), execute()])
  expect(answers.map(({ status }) => status).sort()).toEqual([202, 409])
  expect((await execute()).status).toBe(409)
})

test.each([
  ['single', ['waiting']],
  ['restart', ['cancelled', 'cancelled', 'waiting']],
  ['queued', ['waiting', 'queued', 'queued']],
] as const)('three events at once start executions in the mode %s', async (mode, expected) => {
  const host = await testHost()
  const go = { type: 'trigger.event', params: { event: 'project.created' } }
  const { id } = await created(host, drawn({ go, wait }, ['go → wait'], { settings: { mode } }))
  await call(workflows.activate, host, { params: { id } })
  await workOff(host)
  for (const name of ['one', 'two', 'three']) await call(projects.create, host, { body: { name } })
  await workOff(host)
  expect(await statuses(host, id)).toEqual(expected)
  // An event is considered once.
  await call(projects.create, host, { body: { name: 'four' } })
  await workOff(host)
  const more = { single: [], restart: ['waiting'], queued: ['queued'] }[mode]
  expect(await statuses(host, id)).toHaveLength(expected.length + more.length)
})

test('a failure starts the error workflow once, with a report', async () => {
  const host = await testHost()
  const handler = await created(host, drawn({ start, bad: fail }, ['start → bad'], { name: 'Handler' }))
  const settings = { error_workflow_id: handler.id }
  const failed = await ran(host, drawn({ start, bad: fail }, ['start → bad'], { settings }), {
    input: { a: 1 },
  })
  const found = await executionsOf(host, handler.id)
  expect(found).toHaveLength(1)
  expect(found[0]).toMatchObject({
    trigger: 'error',
    status: 'failed',
    input: { execution: { id: failed.id, error: { node_id: 'bad' }, input: { a: 1 } } },
  })
})

const steps = {
  start,
  one: { type: 'set', params: { values: { one: '=input.n' } } },
  two: { type: 'code', params: { code: 'if (input.n < 2) throw new Error("small"); return input.n * 10' } },
  three: { type: 'set', params: { values: { two: '=nodes.two.output', one: '=nodes.one.output.one' } } },
}
const line = ['start → one', 'one → two', 'two → three']

test('an execution starts at a node with what the last one left, and a retry at the node that failed', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn(steps, line))
  const good = await started(host, id, { input: { n: 3 } })
  await workOff(host)
  expect((await execution(host, good)).output).toMatchObject({ one: 3, two: 30 })
  const part = await started(host, id, { from_node: 'three' })
  await workOff(host)
  expect(await execution(host, part)).toMatchObject({ status: 'succeeded', output: { one: 3, two: 30 } })
  const bad = await started(host, id, { input: { n: 1 } })
  await workOff(host)
  expect((await execution(host, bad)).error).toMatchObject({ node_id: 'two' })
  const fixed = { ...steps, two: { type: 'code', params: { code: 'return input.n * 100' } } }
  const { nodes } = drawn(fixed, line)
  await call(workflows.update, host, { params: { id }, body: { nodes } })
  const response = await call(executions.retry, host, { params: { id: bad }, body: { from: 'failure' } })
  const { execution_id } = await response.json()
  await workOff(host)
  expect(await execution(host, execution_id)).toMatchObject({ retry_of: bad, output: { one: 1, two: 100 } })
})

test('pinned data replaces the run of a node, if the execution asks for it', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn(steps, line, { pin_data: { two: 7 } }))
  for (const use_pin_data of [true, false]) {
    const run = await started(host, id, { input: { n: 2 }, use_pin_data })
    await workOff(host)
    expect((await execution(host, run)).output).toMatchObject({ two: use_pin_data ? 7 : 20 })
  }
})

test('the stream of an execution begins with a snapshot and ends with done', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn(steps, line))
  const run = await started(host, id, { input: { n: 2 } })
  const response = await call(executions.events, host, { params: { id: run } })
  const text = response.text()
  await workOff(host)
  const names = [...(await text).matchAll(/^event: (\w+)/gm)].map(([, name]) => name)
  expect(names[0]).toBe('snapshot')
  expect(names.slice(-2)).toEqual(['snapshot', 'done'])
  expect(await text).toContain('"status":"succeeded"')
})

test('lists have the sizes and beginnings of values, the resource has the value', async () => {
  const host = await testHost()
  const large = { type: 'set', params: { values: { text: "=$pad('', 100000, 'x')" }, keep_input: false } }
  const last = { type: 'set', params: { values: { size: '=$length(input.text)' }, keep_input: false } }
  const done = await ran(host, drawn({ start, large, last }, ['start → large', 'large → last']), {
    input: { note: 'y'.repeat(300) },
  })
  expect(done).toMatchObject({ output: { size: 100_000 }, node_runs_total: 3 })
  const size = 100_011
  expect(done.node_runs[1]).toMatchObject({
    output_size: size,
    output_preview: `{"text":"${'x'.repeat(191)}`,
  })
  // A large input is stored once, with the run whose output it was.
  expect(done.node_runs[2]).toMatchObject({ input_size: size, output_preview: '{"size":100000}' })
  expect(await nodeRun(host, done, 3)).toMatchObject({
    input: { text: 'x'.repeat(100_000) },
    output: { size: 100_000 },
  })
  const params = { id: done.workflow_id }
  const { executions: found } = await (await call(executions.executions, host, { params })).json()
  expect(found[0]).toMatchObject({ input_size: 311, output_preview: '{"size":100000}', waiting_for: [] })
  expect(found[0]).not.toHaveProperty('input')
  const missing = await call(executions.nodeRun, host, { params: { id: done.id, seq: '9' } })
  expect(missing.status).toBe(404)
})

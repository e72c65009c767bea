import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { createMemorySql, type MemorySql } from '../../adapters/memory/sql.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import type { Statement } from '../../runtime/ports/sql.ts'
import { tick } from '../../runtime/tick.ts'
import { watchers } from '../../runtime/workflows/live.ts'
import { Pending } from '../../runtime/workflows/pending.ts'
import type { ExecutionDetails } from '../../runtime/workflows/schema.ts'
import { call } from '../support/call.ts'
import { emptyImage, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const add = { type: 'set', params: { values: { n: '=input.n + 1' } } }
const fetched = { type: 'http', params: { url: 'http://localhost/' } }

/** A database that counts the commits of executions. */
async function countingSql(): Promise<{ sql: MemorySql; steps: () => number }> {
  const sql = createMemorySql(await emptyImage)
  let steps = 0
  const isStep = ({ sql }: Statement) => sql.startsWith('UPDATE workflow_executions SET status')
  const write: MemorySql['write'] = (statements, options) => {
    steps += statements.filter(isStep).length
    return sql.write(statements, options)
  }
  return { sql: { ...sql, write }, steps: () => steps }
}

const chain = (count: number) => ({
  nodes: { start, ...Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, add])) },
  arrows: ['start → n0', ...Array.from({ length: count - 1 }, (_, index) => `n${index} → n${index + 1}`)],
})

const finished = ({ node_runs }: ExecutionDetails) =>
  node_runs.map(({ seq, node_id, status }) => `${seq} ${node_id} ${status}`)

test('a chain of nodes without effects is one commit, with the result of each', async () => {
  const { sql, steps } = await countingSql()
  const host = await testHost({ sql })
  const { nodes, arrows } = chain(30)
  const { id } = await created(host, drawn(nodes, arrows))
  const run = await started(host, id, { input: { n: 0 } })
  await workOff(host)
  const done = await execution(host, run)
  expect(done).toMatchObject({ status: 'succeeded', output: { n: 30 } })
  expect(finished(done)).toEqual(Object.keys(nodes).map((node, index) => `${index + 1} ${node} succeeded`))
  expect(steps()).toBe(1)
})

test('what was computed is stored before a node that reaches outside runs', async () => {
  const host = await testHost({
    outbound: {
      ...noOutbound,
      fetch: async () => {
        seen = finished(await execution(host, run))
        return new Response('{}')
      },
    },
  })
  let seen: string[] = []
  const { id } = await created(host, drawn({ start, add, fetched }, ['start → add', 'add → fetched']))
  const run = await started(host, id, { input: { n: 0 } })
  await workOff(host)
  expect(seen).toEqual(['1 start succeeded', '2 add succeeded'])
})

test('what was computed is stored while a long computation runs', async () => {
  const ended = Promise.withResolvers<void>()
  const script = {
    run: async () => {
      await ended.promise
      return { ok: true as const, value: 1, logs: [], logs_truncated: false }
    },
    close: async () => undefined,
  }
  const host = await testHost({ script })
  const code = { type: 'code', params: { code: 'return 1' } }
  const { id } = await created(host, drawn({ start, add, code }, ['start → add', 'add → code']))
  const run = await started(host, id, { input: { n: 0 } })
  const changes: string[] = []
  watchers(host).watch(run, ({ node_id, status }) => changes.push(`${node_id} ${status}`))
  await tick(host)
  await host.clock.advance(100)
  await setImmediate()
  expect(finished(await execution(host, run))).toEqual(['1 start succeeded', '2 add succeeded'])
  const shown = ['start running', 'start succeeded', 'add running', 'add succeeded', 'code running']
  expect(changes).toEqual(shown)
  ended.resolve()
  await host.process.running.settled()
  expect(changes).toEqual([...shown, 'code succeeded'])
})

test('after a kill, what was not stored is computed again, and each result is there once', async () => {
  const sql = createMemorySql(await emptyImage)
  const never = { run: () => new Promise<never>(() => undefined), close: async () => undefined }
  const first = await testHost({ sql, script: never })
  const nodes = { ...chain(5).nodes, code: { type: 'code', params: { code: 'return input.n' } } }
  const { id } = await created(first, drawn(nodes, [...chain(5).arrows, 'n4 → code']))
  const run = await started(first, id, { input: { n: 0 } })
  await tick(first)
  await setImmediate()
  const second = await testHost({ sql })
  expect(finished(await execution(second, run))).toEqual([])
  await second.clock.advance(5_000)
  await workOff(second)
  const done = await execution(second, run)
  expect(done).toMatchObject({ status: 'succeeded', output: 5 })
  expect(finished(done)).toEqual(Object.keys(nodes).map((node, index) => `${index + 1} ${node} succeeded`))
})

test('a loop stores its items in batches and keeps the runs of the first iterations and of the latest', async () => {
  const { sql, steps } = await countingSql()
  const host = await testHost({ sql })
  const loop = { type: 'loop', params: { items: 300 } }
  const one = { type: 'set', params: { values: { n: '=item' }, keep_input: false } }
  const { id } = await created(host, drawn({ start, loop, one }, ['start → loop', 'loop:loop → one', 'one → loop']))
  const run = await started(host, id)
  await workOff(host)
  const done = await execution(host, run)
  expect(done.output).toEqual({ count: 300, items: Array.from({ length: 300 }, (_, n) => ({ n })) })
  const kept = done.node_runs.filter(({ node_id }) => node_id === 'one').map(({ iteration }) => iteration)
  expect(kept).toEqual([...Array(100).keys(), 299])
  expect(steps()).toBeLessThan(10)
})

test('of iterations that run at once, the runs of those that have not ended are kept', () => {
  const pending = new Pending('exec', () => 0)
  const run = (seq: number, iteration: number) =>
    ({
      execution_id: 'exec',
      seq,
      node_id: 'node',
      frame: 1,
      iteration,
      input: null,
      output: null,
      error: null,
    }) as never
  for (const iteration of [101, 102, 103]) pending.save(run(iteration, iteration), 101)
  pending.save(run(200, 104), 103)
  const inserted = pending.statements().filter(({ sql }) => sql.startsWith('INSERT'))
  expect(inserted.map(({ args }) => args?.[1])).toEqual([103, 200])
})

test('an execution that is cancelled in the middle of a batch stops', async () => {
  const host = await testHost()
  const loop = { type: 'loop', params: { items: 100_000 } }
  const one = { type: 'set', params: { values: { n: '=item' }, keep_input: false } }
  const { id } = await created(host, drawn({ start, loop, one }, ['start → loop', 'loop:loop → one', 'one → loop']))
  const run = await started(host, id)
  await tick(host)
  await setImmediate()
  expect((await call(executions.cancel, host, { params: { id: run } })).status).toBe(200)
  await host.process.running.settled()
  const rows = () => host.sql.read('SELECT 1 FROM workflow_loop_results WHERE execution_id = ?', [run])
  const { length } = await rows()
  expect(length).toBeLessThan(100_000)
  await workOff(host)
  expect(await rows()).toHaveLength(length)
  expect(await execution(host, run)).toMatchObject({ status: 'cancelled', error: { code: 'cancelled' } })
})

test('code in a loop sees no globals of the items before, nor of other executions', async () => {
  const host = await testHost()
  const code = {
    type: 'code',
    params: { code: 'const first = globalThis.seen === undefined; seen = true; return first && crypto !== undefined' },
  }
  const each = { type: 'loop', params: { items: 3 } }
  const { id } = await created(host, drawn({ start, each, code }, ['start → each', 'each:loop → code', 'code → each']))
  for (let run = 0; run < 2; run += 1) {
    const execution_id = await started(host, id)
    await workOff(host)
    expect((await execution(host, execution_id)).output).toEqual({ count: 3, items: [true, true, true] })
  }
})

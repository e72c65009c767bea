import { setImmediate } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySql, type MemorySql } from '../../adapters/memory/sql.ts'
import type { Script } from '../../runtime/ports/script.ts'
import { tick } from '../../runtime/tick.ts'
import { isSameJson } from '../../runtime/values.ts'
import { emptyImage, testHost } from '../support/host.ts'
import { created, drawn, execution, ran, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const code = { type: 'code', params: { code: 'return input' }, retry_safe: true }
const each = { type: 'loop', params: { items: 6 } }

/** The execution of one node after a manual start. */
const ranAlone = async (node: { type: string; [field: string]: unknown }, input: unknown = {}) =>
  ran(await testHost(), drawn({ start, node }, ['start → node']), { input })

test.each([1e9, Number.MAX_VALUE, 1e5 + 1])(
  'a loop over the number %d is refused before its items are made',
  async (items) => {
    expect(await ranAlone({ type: 'loop', params: { items: '=input.items' } }, { items })).toMatchObject({
      status: 'failed',
      error: { node_id: 'node', code: 'too_large' },
    })
  },
)

test.each(['=function($x){ $x }', '=$sum', '={"list": [function($x){ $x }]}'])(
  'an output with the function %s fails its node',
  async (f) => {
    expect(await ranAlone({ type: 'set', params: { values: { f } } }, { kept: 1 })).toMatchObject({
      status: 'failed',
      error: { node_id: 'node', code: 'expression', message: expect.stringContaining('Values → f ') },
    })
  },
)

test.each([
  ['set', { values: { deep: { list: ['x', '=$number(input.x)'] } } }, 'Values → deep → list 2'],
  ['http', { url: 'http://localhost/{{ $number(input.x) }}' }, 'URL'],
  ['condition', { expression: 'input.x > 1' }, 'Expression'],
  ['switch', { cases: [{ expression: 'false' }, { expression: '$error("no")' }] }, 'Cases 2 → Expression'],
])('an expression of %s that fails names its field', async (type, params, field) => {
  const { status, error } = await ranAlone({ type, params }, { x: 'abc' })
  expect(status).toBe('failed')
  expect(error).toMatchObject({ node_id: 'node', code: 'expression' })
  expect(error?.message).toContain(`${field} cannot be evaluated: `)
})

test('an answer that is nested too deeply to be stored fails its node', async () => {
  const body = '['.repeat(100_000) + ']'.repeat(100_000)
  const outbound = {
    ...noOutbound,
    fetch: async () => new Response(body, { headers: { 'content-type': 'application/json' } }),
  }
  const node = { type: 'http', params: { url: 'http://localhost/' } }
  expect(await ran(await testHost({ outbound }), drawn({ start, node }, ['start → node']))).toMatchObject({
    status: 'failed',
    error: { node_id: 'node', code: 'invalid_output' },
  })
})

test('fields are not added to a list, which would be lost', async () => {
  const set = (params: object) =>
    ranAlone({ type: 'set', params: { values: { a: 1 }, ...params }, input_mode: 'list' }, [1, 2])
  expect(await set({})).toMatchObject({ status: 'failed', error: { node_id: 'node', code: 'list' } })
  expect((await set({ keep_input: false })).output).toEqual({ a: 1 })
})

test('an error is passed on without an input that is too large beside it', async () => {
  const large = { type: 'code', params: { code: 'return "x".repeat(3_999_900)' } }
  const join = { type: 'merge', params: { mode: 'list' } }
  const bad = { type: 'set', params: { values: { no: '=$error("no")' } }, on_error: 'error_output' }
  const ids = Array.from({ length: 8 }, (_, index) => `part${index}`)
  const nodes = { start, ...Object.fromEntries(ids.map((id) => [id, large])), join, bad }
  const arrows = [`start → ${ids}`, ...ids.map((id) => `${id} → join`), 'join → bad']
  // With the commas and brackets of the list, the limit itself.
  const rest = { type: 'code', params: { code: `return "y".repeat(${32 * 1024 * 1024 - 8 * 3_999_903 - 4})` } }
  const graph = drawn({ ...nodes, rest }, [...arrows, 'start → rest', 'rest → join'])
  const { status, output } = await ran(await testHost(), graph)
  expect([status, Object.keys(output as object)]).toEqual(['succeeded', ['error']])
})

test('a merge of fields refuses a list', async () => {
  const nodes = {
    start,
    list: { type: 'code', params: { code: 'return [1, 2]' } },
    join: { type: 'merge', params: { mode: 'object' } },
  }
  const graph = drawn(nodes, ['start → list,join', 'list → join'])
  expect(await ran(await testHost(), graph)).toMatchObject({
    status: 'failed',
    error: { node_id: 'join', message: 'The value from list is a list, which has no fields to join' },
  })
})

/** Starts a host on the database, where code with this input never ends, as if it took the daemon down each time. */
async function dyingHost(sql: MemorySql, deadly: unknown): Promise<MemoryHost> {
  const run: Script['run'] = ({ input }) =>
    isSameJson(input, deadly)
      ? new Promise(() => undefined)
      : Promise.resolve({ ok: true, value: input, logs: [], logs_truncated: false })
  const host = await testHost({ sql, script: { run, close: async () => undefined } })
  await host.clock.advance(5_000)
  await tick(host)
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  return host
}

test.each([
  ['alone', { node: code }, ['start → node'], {}],
  ['of a late item', { each, node: code }, ['start → each', 'each:loop → node', 'node → each'], 4],
])('a node %s that takes the daemon down again and again waits for a person', async (_, nodes, arrows, deadly) => {
  const sql = createMemorySql(await emptyImage)
  const first = await testHost({ sql })
  const { id } = await created(first, drawn({ start, ...nodes }, arrows))
  const run = await started(first, id)
  for (let death = 1; death <= 5; death += 1) await dyingHost(sql, deadly)
  const { status, waiting_for, node_runs } = await execution(await dyingHost(sql, deadly), run)
  expect(status).toBe('waiting')
  expect(waiting_for).toMatchObject([{ node_id: 'node', kind: 'repeat' }])
  expect(node_runs.at(-1)).toMatchObject({ node_id: 'node', iteration: deadly === 4 ? 4 : null, status: 'waiting' })
})

test('expressions that end the engine name their fields', async () => {
  const values = { first: '=js:{{ "x".repeat(5_000_000) }}', second: '=js:{{ 1 }}', third: 'plain' }
  expect(await ranAlone({ type: 'set', params: { values } }, {})).toMatchObject({
    status: 'failed',
    error: {
      code: 'expression',
      message: expect.stringMatching(/^Values → first or Values → second cannot be evaluated: .*longer than/),
    },
  })
})

import { expect, test } from 'vitest'
import { createMemorySql, type MemorySql } from '../../adapters/memory/sql.ts'
import * as tables from '../../handlers/tables/tables.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { call } from '../support/call.ts'
import { emptyImage, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, ran, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const set = (values: object) => ({ type: 'set', params: { values, keep_input: false } })
const failing = set({ no: '=$error("no")' })
const join = { type: 'merge', params: { mode: 'object' } }
const parallel = { type: 'parallel' }
const loop = { type: 'loop', params: { items: '=input.rows' } }

type Nodes = Parameters<typeof drawn>[0]

/** Runs a workflow that fails, corrects its nodes and retries it from the failure. */
async function retried(nodes: Nodes, arrows: string[], { corrected, input }: { corrected: Nodes; input: object }) {
  const host = await testHost()
  const { id } = await created(host, drawn(nodes, arrows))
  const run = await started(host, id, { input })
  await workOff(host)
  const failed = await execution(host, run)
  expect(failed.status).toBe('failed')
  const body = drawn({ ...nodes, ...corrected }, arrows)
  expect((await call(workflows.update, host, { params: { id }, body })).status).toBe(200)
  const response = await call(executions.retry, host, { params: { id: run }, body: { from: 'failure' } })
  const answer = await response.json()
  await workOff(host)
  return { failed, response, answer, again: response.ok ? await execution(host, answer.execution_id) : null }
}

test('a retry from the failure continues a loop with the item that failed', async () => {
  const line = { type: 'file', params: { action: 'append', path: 'lines', content: '{{ item }};' } }
  const nodes = {
    ...{ start, loop, line, double: set({ n: '=item = 2 ? $error("no") : item' }) },
    ...{ read: { type: 'file', params: { path: 'lines' } } },
    end: set({ text: '=input.text', items: '=nodes.loop.output.items' }),
  }
  const arrows = [
    'start → loop',
    'loop:loop → line',
    'line → double',
    'double → loop',
    'loop:done → read',
    'read → end',
  ]
  const input = { rows: [1, 2, 3] }
  const { failed, again } = await retried(nodes, arrows, {
    corrected: { double: set({ n: '=item' }) },
    input,
  })
  expect(failed.node_runs.map(({ status }) => status)).not.toContain('running')
  expect(again).toMatchObject({ status: 'succeeded', input })
  expect(again?.output).toEqual({ text: '1;2;3;', items: [{ n: 1 }, { n: 2 }, { n: 3 }] })
  expect(again?.node_runs.every(({ status }) => status === 'succeeded')).toBe(true)
})

test('a retry from the failure also runs the branches that had not run yet', async () => {
  const nodes = { start, first: failing, second: set({ second: 2 }), join }
  const arrows = ['start → first,second', 'first → join', 'second → join']
  const corrected = { first: set({ first: 1 }) }
  const { again } = await retried(nodes, arrows, { corrected, input: {} })
  expect(again).toMatchObject({ status: 'succeeded', output: { first: 1, second: 2 } })
})

test('a retry from the failure keeps what has arrived at a merge', async () => {
  const nodes = { start, parallel, first: set({ first: 1 }), second: failing, join }
  const arrows = ['start → parallel', 'parallel → first,second', 'first → join', 'second → join']
  const corrected = { second: set({ second: 2 }) }
  const { again } = await retried(nodes, arrows, { corrected, input: {} })
  expect(again).toMatchObject({ status: 'succeeded', output: { first: 1, second: 2 } })
})

test('a retry from the failure is refused if a node that it needs was removed', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start, bad: failing }, ['start → bad']))
  const run = await started(host, id)
  await workOff(host)
  await call(workflows.update, host, {
    params: { id },
    body: { nodes: [{ id: 'start', name: 'start', ...start }], edges: [] },
  })
  const response = await call(executions.retry, host, { params: { id: run }, body: { from: 'failure' } })
  expect(response.status).toBe(409)
})

test.each([
  ['join', { first: 1, second: 2 }],
  ['second', { first: 1, second: 2 }],
])('a run from %s takes what arrived at the merge in the last execution', async (from_node, output) => {
  const host = await testHost()
  const nodes = { start, first: set({ first: 1 }), second: set({ second: 2 }), join }
  const { id } = await created(host, drawn(nodes, ['start → first,second', 'first → join', 'second → join']))
  await started(host, id)
  await workOff(host)
  const run = await started(host, id, { from_node })
  await workOff(host)
  expect(await execution(host, run)).toMatchObject({ status: 'succeeded', output })
})

test('a run from a node inside loops starts with the outermost loop', async () => {
  const host = await testHost()
  const inner = { type: 'loop', params: { items: '=input' } }
  const nodes = {
    start,
    outer: loop,
    inner,
    double: set({ n: '=item * 2' }),
    end: set({ n: '=input.items.items.n' }),
  }
  const arrows = [
    'start → outer',
    'outer:loop → inner',
    'inner:loop → double',
    'double → inner',
    'inner:done → outer',
    'outer:done → end',
  ]
  const { id } = await created(host, drawn(nodes, arrows))
  await started(host, id, { input: { rows: [[1, 2], [3]] } })
  await workOff(host)
  const run = await started(host, id, { from_node: 'double' })
  await workOff(host)
  expect(await execution(host, run)).toMatchObject({ status: 'succeeded', output: { n: [2, 4, 6] } })
})

test.each([
  ['condition', { expression: 'false' }, 'true'],
  ['approval', { message: 'Continue?' }, 'true'],
  ['loop', { items: '=input.rows' }, 'done'],
] as const)('a disabled or pinned %s continues at one output', async (type, params, output) => {
  const node = { type, params }
  const arrows = [
    'start → node',
    `node:${output} → end`,
    ...(type === 'loop' ? ['node:loop → body', 'body → node'] : []),
  ]
  const nodes = { start, end: set({ end: '=input' }), ...(type === 'loop' ? { body: failing } : {}) }
  const input = { rows: [1] }
  const disabled = drawn({ ...nodes, node: { ...node, disabled: true } }, arrows)
  expect((await ran(await testHost(), disabled, { input })).output).toEqual({ end: input })
  const pinned = drawn({ ...nodes, node }, arrows, { pin_data: { node: 'pinned' } })
  expect((await ran(await testHost(), pinned, { use_pin_data: true })).output).toEqual({ end: 'pinned' })
})

test('validation warns of an error output that the node does not use', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start, bad: failing, end: set({}) }, ['start → bad', 'bad:error → end']))
  const { issues, valid } = await (await call(workflows.validate, host, { params: { id }, body: {} })).json()
  expect(valid).toBe(true)
  expect(issues).toMatchObject([{ path: 'nodes.bad.on_error', severity: 'warning' }])
})

const rows = [{ n: 1 }, { n: 2 }, { n: 3 }]
const large = { type: 'condition', params: { expression: 'input.n > 1' } }
const total = { type: 'summarize', params: { summaries: [{ field: 'n', operation: 'sum' }] } }

test('a run to a node ends there, and what does not lead to it need not be complete', async () => {
  const host = await testHost()
  const incomplete = { type: 'http' }
  const nodes = { start, large, total, other: set({}), end: incomplete }
  const arrows = ['start → large,other', 'large:true → total', 'total → end']
  const { id } = await created(host, drawn(nodes, arrows))
  const run = await started(host, id, { input: rows, to_node: 'total' })
  await workOff(host)
  const { status, output, node_runs } = await execution(host, run)
  expect({ status, output, ran: node_runs.map(({ node_id }) => node_id) }).toEqual({
    ...{ status: 'succeeded', output: [{ sum_n: 5 }], ran: ['start', 'large', 'total'] },
  })
})

test('one node runs alone, with the items of its output in the last execution or with pin data', async () => {
  const host = await testHost()
  const paired = set({ first: "=js:{{ $('start').item.json.n }}" })
  const nodes = { start, large, paired, end: failing }
  const { id } = await created(host, drawn(nodes, ['start → large', 'large:true → paired', 'paired → end']))
  const ran = async (body: object) => {
    const run = await started(host, id, body)
    await workOff(host)
    return execution(host, run)
  }
  await ran({ input: rows, to_node: 'large' })
  const alone = { from_node: 'paired', to_node: 'paired' }
  expect(await ran(alone)).toMatchObject({ status: 'succeeded', output: [{ first: 2 }, { first: 3 }] })
  const body = { pin_data: { start: [{ n: 4 }, { n: 5 }] } }
  await call(workflows.update, host, { params: { id }, body })
  const split = { from_node: 'large', to_node: 'large', use_pin_data: true }
  expect(await ran(split)).toMatchObject({ status: 'succeeded', output: [{ n: 4 }, { n: 5 }] })
  const refused = await call(executions.execute, host, { params: { id }, body: { to_node: 'none' } })
  expect(refused.status).toBe(422)
})

test('a column that was renamed fails its node, and the run continues once it is named as before', async () => {
  const host = await testHost()
  const named = (name: string) => ({ name: 'People', columns: [{ id: 'c1', name, type: 'text' }] })
  const made = await (await call(tables.create, host, { body: { name: 'People', columns: [{ name: 'Name' }] } })).json()
  const rename = (name: string) => call(tables.update, host, { params: { id: made.id }, body: named(name) })
  const line = { type: 'file', params: { action: 'append', path: 'lines', content: 'x' } }
  const row = { type: 'table', params: { table_id: made.id, action: 'insert', rows: { Name: 'Ada' } } }
  const read = { type: 'file', params: { path: 'lines' } }
  const { id } = await created(host, drawn({ start, line, row, read }, ['start → line', 'line → row', 'row → read']))
  expect((await rename('Full name')).status).toBe(200)
  const run = await started(host, id)
  await workOff(host)
  const message = expect.stringContaining('Name is no column of the table')
  expect(await execution(host, run)).toMatchObject({ status: 'failed', error: { node_id: 'row', message } })
  await rename('Name')
  const response = await call(executions.retry, host, { params: { id: run }, body: { from: 'failure' } })
  await workOff(host)
  const again = await execution(host, (await response.json()).execution_id)
  expect(again).toMatchObject({ status: 'succeeded', output: { text: 'x' } })
})

test.each([
  ['an expression', set({ n: '=($f := function($n) { $f($n + 1) }; $f(1))' }), 'expression'],
  ['code', { type: 'code', params: { code: 'for (;;) ;', timeout_seconds: 1 } }, 'timeout'],
])('%s that never ends fails its node, and the run continues after the fix', async (_, bad, code) => {
  const line = { type: 'file', params: { action: 'append', path: 'lines', content: 'x' } }
  const nodes = { start, line, bad, read: { type: 'file', params: { path: 'lines' } } }
  const { failed, again } = await retried(nodes, ['start → line', 'line → bad', 'bad → read'], {
    corrected: { bad: set({ n: 1 }) },
    input: {},
  })
  expect(failed.error).toMatchObject({ node_id: 'bad', code })
  expect(again).toMatchObject({ status: 'succeeded', output: { text: 'x' } })
})

test('a retry from the failure is refused if the execution is deleted meanwhile, with the outputs that it needs', async () => {
  const sql = createMemorySql(await emptyImage)
  let run = ''
  const write: MemorySql['write'] = async (statements, options) => {
    const isRetry = run !== '' && statements.some(({ sql }) => sql.startsWith('INSERT INTO workflow_executions'))
    if (isRetry) await sql.write([{ sql: 'DELETE FROM workflow_executions WHERE id = ?', args: [run] }])
    return sql.write(statements, options)
  }
  const host = await testHost({ sql: { ...sql, write } })
  const arrows = ['start → one', 'one → last']
  const { id } = await created(host, drawn({ start, one: set({ n: 1 }), last: failing }, arrows))
  const failed = await started(host, id)
  await workOff(host)
  run = failed
  const again = await call(executions.retry, host, { params: { id: run }, body: { from: 'failure' } })
  expect([again.status, (await again.json()).message]).toEqual([409, expect.stringContaining('deleted')])
})

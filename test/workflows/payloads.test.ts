import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { createMemorySql, type MemorySql } from '../../adapters/memory/sql.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import * as hooks from '../../handlers/workflows/hooks.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { retainedExecutions } from '../../runtime/workflows/execution-store.ts'
import type { NodeRunSummary } from '../../runtime/workflows/schema.ts'
import { call } from '../support/call.ts'
import { emptyImage, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, executionsOf, nodeRun, ran, started } from './kit.ts'

const KiB = 1024
const start = { type: 'trigger.manual' }
/** The same list for the same letter. */
const list = (letter: string, items = 400) => ({
  type: 'set',
  params: { values: { list: `=[1..${items}].{'n': $, 'text': $pad('', ${KiB}, '${letter}')}` }, keep_input: false },
})
const listed = (letter: string, items = 400) => ({
  list: Array.from({ length: items }, (_, n) => ({ n: n + 1, text: letter.repeat(KiB) })),
})
const passOn = { type: 'condition', params: { expression: 'true' } }
const bytesOf = (value: unknown) => new TextEncoder().encode(JSON.stringify(value)).length

/** Bytes of each large value that is stored. */
async function stored({ sql }: MemoryHost): Promise<number[]> {
  const query = 'SELECT sum(length(bytes)) AS bytes FROM workflow_blobs GROUP BY sha256 ORDER BY 1'
  return (await sql.read<{ bytes: number }>(query)).map(({ bytes }) => bytes)
}

/** References to values that are not stored. */
const missing = ({ sql }: MemoryHost) =>
  sql.read(`SELECT node_id FROM workflow_node_runs, json_each(json_array(input, output))
    WHERE value LIKE '@%' AND substr(value, 2, 64) NOT IN (SELECT sha256 FROM workflow_blobs)`)

test('what ten nodes pass on is stored once, and their rows stay small', async () => {
  const host = await testHost()
  const names = Array.from({ length: 9 }, (_, index) => `n${index}`)
  const nodes = { start, big: list('é'), ...Object.fromEntries(names.map((name) => [name, passOn])) }
  const arrows = ['start → big', 'big → n0', ...names.slice(1).map((name, index) => `n${index}:true → ${name}`)]
  const run = await ran(host, drawn(nodes, arrows))
  const value = listed('é')
  expect(run).toMatchObject({ status: 'succeeded', output: value })
  expect(await stored(host)).toEqual([bytesOf(value)])
  const query = 'SELECT max(ifnull(length(input), 0) + ifnull(length(output), 0)) AS size FROM workflow_node_runs'
  const [row] = await host.sql.read<{ size: number }>(query)
  expect(row?.size).toBeLessThan(2 * KiB)
  for (const seq of [3, 11]) expect(await nodeRun(host, run, seq)).toMatchObject({ input: value, output: value })
  const response = await call(executions.nodeRuns, host, { params: { id: run.id } })
  const { node_runs } = (await response.json()) as { node_runs: NodeRunSummary[] }
  const short = { query: { short: 'true' } }
  const part = await (await call(executions.nodeRun, host, { params: { id: run.id, seq: '3' }, ...short })).json()
  expect(part.shortened).toEqual(['input', 'output'])
  expect(part.output.list[5]).toEqual(value.list[5])
  expect(bytesOf(part.output)).toBeLessThan(600 * KiB)
  const details = await (await call(executions.show, host, { params: { id: run.id }, ...short })).json()
  expect(details).toMatchObject({ input: {}, output: part.output, shortened: ['output'] })
  const excerpt = { input_size: bytesOf(value), input_preview: JSON.stringify(value).slice(0, 200) }
  expect(node_runs[5]).toMatchObject(excerpt)
})

test('256 KB stay in the row', async () => {
  const host = await testHost()
  const text = (length: number) => ({
    type: 'set',
    params: { values: { text: `=$pad('', ${length}, 'x')` }, keep_input: false },
  })
  const around = '{"text":""}'.length
  await ran(host, drawn({ start, fits: text(256 * KiB - around) }, ['start → fits']))
  expect(await stored(host)).toEqual([])
  await ran(host, drawn({ start, large: text(256 * KiB - around + 1) }, ['start → large']))
  expect(await stored(host)).toEqual([256 * KiB + 1])
})

test('an execution that waits continues with large values, which go with the last execution that has them', async () => {
  const host = await testHost()
  const nodes = {
    start,
    big: list('a'),
    wait: { type: 'delay', params: { seconds: 60 } },
    count: {
      type: 'set',
      params: { values: { count: '=$count(input.list)', first: '=nodes.big.output.list[0].n' }, keep_input: false },
    },
  }
  const arrows = ['start → big', 'big → wait', 'wait → count']
  const { id } = await created(host, drawn(nodes, arrows, { settings: { mode: 'parallel', max_concurrent: 2 } }))
  const ids = [await started(host, id), await started(host, id)]
  await workOff(host)
  await host.clock.advance(61_000)
  await workOff(host)
  for (const one of ids) expect(await execution(host, one)).toMatchObject({ output: { count: 400, first: 1 } })
  expect(await stored(host)).toEqual([bytesOf(listed('a'))])
  const first = `UPDATE workflow_executions SET completed_at = '2020-01-01' WHERE id = ?`
  await host.sql.write([{ sql: first, args: [ids[0] ?? ''] }])
  await retainedExecutions.prune(host, '2021-01-01', 10)
  expect(await executionsOf(host, id)).toHaveLength(1)
  expect(await stored(host)).toHaveLength(1)
  expect(await missing(host)).toEqual([])
  await call(workflows.remove, host, { params: { id } })
  expect(await stored(host)).toEqual([])
})

test('a retry takes large values over, also when the execution before it is deleted', async () => {
  const host = await testHost()
  const fails = { type: 'set', params: { values: { no: '=$error("no")' } } }
  const counts = { type: 'set', params: { values: { count: '=$count(input.list)' }, keep_input: false } }
  const arrows = ['start → big', 'big → last']
  const { id } = await created(host, drawn({ start, big: list('a'), last: fails }, arrows))
  const run = await started(host, id)
  await workOff(host)
  await call(workflows.update, host, { params: { id }, body: drawn({ start, big: list('b'), last: counts }, arrows) })
  for (const again of [
    () => call(executions.retry, host, { params: { id: run }, body: { from: 'failure' } }),
    () => call(executions.execute, host, { params: { id }, body: { from_node: 'last' } }),
  ]) {
    const { execution_id } = await (await again()).json()
    await host.sql.write([{ sql: 'DELETE FROM workflow_executions WHERE id <> ?', args: [execution_id] }])
    await workOff(host)
    expect(await execution(host, execution_id)).toMatchObject({ status: 'succeeded', output: { count: 400 } })
    expect(await stored(host)).toEqual([bytesOf(listed('a'))])
  }
})

test('a loop releases the large values of runs that are not kept', async () => {
  const host = await testHost()
  const each = { type: 'loop', params: { items: 130, collect: false } }
  const text = {
    type: 'set',
    params: { values: { text: `=$string(item) & $pad('', ${300 * KiB}, 'x')` }, keep_input: false },
  }
  const size = { type: 'set', params: { values: { size: '=$length(input.text)' }, keep_input: false } }
  const run = await ran(
    host,
    drawn({ start, each, text, size }, ['start → each', 'each:loop → text', 'text → size', 'size → each']),
  )
  expect(run.status).toBe('succeeded')
  expect(await missing(host)).toEqual([])
  expect((await stored(host)).length).toBe(101)
})

test('a loop over large items collects them', async () => {
  const host = await testHost()
  const each = { type: 'loop', params: { items: '=[1..3].{"n": $, "text": $pad("", 307200, "x")}' } }
  const run = await ran(
    host,
    drawn({ start, each, passOn }, ['start → each', 'each:loop → passOn', 'passOn:true → each']),
  )
  const items = [1, 2, 3].map((n) => ({ n, text: 'x'.repeat(307_200) }))
  expect(run).toMatchObject({ status: 'succeeded', output: { count: 3, items } })
  expect(await missing(host)).toEqual([])
  // Three items, and the output; what the loop has while it runs is released.
  expect(await stored(host)).toHaveLength(4)
})

test('a body of 15 MB passes a webhook and its nodes, and is answered', async () => {
  const host = await testHost()
  const hook = { type: 'trigger.webhook', params: { response: 'at_end', max_kilobytes: 16 * KiB } }
  const body = { type: 'set', params: { values: { body: '=input.body' }, keep_input: false } }
  const counts = {
    count: '=$count(input.body.list)',
    last: '=$length(nodes.hook.output.body.list[-1].text)',
    script: '=js:{{ $json.body.list.length }}',
  }
  const code = 'return { body: input.body, counts: input.counts, code: input.body.list.length }'
  const nodes = {
    hook,
    passOn,
    body,
    counts: { type: 'set', params: { values: { counts } } },
    code: { type: 'code', params: { code, memory_mb: 256 } },
  }
  const { id } = await created(
    host,
    drawn(nodes, ['hook → passOn', 'passOn:true → body', 'body → counts', 'counts → code']),
  )
  await call(workflows.activate, host, { params: { id } })
  const { triggers } = await (await call(workflows.triggers, host, { params: { id } })).json()
  const params = { token: triggers[0].path.split('/').at(-1) }
  const sent = listed('z', 14_000)
  const response = await call(hooks.postHook, host, { params, body: sent })
  const [run] = await executionsOf(host, id)
  expect(run?.error).toBe(null)
  expect(response.status).toBe(200)
  const count = 14_000
  expect(await response.json()).toEqual({ body: sent, counts: { count, last: KiB, script: count }, code: count })
  expect(await stored(host)).toHaveLength(4)
})

test('a sub-workflow and an error workflow get large values', async () => {
  const host = await testHost()
  const inner = await created(host, drawn({ start, passOn }, ['start → passOn']))
  const sub = { type: 'sub_workflow', params: { workflow_id: inner.id } }
  const run = await ran(host, drawn({ start, big: list('s'), sub }, ['start → big', 'big → sub']))
  expect(run).toMatchObject({ status: 'succeeded', output: listed('s') })
  expect(await stored(host)).toHaveLength(1)
  const report = await created(
    host,
    drawn(
      {
        start,
        size: { type: 'set', params: { values: { n: '=$count(input.execution.input.list)' }, keep_input: false } },
      },
      ['start → size'],
    ),
  )
  const stop = { type: 'stop', params: { error: 'no' } }
  await ran(host, drawn({ start, stop }, ['start → stop'], { settings: { error_workflow_id: report.id } }), {
    input: listed('s'),
  })
  await workOff(host)
  expect(await executionsOf(host, report.id)).toMatchObject([{ output: { n: 400 } }])
})

test('an output beyond the limit says what to do', async () => {
  const host = await testHost()
  const big = {
    type: 'set',
    params: { values: { text: `=$pad('', ${9 * KiB * KiB}, 'x')` }, keep_input: false },
  }
  const values = Object.fromEntries(['a', 'b', 'c', 'd'].map((name) => [name, '=input.text']))
  const all = { type: 'set', params: { values, keep_input: false } }
  const run = await ran(host, drawn({ start, big, all }, ['start → big', 'big → all']))
  expect(run).toMatchObject({ status: 'failed', error: { node_id: 'all', code: 'too_large' } })
  expect(run.error?.message).toMatch(/passes on at most 33554432.*fields that are needed.*file/)
})

test('a list of a million items is refused, and the run continues after the fix', async () => {
  const host = await testHost()
  const append = { type: 'file', params: { action: 'append', path: 'done.txt', content: 'x' } }
  const many = (count: number) => ({
    type: 'code',
    params: { code: `return Array.from({ length: ${count} }, (_, n) => n)`, memory_mb: 256 },
  })
  const arrows = ['start → append', 'append → many']
  const { id } = await created(host, drawn({ start, append, many: many(1_000_000) }, arrows))
  const run = await started(host, id)
  await workOff(host)
  const message = expect.stringMatching(/list of 1000000 items.*at most 500000.*parts/)
  expect(await execution(host, run)).toMatchObject({ status: 'failed', error: { node_id: 'many', message } })
  await call(workflows.update, host, { params: { id }, body: drawn({ start, append, many: many(3) }, arrows) })
  const { execution_id } = await (
    await call(executions.retry, host, { params: { id: run }, body: { from: 'failure' } })
  ).json()
  await workOff(host)
  expect(await execution(host, execution_id)).toMatchObject({ status: 'succeeded', output: [0, 1, 2] })
  const { output } = await ran(
    host,
    drawn({ start, read: { type: 'file', params: { path: 'done.txt' } } }, ['start → read']),
  )
  expect(output).toMatchObject({ text: 'x' })
})

test('only what is answered is read of large values', async () => {
  const sql = createMemorySql(await emptyImage)
  let reads = 0
  const read: MemorySql['read'] = (text, args) => {
    if (text.includes('FROM workflow_blobs')) reads += 1
    return sql.read(text, args)
  }
  const host = await testHost({ sql: { ...sql, read } })
  const nodes = { start, wait: { type: 'delay', params: { seconds: 60 } } }
  const { id } = await created(host, drawn(nodes, ['start → wait']))
  const run = await started(host, id, { input: listed('a') })
  await workOff(host)
  reads = 0
  const params = { id: run }
  expect((await call(executions.nodeRuns, host, { params })).status).toBe(200)
  expect((await call(executions.nodeRun, host, { params: { ...params, seq: '2' } })).status).toBe(200)
  expect(reads).toBe(1)
  expect((await call(workflows.remove, host, { params: { id } })).ok).toBe(true)
  expect(reads).toBe(1)
})

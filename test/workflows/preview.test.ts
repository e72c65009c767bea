import { expect, test } from 'vitest'
import { preview } from '../../handlers/workflows/executions.ts'
import type { Host } from '../../runtime/host.ts'
import type { ExecutionDetails } from '../../runtime/workflows/schema.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { created, drawn, ran } from './kit.ts'

const start = { type: 'trigger.manual' }
const set = (values: object, more: object = {}) => ({ type: 'set', params: { values, keep_input: false }, ...more })

/** Values of texts at a node over the data of an execution. */
const previewsOf =
  (host: Host, { id: execution_id, workflow_id }: Pick<ExecutionDetails, 'id' | 'workflow_id'>) =>
  async (text: string, node_id: string, more: object = {}) =>
    (await call(preview, host, { params: { id: workflow_id }, body: { execution_id, node_id, text, ...more } })).json()

test('a text is evaluated over the data of an execution, and an error is reported', async () => {
  const host = await testHost()
  const price = { type: 'set', name: 'The price', params: { values: { total: '=input.count * vars.rate' } } }
  const drawing = drawn({ start, price, next: set({}) }, ['start → price', 'price → next'], { variables: { rate: 2 } })
  const evaluated = previewsOf(host, await ran(host, drawing, { input: { count: 3 } }))
  expect(await evaluated('for {{ input.count }} at {{ vars.rate }}', 'price')).toEqual({
    value: 'for 3 at 2',
    error: null,
  })
  expect(await evaluated('=nodes.`The price`.output', 'next')).toMatchObject({ value: { count: 3, total: 6 } })
  expect(await evaluated('=input.total', 'next')).toEqual({ value: 6, error: null })
  expect(await evaluated('=input.count', 'start')).toEqual({ value: 3, error: null })
  expect(await evaluated('=nodes.none', 'next')).toEqual({ value: null, error: null })
  expect((await evaluated('=$error("No")', 'next')).error).toMatch('No')
  expect((await evaluated('=((', 'next')).error).toEqual(expect.any(String))
})

test('expressions of n8n see the same data, and a node that is drawn but not saved is at its place', async () => {
  const host = await testHost()
  const nodes = { start, names: { ...set({ name: '{{ input.first }}!' }), name: 'The names' } }
  const input = [{ first: 'Ada' }, { first: 'Ben' }]
  const evaluated = previewsOf(host, await ran(host, drawn(nodes, ['start → names']), { input }))
  const { nodes: added, edges } = drawn({ ...nodes, next: set({}) }, ['start → names', 'names → next'])
  const changes = { nodes: added, edges }
  expect(await evaluated('=js:Dear {{ $json.name }}', 'next', { changes })).toEqual({ value: 'Dear Ada!', error: null })
  expect(await evaluated('=js:{{ $json.name.length }}', 'next', { changes, index: 1 })).toEqual({
    value: 4,
    error: null,
  })
  const own = "=js:{{ $('start').item.json.first.toUpperCase() }}"
  expect(await evaluated(own, 'next', { changes, index: 1 })).toEqual({ value: 'BEN', error: null })
  expect(await evaluated('{{ index }} {{ input.name }}', 'next', { changes, index: 1 })).toMatchObject({
    value: '1 Ben!',
  })
  expect((await evaluated("=js:{{ $('None').item }}", 'next', { changes })).error).toMatch('None')
})

test('before the first run, pin data and samples of triggers are the data', async () => {
  const host = await testHost()
  const nodes = { hook: { type: 'trigger.webhook' }, first: set({}), second: set({}) }
  const { id: workflow_id } = await created(host, drawn(nodes, ['hook → first', 'first → second']))
  const evaluated = async (text: string, node_id: string, pin_data: object) => {
    const body = { text, node_id, changes: { pin_data } }
    return (await call(preview, host, { params: { id: workflow_id }, body })).json()
  }
  expect(await evaluated('=input.method', 'first', {})).toEqual({ value: 'POST', error: null })
  expect(await evaluated('=input.body.n', 'first', { hook: { body: { n: 7 } } })).toEqual({ value: 7, error: null })
  expect(await evaluated('=input.n', 'second', { first: { n: 8 } })).toEqual({ value: 8, error: null })
})

test('item and index are those of the loop around the node', async () => {
  const host = await testHost()
  const seen = set({ seen: '=item' })
  const nodes = {
    start,
    each: { type: 'loop', params: { items: '=input.names' } },
    first: seen,
    second: seen,
    end: set({}),
  }
  const arrows = ['start → each', 'each:loop → first', 'first → second', 'second → each', 'each:done → end']
  const evaluated = previewsOf(host, await ran(host, drawn(nodes, arrows), { input: { names: ['Ada', 'Ben'] } }))
  const text = '{{ index }} {{ item }}'
  expect(await evaluated(text, 'second')).toEqual({ value: '1 Ben', error: null })
  expect(await evaluated(text, 'first')).toEqual({ value: '1 Ben', error: null })
  expect(await evaluated(text, 'end')).toEqual({ value: ' ', error: null })
})

import { expect, test } from 'vitest'
import { preview } from '../../handlers/workflows/executions.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

test('a text is evaluated over the data of an execution, and an error is reported', async () => {
  const host = await testHost()
  const { id } = await ran(
    host,
    drawn(
      {
        start: { type: 'trigger.manual' },
        price: { type: 'set', name: 'The price', params: { values: { total: '=input.count * vars.rate' } } },
      },
      ['start → price'],
      { variables: { rate: 2 } },
    ),
    { input: { count: 3 } },
  )
  const evaluated = async (text: string, node_id = 'price', after?: string) =>
    (await call(preview, host, { params: { id }, query: { node_id, text, ...(after && { after }) } })).json()
  expect(await evaluated('for {{ input.count }} at {{ vars.rate }}')).toEqual({
    value: 'for 3 at 2',
    error: null,
  })
  expect(await evaluated('=nodes.`The price`.output')).toMatchObject({ value: { count: 3, total: 6 } })
  expect(await evaluated('=input.total', 'new', 'price')).toEqual({ value: 6, error: null })
  expect(await evaluated('=input.count', 'new')).toEqual({ value: 3, error: null })
  expect(await evaluated('=nodes.none')).toEqual({ value: null, error: null })
  expect((await evaluated('=$error("No")')).error).toMatch('No')
  expect((await evaluated('=((')).error).toEqual(expect.any(String))
})

test('item and index are those of the loop around the node', async () => {
  const host = await testHost()
  const set = { type: 'set', params: { values: { seen: '=item' }, keep_input: false } }
  const { id } = await ran(
    host,
    drawn(
      {
        start: { type: 'trigger.manual' },
        each: { type: 'loop', params: { items: '=input.names' } },
        first: set,
        second: set,
      },
      ['start → each', 'each:loop → first', 'first → second', 'second → each'],
    ),
    { input: { names: ['Ada', 'Ben'] } },
  )
  const evaluated = async (query: { node_id: string; after?: string; after_output?: string }) =>
    (await call(preview, host, { params: { id }, query: { ...query, text: '{{ index }} {{ item }}' } })).json()
  expect(await evaluated({ node_id: 'second' })).toEqual({ value: '1 Ben', error: null })
  expect(await evaluated({ node_id: 'new', after: 'second' })).toEqual({ value: '1 Ben', error: null })
  const inside = { node_id: 'new', after: 'each', after_output: 'loop' }
  expect(await evaluated(inside)).toEqual({ value: '1 Ben', error: null })
  const outside = { node_id: 'new', after: 'each', after_output: 'done' }
  expect(await evaluated(outside)).toEqual({ value: ' ', error: null })
})

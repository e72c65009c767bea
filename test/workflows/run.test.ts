import { expect, test } from 'vitest'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

test('nodes run one after the other, and each sees what came before', async () => {
  const host = await testHost()
  const done = await ran(
    host,
    drawn(
      {
        start: { type: 'trigger.manual' },
        price: {
          type: 'set',
          params: { values: { total: '=input.count * 2', text: 'for {{ input.name }}' } },
        },
        big: { type: 'condition', params: { expression: 'input.total > 5' } },
        yes: { type: 'set', params: { values: { first: '=nodes.price.output.text' }, keep_input: false } },
        no: { type: 'set', params: { values: { small: true } } },
      },
      ['start → price', 'price → big', 'big:true → yes', 'big:false → no'],
    ),
    { input: { count: 3, name: 'Ada' } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: { first: 'for Ada' }, error: null })
  expect(done.node_runs.map(({ node_id, status }) => [node_id, status])).toEqual([
    ['start', 'succeeded'],
    ['price', 'succeeded'],
    ['big', 'succeeded'],
    ['yes', 'succeeded'],
  ])
  expect(done.node_runs[1]).toMatchObject({ input: { count: 3 }, output: { total: 6 } })
  expect(host.events.filter((type) => type.startsWith('workflow.run'))).toEqual([
    'workflow.run.started',
    'workflow.run.finished',
  ])
})

test('a loop runs its body once for each item and collects what comes back', async () => {
  const done = await ran(
    await testHost(),
    drawn(
      {
        start: { type: 'trigger.manual' },
        each: { type: 'loop', params: { items: '=input.rows' } },
        double: { type: 'set', params: { values: { n: '=item * 2', at: '=index' }, keep_input: false } },
        sum: { type: 'set', params: { values: { sum: '=$sum(input.items.n)' } } },
      },
      ['start → each', 'each:loop → double', 'double → each', 'each:done → sum'],
    ),
    { input: { rows: [1, 2, 3] } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: { count: 3, sum: 12 } })
  expect(done.output).toMatchObject({
    items: [
      { n: 2, at: 0 },
      { n: 4, at: 1 },
      { n: 6, at: 2 },
    ],
  })
})

test('code runs in the sandbox', async () => {
  const done = await ran(
    await testHost(),
    drawn(
      { start: { type: 'trigger.manual' }, code: { type: 'code', params: { code: 'return input.a + 1' } } },
      ['start → code'],
    ),
    { input: { a: 1 } },
  )
  expect(done).toMatchObject({ status: 'succeeded', output: 2 })
})

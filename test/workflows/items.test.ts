import { describe, expect, test } from 'vitest'
import * as executions from '../../handlers/workflows/executions.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, nodeRun, ran, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const set = (values: object, rest: object = {}) => ({ type: 'set', params: { values }, ...rest })
const script = (code: string) => `=js:{{ ${code} }}`
const rows = [{ n: 1 }, { n: 2 }, { n: 3 }]

type Nodes = Parameters<typeof drawn>[0]

/** Runs a workflow on a list. */
const ranOn = async (input: unknown, nodes: Nodes, arrows: string[]) => {
  const host = await testHost()
  return { host, done: await ran(host, drawn({ start, ...nodes }, arrows), { input }) }
}

describe('a node runs for each item of a list', () => {
  test('that computes: as one run, with the item as input', async () => {
    const { done } = await ranOn(rows, { double: set({ twice: '=input.n * 2', at: '=index' }) }, ['start → double'])
    expect(done.output).toEqual([
      { n: 1, twice: 2, at: 0 },
      { n: 2, twice: 4, at: 1 },
      { n: 3, twice: 6, at: 2 },
    ])
    expect(done.node_runs.map(({ node_id }) => node_id)).toEqual(['start', 'double'])
  })

  test('that has effects: as a run of each item, in order, and then one with all outputs', async () => {
    const line = { type: 'file', params: { action: 'append', path: 'lines', content: '{{ input.n }};' } }
    const { done, host } = await ranOn(
      rows,
      {
        line: { ...line, input_mode: 'item' },
        read: { type: 'file', params: { path: 'lines' } },
      },
      ['start → line', 'line → read'],
    )
    expect(done).toMatchObject({ status: 'succeeded', output: { text: '1;2;3;' } })
    const runs = done.node_runs.filter(({ node_id }) => node_id === 'line')
    expect(runs.map(({ iteration, status }) => [iteration, status])).toEqual([
      [null, 'succeeded'],
      [0, 'succeeded'],
      [1, 'succeeded'],
      [2, 'succeeded'],
    ])
    expect((await nodeRun(host, done, runs[0]?.seq ?? 0)).output).toHaveLength(3)
  })

  test('that waits: each item waits by itself, several at a time', async () => {
    const host = await testHost()
    const ask = {
      type: 'approval',
      params: { message: 'Buy {{ input.n }}?' },
      input_mode: 'item',
      concurrency: 2,
    }
    const { id } = await created(
      host,
      drawn({ start, ask, yes: set({ ok: '=input.input.n' }), no: set({}) }, [
        'start → ask',
        'ask:true → yes',
        'ask:false → no',
      ]),
    )
    const run = await started(host, id, { input: rows })
    await workOff(host)
    const answer = async (token: number, choice: string) => {
      await call(executions.answer, host, { params: { id: run }, body: { token, choice } })
      await workOff(host)
    }
    const asked = async () => (await execution(host, run)).waiting_for
    const [first, second] = await asked()
    expect([first?.message, second?.message]).toEqual(['Buy 1?', 'Buy 2?'])
    await answer(second?.token ?? 0, 'Reject')
    await answer((await asked())[1]?.token ?? 0, 'Approve')
    await answer(first?.token ?? 0, 'Approve')
    const done = await execution(host, run)
    expect(done.status).toBe('succeeded')
    const yes = done.node_runs.find(({ node_id }) => node_id === 'yes')
    expect((await nodeRun(host, done, yes?.seq ?? 0)).output).toMatchObject([{ ok: 1 }, { ok: 3 }])
  })

  test('and takes a list whole if it says so', async () => {
    const whole = { ...set({ count: '=$count(input)' }), input_mode: 'list' }
    const keep = {
      type: 'set',
      params: { values: { count: '=$count(input)' }, keep_input: false },
      input_mode: 'list',
    }
    expect((await ranOn(rows, { keep }, ['start → keep'])).done.output).toEqual({ count: 3 })
    expect((await ranOn(rows, { whole }, ['start → whole'])).done).toMatchObject({ error: { code: 'list' } })
  })

  test('and a value that is no list is taken as it is', async () => {
    const { done } = await ranOn({ n: 4 }, { double: set({ twice: '=input.n * 2' }) }, ['start → double'])
    expect(done.output).toEqual({ n: 4, twice: 8 })
  })

  test('and an empty list is passed on', async () => {
    const { done } = await ranOn([], { double: set({ twice: 1 }), next: set({ more: 1 }) }, [
      'start → double',
      'double → next',
    ])
    expect(done).toMatchObject({ status: 'succeeded', output: [] })
  })

  test.each([
    ['stop', { status: 'failed', error: { message: expect.stringContaining('Item 1') } }],
    ['continue', { output: [{ n: 1, ok: 1 }, { n: 2 }, { n: 3, ok: 3 }] }],
    ['error_item', { output: [{ ok: 1 }, { error: expect.stringContaining('no') }, { ok: 3 }] }],
  ])('after an error of one item: %s', async (on_error, expected) => {
    const bad = set({ ok: '=input.n = 2 ? $error("no") : input.n' }, { on_error })
    expect((await ranOn(rows, { bad }, ['start → bad'])).done).toMatchObject(expected)
  })

  test('after an error of one item, it continues at the output for errors with the item and the message', async () => {
    const bad = set({ ok: '=input.n = 2 ? $error("no") : input.n' }, { on_error: 'error_item_output' })
    const { done } = await ranOn(rows, { bad, failed: set({}) }, ['start → bad', 'bad:error → failed'])
    expect(done.output).toEqual([{ n: 2, error: expect.stringMatching(/^no/) }])
  })

  test('after an error of one item, it continues at the output for errors', async () => {
    const bad = set({ ok: '=input.n = 2 ? $error("no") : input.n' }, { on_error: 'error_output' })
    const { done } = await ranOn(
      rows,
      {
        bad,
        good: set({}),
        failed: set({ was: '=input.input.n' }),
        both: { type: 'merge', params: { mode: 'append' } },
      },
      ['start → bad', 'bad → good', 'bad:error → failed', 'good → both', 'failed → both'],
    )
    expect(done.output).toMatchObject([{ ok: 1 }, { ok: 3 }, { was: 2 }])
  })
})

test.each(['2', '-1', '0.5', '"x"', '{ item: 7 }', '[0, 9]'])(
  'an item that code pairs with %s, which the input does not have, belongs to none',
  async (position) => {
    const code = `return $input.all().map(({ json }) => ({ json, pairedItem: ${position} }))`
    const { done } = await ranOn(
      rows.slice(0, 2),
      {
        pair: { type: 'code', params: { run: 'all_items', code } },
        read: set({ of: script("$('start').item.json.n") }),
      },
      ['start → pair', 'pair → read'],
    )
    expect(done.error).toMatchObject({ node_id: 'read', message: expect.stringContaining('is not known') })
  },
)

test('a node runs for at most 100,000 items', async () => {
  const many = { type: 'split_out', params: { fields: ['list'] } }
  const { done } = await ranOn({ list: Array.from({ length: 100_001 }, () => 1) }, { many, each: set({ n: '=1' }) }, [
    'start → many',
    'many → each',
  ])
  expect(done.error).toMatchObject({ node_id: 'each', message: expect.stringContaining('100001 items') })
})

describe('lists are split', () => {
  const mark = (branch: string) => set({ branch })

  test('by a condition, and come together in a merge', async () => {
    const { done, host } = await ranOn(
      rows,
      {
        odd: { type: 'condition', params: { expression: 'input.n % 2 = 1' } },
        yes: mark('yes'),
        no: mark('no'),
        all: { type: 'merge', params: { mode: 'append' } },
      },
      ['start → odd', 'odd:true → yes', 'odd:false → no', 'yes → all', 'no → all'],
    )
    expect(done.output).toEqual([
      { n: 1, branch: 'yes' },
      { n: 3, branch: 'yes' },
      { n: 2, branch: 'no' },
    ])
    const odd = await nodeRun(host, done, 2)
    expect(odd).toMatchObject({ output_name: null, routes: { true: [0, 1], false: [2] } })
    const yes = done.node_runs.find(({ node_id }) => node_id === 'yes')
    expect((await nodeRun(host, done, yes?.seq ?? 0)).input).toEqual([{ n: 1 }, { n: 3 }])
  })

  test('by a switch, and a branch without items does not run', async () => {
    const { done } = await ranOn(
      rows,
      {
        kind: {
          type: 'switch',
          params: { cases: [{ expression: 'input.n = 1' }, { expression: 'input.n > 5' }] },
        },
        one: mark('one'),
        many: mark('many'),
        rest: mark('rest'),
      },
      ['start → kind', 'kind:case:0 → one', 'kind:case:1 → many', 'kind → rest'],
    )
    expect(done.node_runs.map(({ node_id }) => node_id)).toEqual(['start', 'kind', 'one', 'rest'])
  })
})

describe('an item finds the one that it was made from', () => {
  test('through conditions, merges and code', async () => {
    const { done } = await ranOn(
      [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      {
        ids: set({ own: '=input.id' }),
        isB: { type: 'condition', params: { expression: 'input.id = "b"' } },
        yes: { type: 'set', params: { values: { branch: 'b' }, keep_input: false } },
        no: { type: 'set', params: { values: { branch: 'other' }, keep_input: false } },
        all: { type: 'merge', params: { mode: 'append' } },
        end: { type: 'set', params: { values: { id: script('$("ids").item.json.own') } } },
      },
      ['start → ids', 'ids → isB', 'isB:true → yes', 'isB:false → no', 'no → all', 'yes → all', 'all → end'],
    )
    expect(done.output).toEqual([
      { branch: 'other', id: 'a' },
      { branch: 'other', id: 'c' },
      { branch: 'b', id: 'b' },
    ])
  })

  test('in a loop and after it', async () => {
    const each = { type: 'loop', params: { only_items: true, batch_size: 2 } }
    const { done } = await ranOn(
      [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      {
        each,
        inner: {
          type: 'set',
          params: { values: { of: script('$("each").item.json.id') }, keep_input: false },
        },
        after: set({ id: script('$("start").item.json.id') }),
      },
      ['start → each', 'each:loop → inner', 'inner → each', 'each:done → after'],
    )
    expect(done.output).toEqual([
      { of: 'a', id: 'a' },
      { of: 'b', id: 'b' },
      { of: 'c', id: 'c' },
    ])
  })

  test('after runs of each item, which may return several', async () => {
    const host = await testHost({
      outbound: {
        fetch: async (url: URL) => Response.json([{ page: `${url.pathname}-1` }, { page: `${url.pathname}-2` }]),
      },
    } as never)
    const get = {
      type: 'http',
      params: { url: 'https://example.com/{{ input.n }}', only_body: true },
      concurrency: 3,
    }
    const end = set({ n: script('$("start").item.json.n') })
    const done = await ran(host, drawn({ start, get, end }, ['start → get', 'get → end']), { input: rows })
    expect(done.output).toEqual(
      rows.flatMap(({ n }) => [
        { page: `/${n}-1`, n },
        { page: `/${n}-2`, n },
      ]),
    )
  })
})

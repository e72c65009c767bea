import { describe, expect, test } from 'vitest'
import { areLooselyEqual, looseKey } from '../../runtime/workflows/nodes/loosely.ts'
import { testHost } from '../support/host.ts'
import { drawn, nodeRun, ran } from './kit.ts'

const start = { type: 'trigger.manual' }

/** The output of one node over an input. */
async function outputOf(type: string, params: object, input: unknown): Promise<unknown> {
  const host = await testHost()
  const done = await ran(host, drawn({ start, node: { type, params } }, ['start → node']), { input })
  return done.status === 'succeeded' ? done.output : done.error?.code
}

const people = [
  { name: 'Ada', team: { id: 1 }, n: 3, tags: ['a', 'b'] },
  { name: 'bob', team: { id: 2 }, n: 1, tags: ['b'] },
  { name: 'Cy', team: { id: 1 }, n: null, tags: [] },
]

describe('nodes for lists', () => {
  test.each([
    ['split_out', { fields: ['tags'] }, [{ tags: 'a' }, { tags: 'b' }, { tags: 'b' }]],
    [
      'split_out',
      { fields: ['tags'], into: ['tag'], keep: 'selected', selected: ['n'] },
      [
        { tag: 'a', n: 3 },
        { tag: 'b', n: 3 },
        { tag: 'b', n: 1 },
      ],
    ],
    ['split_out', { fields: ['none'], required: true }, 'no_field'],
    ['aggregate', { only: ['name'] }, [{ data: [{ name: 'Ada' }, { name: 'bob' }, { name: 'Cy' }] }]],
    [
      'aggregate',
      { fields: [{ field: 'team.id' }, { field: 'n', into: 'numbers' }] },
      [{ id: [1, 2, 1], numbers: [3, 1] }],
    ],
    ['aggregate', { fields: [{ field: 'tags' }], join_lists: true }, [{ tags: ['a', 'b', 'b'] }]],
    ['limit', { max: 1, keep: 'last' }, [people[2]]],
    ['sort', { fields: [{ field: 'name', descending: true }] }, [people[2], people[1], people[0]]],
    ['sort', { code: 'return a.json.name < b.json.name ? 1 : -1' }, [people[1], people[2], people[0]]],
    ['sort', { fields: [{ field: 'nothing' }] }, 'no_field'],
    [
      'summarize',
      { summaries: [{ field: 'n', operation: 'sum' }], group_by: ['team.id'] },
      [
        { sum_n: 3, team_id: 1 },
        { sum_n: 1, team_id: 2 },
      ],
    ],
    [
      'summarize',
      { summaries: [{ field: 'name', operation: 'concatenate', separator: '-' }], one_item: true },
      [{ concatenated_name: 'Ada-bob-Cy' }],
    ],
    [
      'summarize',
      {
        summaries: [
          { field: 'n', operation: 'count' },
          { field: 'n', operation: 'max' },
        ],
      },
      [{ count_n: 2, max_n: 3 }],
    ],
    ['remove_duplicates', { fields: ['team.id'] }, [people[0], people[1]]],
    ['remove_duplicates', { fields: ['team.id'], only_compared: true }, [{ id: 1 }, { id: 2 }]],
    [
      'rename',
      {
        fields: [
          { from: 'team.id', to: 'team_id' },
          { from: 'n', to: 'count' },
        ],
      },
      [
        { name: 'Ada', team: {}, tags: ['a', 'b'], team_id: 1, count: 3 },
        { name: 'bob', team: {}, tags: ['b'], team_id: 2, count: 1 },
        { name: 'Cy', team: {}, tags: [], team_id: 1, count: null },
      ],
    ],
  ])('%s with %j', async (type, params, expected) => {
    expect(await outputOf(type, params, people)).toEqual(expected)
  })

  test('patterns rename fields on every level', async () => {
    const params = { patterns: [{ search: '^x_', replace: '' }] }
    expect(await outputOf('rename', params, { x_a: 1, b: { x_c: [{ x_d: 2 }] } })).toEqual({
      a: 1,
      b: { c: [{ d: 2 }] },
    })
  })

  test('an item of an aggregate is made from all of its items', async () => {
    const host = await testHost()
    const code =
      "return { json: { all: $('start').first().json.name, several: (() => { try { return $('start').item } catch { return 'several' } })() } }"
    const done = await ran(
      host,
      drawn({ start, all: { type: 'aggregate' }, use: { type: 'code', params: { code, run: 'each_item' } } }, [
        'start → all',
        'all → use',
      ]),
      { input: people },
    )
    expect(done.output).toEqual([{ all: 'Ada', several: 'several' }])
  })
})

/** What a node with two inputs makes of two lists. */
async function joined(type: string, params: object, [first, second]: [unknown, unknown]) {
  const host = await testHost()
  const list = (value: unknown) => ({ type: 'code', params: { code: `return ${JSON.stringify(value)}` } })
  const workflow = drawn({ start, a: list(first), b: list(second), node: { type, params } }, [
    'start → a, b',
    'a → node',
    'b → node',
  ])
  const edges = workflow.edges.map((edge) => ({ ...edge, target_input: edge.source === 'b' ? 1 : 0 }))
  const done = await ran(host, { ...workflow, edges })
  return nodeRun(host, done, done.node_runs.at(-1)?.seq ?? 0)
}

const left = [
  { id: 1, a: 'x' },
  { id: 2, a: 'y' },
]
const right = [
  { id: '2', b: 'z' },
  { id: 3, b: 'w' },
]
const byId = { mode: 'fields', fields: [{ first: 'id', second: 'id' }], loose: true }

test.each([
  [
    { mode: 'position' },
    [
      { id: '2', a: 'x', b: 'z' },
      { id: 3, a: 'y', b: 'w' },
    ],
  ],
  [
    { mode: 'position', clash: 'suffix' },
    [
      { id_1: 1, a_1: 'x', id_2: '2', b_2: 'z' },
      { id_1: 2, a_1: 'y', id_2: 3, b_2: 'w' },
    ],
  ],
  [byId, [{ id: '2', a: 'y', b: 'z' }]],
  [{ ...byId, loose: false }, []],
  [{ ...byId, join: 'first', clash: 'first' }, [{ id: 2, a: 'y', b: 'z' }, left[0]]],
  [{ ...byId, join: 'rest', output: 'second' }, [right[1]]],
  [{ ...byId, join: 'everything' }, [{ id: '2', a: 'y', b: 'z' }, left[0], right[1]]],
  [{ mode: 'input', input: 1 }, right],
])('merge with %j', async (params, expected) => {
  expect((await joined('merge', params, [left, right])).output).toEqual(expected)
})

/** Pairs of values that are equal loosely; the last column: also if null is 0, as in later versions. */
test.each([
  [3, '3', true, true],
  [3, '3.0', false, false],
  [3, ' 3 ', false, false],
  ['Yes', 'yes', false, false],
  ['true', 'TRUE', false, false],
  [true, 'TRUE', true, true],
  [false, 'False', true, true],
  [true, 1, true, true],
  [true, '1', true, true],
  [false, 0, true, true],
  [false, '', false, false],
  [false, null, false, false],
  [null, '', true, true],
  [null, [], true, true],
  ['', [], true, true],
  ['', 0, false, false],
  [null, {}, false, false],
  [null, 0, false, true],
  ['0', null, false, true],
  [{ a: [1] }, ' { "a": [1] }', true, true],
  [{ a: 1, b: 2 }, { b: 2, a: 1 }, true, true],
  [[1, 2], '[1, 3]', false, false],
  ['null', null, false, false],
])('%j and %j are loosely equal: %j, later %j', (first, second, equal, later) => {
  for (const [left, right] of [
    [first, second],
    [second, first],
  ]) {
    expect([areLooselyEqual(left, right, false), areLooselyEqual(left, right, true)]).toEqual([equal, later])
    if (later) expect(looseKey(left)).toBe(looseKey(right))
  }
})

test.each([
  [1, { same: { v: 1 }, different: { n: { input1: null, input2: 2 }, m: { input1: null, input2: null } } }],
  [2, { same: { v: 1 }, different: { n: { inputA: 0, inputB: 2 }, m: { inputA: null, inputB: '' } } }],
  [2.1, { same: { v: 1, m: undefined }, different: { n: { inputA: 0, inputB: 2 } } }],
])('what differs loosely in version %d', async (version, expected) => {
  const fields = [{ first: 'v', second: 'v' }]
  const { output } = await joined('compare', { fields, loose: true, version }, [
    [{ v: 1, n: 0 }],
    [{ v: '1', n: 2, m: '' }],
  ])
  expect(output).toEqual([{ keys: { v: 1 }, ...expected }])
})

test('every item with every other', async () => {
  const { output } = await joined('merge', { mode: 'combinations' }, [left, [{ n: 1 }, { n: 2 }]])
  expect(output).toHaveLength(4)
})

const copies = (count: number) => Array.from({ length: count }, () => ({ a: 1 }))
const byA = { fields: [{ first: 'a', second: 'a' }] }

test.each([
  ['merge', { mode: 'fields', ...byA }],
  ['compare', { ...byA, multiple: true }],
])('%s refuses more pairs than an output can have', async (type, params) => {
  await expect(joined(type, params, [copies(1_200), copies(1_200)])).resolves.toMatchObject({
    status: 'failed',
    error: { code: 'too_large' },
  })
})

test('merge counts the combinations of all of its inputs', async () => {
  const list = { type: 'code', params: { code: `return ${JSON.stringify(copies(60))}` } }
  const node = { type: 'merge', params: { mode: 'combinations' } }
  const arrows = ['start → a, b, c', 'a → node', 'b → node', 'c → node']
  const workflow = drawn({ start, a: list, b: list, c: list, node }, arrows)
  const edges = workflow.edges.map((edge) => ({ ...edge, target_input: Math.max(0, 'abc'.indexOf(edge.source)) }))
  const done = await ran(await testHost(), { ...workflow, edges })
  expect(done).toMatchObject({ status: 'failed', error: { code: 'too_large' } })
})

test('compared items may have fields with the names of inherited members', async () => {
  const [first, second] = [[{ id: 1 }], [{ id: 1, toString: 'x' }]]
  const { output } = await joined('compare', { fields: [{ first: 'id', second: 'id' }] }, [first, second])
  expect(output).toMatchObject([{ different: { toString: { inputA: null, inputB: 'x' } } }])
})

test('compared lists say what is in one, the same or different', async () => {
  const fields = [{ first: 'id', second: 'id' }]
  const first = [{ id: 1 }, { id: 2, n: 1, same: 0 }, { id: 3 }]
  const second = [{ id: 2, n: 2, same: 0 }, { id: 3 }, { id: 4 }]
  const { output, routes } = await joined('compare', { fields }, [first, second])
  const different = { keys: { id: 2 }, same: { id: 2, same: 0 }, different: { n: { inputA: 1, inputB: 2 } } }
  expect(output).toEqual([{ id: 1 }, { id: 3 }, different, { id: 4 }])
  expect(routes).toEqual({ 'case:0': [0], 'case:1': [1], 'case:2': [2], 'case:3': [3] })
})

test.each([
  ['all_items', 'const items = $input.all(); return items.map((item) => ({ json: { n: item.json.n * 2 } }))'],
  ['each_item', 'return { json: { n: $json.n * 2 } }'],
  ['each_data', 'item.n *= 2; return item'],
])('code works on %s', async (run, code) => {
  expect(await outputOf('code', { run, code }, [{ n: 1 }, { n: 2 }])).toEqual([{ n: 2 }, { n: 4 }])
})

test('a switch may continue at several cases, or at one of them if none is true', async () => {
  const host = await testHost()
  const cases = [{ expression: 'input.n > 1' }, { expression: 'input.n > 2' }]
  const route = (rest: object) => ({ type: 'switch', params: { cases, ...rest } })
  const runOf = async (rest: object, n: number) => {
    const done = await ran(host, drawn({ start, route: route(rest) }, ['start → route']), { input: [{ n }] })
    return nodeRun(host, done, 2)
  }
  expect((await runOf({ all: true }, 3)).routes).toEqual({ 'case:0': [0], 'case:1': [1] })
  expect((await runOf({ otherwise: 1 }, 0)).output_name).toBe('case:1')
})

test('stop fails with its error', async () => {
  expect(await outputOf('stop', { error: 'No {{ input.name }}' }, { name: 'tea' })).toBe('stopped')
})

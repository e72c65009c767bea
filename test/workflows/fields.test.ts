import { expect, test } from 'vitest'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { drawn, ran } from './kit.ts'

const start = { type: 'trigger.manual' }

/** The execution of one set node with these fields over this input. */
const set = async (values: Record<string, unknown>, input: unknown) =>
  ran(await testHost(), drawn({ start, node: { type: 'set', params: { values } } }, ['start → node']), {
    input,
  })

const items = [{ name: 'a', kept: 1 }, { name: 'b' }]

test.each([
  [{ 'items[0].name': 'x' }, { items }, { items: [{ name: 'x', kept: 1 }, { name: 'b' }] }],
  [{ 'items.1.name': 'x' }, { items }, { items: [{ name: 'a', kept: 1 }, { name: 'x' }] }],
  [{ 'items[2].name': 'x' }, { items }, { items: [...items, { name: 'x' }] }],
  [{ 'rows[0][1]': 5 }, { rows: [[1, 2, 3]] }, { rows: [[1, 5, 3]] }],
  [{ 'items[0]': 5 }, { items }, { items: [5, { name: 'b' }] }],
  [{ 'new[0].name': 'x', 'new[1].name': 'y' }, {}, { new: [{ name: 'x' }, { name: 'y' }] }],
  [{ 'new[2]': 'c', 'new[1]': 'b', 'new[0]': 'a' }, {}, { new: ['a', 'b', 'c'] }],
  [{ 'a.b.c': 1 }, { a: { kept: 2 } }, { a: { kept: 2, b: { c: 1 } } }],
  [{ 'a.b': 1 }, { a: null }, { a: { b: 1 } }],
  [{ 'year.2026': 1 }, {}, { year: { 2026: 1 } }],
  [{ items: 1 }, { items }, { items: 1 }],
  [{ constructor: 1, 'toString.x': 2, valueOf: 3 }, {}, { constructor: 1, toString: { x: 2 }, valueOf: 3 }],
  [{ 'price [EUR]': 1 }, {}, { 'price [EUR]': 1 }],
])('the fields %j are set in %j', async (values, input, output) => {
  expect(await set(values, input)).toMatchObject({ status: 'succeeded' })
  expect((await set(values, input)).output).toEqual(output)
})

test('several values in one container leave the input as it was', async () => {
  const input = { items, a: { kept: 1 } }
  const { output } = await set({ 'items[0].name': 'x', 'items[2]': 3, 'a.b': 4, 'a.c': 5, before: '=input' }, input)
  expect(output).toEqual({ items: [{ name: 'x', kept: 1 }, items[1], 3], a: { kept: 1, b: 4, c: 5 }, before: input })
})

test.each([
  [{ 'items.name': 'x' }, { items }, 'items.name cannot be set: items is a list: name one of its items'],
  [{ 'items[5].name': 'x' }, { items }, 'items is a list with 2 items: its positions are 0 to 2'],
  [{ 'items[-1]': 'x' }, { items }, 'items is a list with 2 items: its positions are 0 to 2'],
  [{ 'items.-1': 'x' }, { items }, 'items is a list with 2 items'],
  [{ 'new[3]': 'x' }, {}, 'new is a list with 0 items: its positions are 0 to 0'],
  [{ 'name.first': 'x' }, { name: 'Ann' }, 'name.first cannot be set: name is a text and has no fields'],
  [{ 'a.b.c': 'x' }, { a: { b: 5 } }, 'a.b.c cannot be set: a.b is a number and has no fields'],
  [{ 'a[0]': 'x' }, { a: { b: 5 } }, 'a[0] cannot be set: a is not a list'],
  [{ '[0].x': 'x' }, { a: 1 }, 'the input is not a list'],
  [{ a: 1, 'a.b': 2 }, {}, 'a is a number and has no fields'],
  [{ 'a.__proto__.b': 2 }, { a: {} }, 'a.__proto__ is not a possible name'],
])('the fields %j would lose data of %j, so the node fails', async (values, input, message) => {
  expect(await set(values, input)).toMatchObject({
    status: 'failed',
    error: { node_id: 'node', code: 'path', message: expect.stringContaining(message) },
  })
})

test('a field with the name of the prototype is refused when the workflow is saved', async () => {
  const values = JSON.parse('{"__proto__": 1}')
  const body = drawn({ start, node: { type: 'set', params: { values } } }, ['start → node'])
  const response = await call(workflows.create, await testHost(), { body })
  expect([response.status, (await response.json()).issues]).toEqual([
    422,
    [
      {
        path: 'nodes.node.params.values.__proto__',
        place: 'node → Values → __proto__',
        message: 'is not a possible name',
      },
    ],
  ])
})

const value = (name: string, expression: unknown) => ({
  type: 'code',
  params: { code: `return ${JSON.stringify(expression)}`, name },
})

/** A merge of what a node returned that ran twice. */
async function twice(mode: string) {
  const nodes = { start, a: value('a', 1), b: value('b', 2), both: { type: 'delay', params: { seconds: 0 } } }
  const join = { type: 'merge', params: { mode } }
  const arrows = ['start → a,b', 'a → both', 'b → both', 'both → join']
  return ran(await testHost(), drawn({ ...nodes, join }, arrows))
}

test('a merge keeps every value of a node that ran several times, or fails', async () => {
  expect((await twice('list')).output).toEqual([1, 2])
  expect((await twice('append')).output).toEqual([1, 2])
  expect(await twice('by_node')).toMatchObject({ status: 'failed', error: { node_id: 'join' } })
  expect((await twice('object')).error?.message).toBe('The value from both is no object and has no fields to join')
})

import { describe, expect, test } from 'vitest'
import * as catalog from '../../handlers/workflows/catalog.ts'
import { importN8n } from '../../runtime/workflows/n8n/import.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { ran } from './kit.ts'

const node = (name: string, type: string, parameters: unknown = {}, rest: object = {}) => ({
  ...{ name, type: `n8n-nodes-base.${type}`, typeVersion: 1, position: [0, 0], parameters },
  ...rest,
})
const to = (...names: string[]) => names.map((one) => ({ node: one, type: 'main', index: 0 }))

async function imported(file: object) {
  const query = { format: 'n8n' }
  const response = await call(catalog.importFile, await testHost(), { query, body: file })
  return { status: response.status, ...(await response.json()) }
}

const inherited = ['toString', 'constructor', '__proto__', 'valueOf', 'hasOwnProperty']

describe.each(inherited)('a file with the name %s', (name) => {
  test('as an operator is reported at its node, and the rest is kept', async () => {
    const fields = {
      string: [
        { name: 'a', value: `={{ $json.n ${name} 1 }}` },
        { name: 'b', value: 'kept' },
      ],
    }
    const { status, workflow, report } = await imported({ nodes: [node('Set', 'set', { values: fields })] })
    expect(status).toBe(201)
    expect(workflow.nodes[0].params.values).toEqual({ a: expect.stringContaining('$fail('), b: 'kept' })
    expect(report.issues).toMatchObject([{ node_id: 'set', field: 'values.a' }])
  })

  test.each([
    ['if', { conditions: { number: [{ value1: 1, value2: 1, operation: name }] } }],
    ['if', { conditions: { conditions: [{ leftValue: 1, operator: { type: 'number', operation: name } }] } }],
    ['if', { conditions: { conditions: [{ leftValue: 1, operator: { type: name, operation: 'equals' } }] } }],
    ['switch', { dataType: name, rules: { rules: [{ value2: 1, operation: name }] } }],
  ])('in %s %j fails when it runs', async (type, parameters) => {
    const { workflow } = importN8n({
      nodes: [node('Start', 'manualTrigger'), node('A', type, parameters)],
      connections: { Start: { main: [to('A')] } },
    })
    expect(await ran(await testHost(), workflow, { input: {} })).toMatchObject({ status: 'failed' })
  })

  test.each([
    ['wait', { amount: 1, unit: name }],
    ['interval', { interval: 1, unit: name }],
  ])('as the unit of %s makes a placeholder', (type, parameters) => {
    expect(importN8n({ nodes: [node('A', type, parameters)] }).workflow.nodes[0]?.type).toBe('placeholder')
  })

  test('of a node, a type and a field keeps them', async () => {
    const assignments = { assignments: [{ name: 'x', type: name, value: '={{ $json.y }}' }] }
    const file = {
      nodes: [node(name, 'set', { assignments }, { typeVersion: 3.4 }), node('B', name)],
      connections: { [name]: { main: [to('B')] } },
    }
    const { status, workflow } = await imported(file)
    expect([status, workflow.nodes.length]).toEqual([201, 2])
    expect(workflow.nodes[1].type).toBe('placeholder')
  })
})

test('fields of another shape are left out and reported, and what needs them is a placeholder', async () => {
  const { status, workflow, report } = await imported({
    name: 5,
    nodes: [
      node('Start', 'manualTrigger'),
      node('A', 'noOp', {}, { notes: 5, position: 'x', maxTries: 'many', waitBetweenTries: 1e12 }),
      node('B', 'noOp', [1]),
      node('C', 'noOp', {}, { disabled: 'yes' }),
      node('D', 'noOp', {}, { typeVersion: '2' }),
      { parameters: {} },
    ],
    connections: {
      Start: { main: [[...to('A'), { index: 0 }], 'x'] },
      A: { main: [[{ index: 0 }, ...to('B')]] },
    },
    settings: 'none',
    pinData: { A: 'x' },
  })
  expect(status).toBe(201)
  expect(workflow.nodes.map(({ name, type }: { name: string; type: string }) => `${name} ${type}`)).toEqual([
    'Start trigger.manual',
    'A set',
    'B placeholder',
    'C placeholder',
    'D placeholder',
    'Node 6 placeholder',
  ])
  expect(workflow.edges).toMatchObject([{ source: 'a', target: 'b' }])
  const fields = report.issues.map(({ node_id, field }: { node_id: string; field: string }) => [node_id, field])
  expect(fields).toEqual(
    expect.arrayContaining([
      [null, 'name'],
      [null, 'settings'],
      [null, 'pinData.A'],
      [null, 'connections.Start'],
      [null, 'connections.A'],
      ['a', 'notes'],
      ['a', 'position'],
      ['a', 'maxTries'],
      ['a', 'waitBetweenTries'],
      ['b', 'parameters'],
      ['c', 'disabled'],
      ['d', 'typeVersion'],
    ]),
  )
})

/** The output of a set node of n8n over this input. */
async function setBy(typeVersion: number, parameters: object, input: object) {
  const file = importN8n({
    nodes: [node('Start', 'manualTrigger'), node('Set', 'set', parameters, { typeVersion })],
    connections: { Start: { main: [to('Set')] } },
  })
  const done = await ran(await testHost(), file.workflow, { input })
  return done.status === 'succeeded' ? (done.output as { x: unknown }).x : done.error?.code
}

const assigned = (type: string, value: unknown) => ({
  assignments: { assignments: [{ name: 'x', type, value }] },
})
const older = (type: string, value: unknown) => ({ values: { [type]: [{ name: 'x', value }] } })

test.each([
  [3.4, assigned('number', ' 12.5 '), 12.5],
  [3.4, assigned('number', ''), 0],
  [3.4, assigned('number', 'abc'), 'expression'],
  [3.4, assigned('number', '={{ $json.text }}'), 42],
  [3.4, assigned('number', '={{ $json.word }}'), 'expression'],
  [3.4, assigned('boolean', '1'), true],
  [3.4, assigned('boolean', 'maybe'), 'expression'],
  [3.4, assigned('array', '={{ $json.list }}'), [1]],
  [3.4, assigned('array', '={{ $json.text }}'), 'expression'],
  [3.4, assigned('object', '{bad'), 'expression'],
  [2, older('number', '7'), 7],
  [2, older('number', '={{ $json.text }}'), 42],
  [2, older('number', '={{ $json.word }}'), 'abc'],
  [1, older('number', '={{ $json.text }}'), ' 42 '],
  [2, older('boolean', '={{ $json.word }}'), true],
  [2, older('boolean', '={{ $json.nothing }}'), false],
])('set of version %d with %j gives %j, as in n8n', async (version, parameters, expected) => {
  const input = { text: ' 42 ', word: 'abc', list: [1] }
  expect(await setBy(version, parameters, input)).toEqual(expected)
})

/** The output that an if node of n8n takes. */
async function branchOf(conditions: object, input: object, typeVersion = 2.2) {
  const file = importN8n({
    nodes: [node('Start', 'manualTrigger'), node('If', 'if', { conditions }, { typeVersion })],
    connections: { Start: { main: [to('If')] } },
  })
  const done = await ran(await testHost(), file.workflow, { input })
  return done.node_runs.at(-1)?.output_name ?? done.error?.code
}

const compared = (operation: string, right: unknown, options: object) => ({
  options,
  conditions: [{ leftValue: '={{ $json.x }}', rightValue: right, operator: { type: 'number', operation } }],
})
const strict = { typeValidation: 'strict' }
const loose = { typeValidation: 'loose', version: 2 }
const first = (operation: string, value2: unknown) => ({
  number: [{ value1: '={{ $json.x }}', value2, operation }],
})

test.each([
  [compared('equals', 12, loose), '12', 'true'],
  [compared('equals', 12, {}), '12', 'true'],
  [compared('gt', 9, {}), ' 12 ', 'true'],
  [compared('gt', 9, loose), 'abc', 'expression'],
  [compared('equals', 0, loose), '', 'true'],
  [compared('equals', 0, { ...loose, version: 3 }), '', 'false'],
  [compared('equals', 12, loose), null, 'false'],
  [compared('equals', 12, strict), 12, 'true'],
  [compared('equals', 12, strict), '12', 'expression'],
  [compared('notEquals', 12, strict), '12', 'expression'],
  [compared('notEquals', 12, strict), null, 'true'],
])('if with %j takes for %j the output %s, as in n8n', async (conditions, x, expected) => {
  expect(await branchOf(conditions, { x })).toBe(expected)
})

test.each([
  [first('larger', 9), '12', 'true'],
  [first('smaller', 9), '12', 'false'],
  [first('equal', 12), '12', 'false'],
])('if of version 1 with %j takes for %j the output %s', async (conditions, x, expected) => {
  expect(await branchOf(conditions, { x }, 1)).toBe(expected)
})

const rule = (value: string) => ({
  conditions: {
    options: { caseSensitive: true },
    conditions: [
      {
        leftValue: '={{ $json.kind }}',
        rightValue: value,
        operator: { type: 'string', operation: 'equals' },
      },
    ],
  },
})
const newer = (options: object) => ({ rules: { values: [rule('a'), rule('b')] }, options })
const firstSwitch = (fallbackOutput: unknown) => ({
  ...{ dataType: 'string', value1: '={{ $json.kind }}', fallbackOutput },
  rules: {
    rules: [
      { value2: 'a', output: 0 },
      { value2: 'b', output: 1 },
    ],
  },
})

test.each([
  [3, newer({ fallbackOutput: 'extra' }), 'Out 2'],
  [3, newer({ fallbackOutput: 0 }), 'Out 0'],
  [3, newer({ fallbackOutput: 1 }), 'Out 1'],
  [3, newer({ fallbackOutput: 'none' }), 'Switch'],
  [3, newer({}), 'Switch'],
  [1, firstSwitch(0), 'Out 0'],
  [1, firstSwitch('1'), 'Out 1'],
  [1, firstSwitch(3), 'Out 3'],
  [1, firstSwitch(-1), 'Switch'],
])('an item that matches no case of a switch of version %d with %j goes to %s', async (version, parameters, last) => {
  const outs = [0, 1, 2, 3].map((index) => `Out ${index}`)
  const { workflow } = importN8n({
    nodes: [
      node('Start', 'manualTrigger'),
      node('Switch', 'switch', parameters, { typeVersion: version }),
      ...outs.map((name) => node(name, 'noOp')),
    ],
    connections: { Start: { main: [to('Switch')] }, Switch: { main: outs.map((name) => to(name)) } },
  })
  const host = await testHost()
  const lastOf = async (kind: string) => {
    const done = await ran(host, workflow, { input: { kind } })
    return workflow.nodes.find(({ id }) => id === done.node_runs.at(-1)?.node_id)?.name
  }
  expect(await lastOf('c')).toBe(last)
  expect(await lastOf('a')).toBe('Out 0')
  expect(await lastOf('b')).toBe('Out 1')
})

test('a switch may continue at every case that is true', () => {
  const { workflow } = importN8n({
    nodes: [node('Switch', 'switch', newer({ allMatchingOutputs: true }), { typeVersion: 3 })],
  })
  expect(workflow.nodes).toMatchObject([{ type: 'switch', params: { all: true } }])
})

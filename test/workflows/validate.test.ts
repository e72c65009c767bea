import { expect, test } from 'vitest'
import * as executions from '../../handlers/workflows/executions.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { created, drawn, ran } from './kit.ts'

const start = { type: 'trigger.manual' }

const refused: [string, object, string[], string, string][] = [
  [
    'an unknown type',
    { a: start, b: { type: 'nope' } },
    [],
    'nodes.b.type',
    'has an unknown type: nope; GET /api/workflows/node-types lists all',
  ],
  ['an edge to nowhere', { a: start }, ['a → zz'], 'edges.a zz.target', 'names a node that does not exist: zz'],
  [
    'a cycle without a loop',
    { a: { type: 'set', name: 'A' }, b: { type: 'set', name: 'B' } },
    ['a → b', 'b → a'],
    'nodes.a',
    'is part of a cycle without a loop node: A → B → A',
  ],
]

test.each(refused)('%s is refused, naming node and field', async (_, nodes, arrows, path, message) => {
  const response = await call(workflows.create, await testHost(), { body: drawn(nodes as never, arrows) })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ issues: [{ path, message }] })
})

const hook = (response?: string) => ({ type: 'trigger.webhook', name: 'Hook', params: response ? { response } : {} })
const respond = { type: 'respond', name: 'Answer' }

test.each([
  ['a respond node for which no webhook waits', { a: hook(), b: respond }, 'nodes.b'],
  [
    'a webhook that waits for a respond node that is not there',
    { a: hook('stream'), b: { type: 'set' } },
    'nodes.a.params.response',
  ],
  ['a respond node for which a webhook waits', { a: hook('respond_node'), b: respond }, undefined],
  ['a respond node that another workflow may reach', { a: start, b: respond }, undefined],
])('a warning for %s', async (_, nodes, path) => {
  const host = await testHost()
  const { id } = await created(host, drawn(nodes, ['a → b']))
  const { issues } = await (await call(workflows.validate, host, { params: { id }, body: {} })).json()
  expect(issues).toEqual(path ? [expect.objectContaining({ path, severity: 'warning' })] : [])
})

test.each([
  ['a template', 'set', { values: { x: 'Hello {{ input.( }}' } }, 'params.values.x'],
  ['a whole value', 'set', { values: { x: '=input.(' } }, 'params.values.x'],
  ['a condition', 'condition', { expression: 'input.(' }, 'params.expression'],
  ['a case', 'switch', { cases: [{ expression: '1 +' }] }, 'params.cases.0.expression'],
])('the syntax of %s is checked when it is saved', async (_, type, params, path) => {
  const response = await call(workflows.create, await testHost(), {
    body: drawn({ a: start, b: { type, params } }, ['a → b']),
  })
  expect(response.status).toBe(422)
  const { issues } = (await response.json()) as { issues: { path: string; message: string }[] }
  expect(issues.map((issue) => issue.path)).toEqual([`nodes.b.${path}`])
  expect(issues[0]?.message).toMatch(/^is not a valid expression: /)
})

test('a condition may begin with the sign of an expression', async () => {
  const done = await ran(
    await testHost(),
    drawn({ a: start, b: { type: 'condition', params: { expression: '=input.n > 5' } } }, ['a → b']),
    { input: { n: 6 } },
  )
  expect(done).toMatchObject({ status: 'succeeded', node_runs: [{}, { output_name: 'true' }] })
})

test('a workflow is checked with changes that are not saved', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ a: start }, []))
  const check = async (body: object) => (await call(workflows.validate, host, { params: { id }, body })).json()

  expect(await check({})).toEqual({ valid: true, issues: [] })
  expect(await check({ settings: { timezone: 'Mars/Olympus' } })).toMatchObject({
    valid: false,
    issues: [{ path: 'settings.timezone', message: 'must be an IANA time zone such as Europe/Berlin' }],
  })
  expect(await check({ nodes: [] })).toMatchObject({ valid: false })
})

test('an edge at an output that a node never uses is reported with those that it has', async () => {
  const host = await testHost()
  const condition = { type: 'condition', name: 'If', params: { expression: 'true' } }
  const issuesOf = async (changes: object) => {
    const nodes = { a: start, b: { ...condition, ...changes }, c: { type: 'set', name: 'C' } }
    const { id } = await created(host, drawn(nodes, ['a → b', 'b → c']))
    return (await call(workflows.validate, host, { params: { id }, body: {} })).json()
  }
  const issue = { path: 'nodes.b.outputs.main', severity: 'warning' }
  expect(await issuesOf({})).toMatchObject({ valid: true, issues: [issue] })
  expect(await issuesOf({})).toMatchObject({ issues: [{ message: expect.stringMatching(/one of true, false$/) }] })
  expect(await issuesOf({ on_error: 'continue' })).toEqual({ valid: true, issues: [] })
  expect(await issuesOf({ disabled: true })).toEqual({ valid: true, issues: [] })
})

test('a version that was sound is refused once what a node refers to is gone', async () => {
  const host = await testHost()
  const inner = await created(host, drawn({ start: { type: 'trigger.manual' } }, []))
  const nodes = {
    start: { type: 'trigger.manual' },
    run: { type: 'sub_workflow', params: { workflow_id: inner.id } },
  }
  const { id } = await created(host, drawn(nodes, ['start → run']))
  const execute = () => call(executions.execute, host, { params: { id }, body: {} })
  expect((await execute()).status).toBe(202)
  expect((await execute()).status).toBe(202)
  await call(workflows.remove, host, { params: { id: inner.id } })
  const refused = await execute()
  expect(refused.status).toBe(422)
  expect(await refused.json()).toMatchObject({ issues: [{ path: 'nodes.run.params.workflow_id' }] })
})

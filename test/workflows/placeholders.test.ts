import { expect, test } from 'vitest'
import * as catalog from '../../handlers/workflows/catalog.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import type { Host } from '../../runtime/host.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, ran, started } from './kit.ts'

const start = { type: 'trigger.manual' }
const gap = { type: 'placeholder', name: 'Route', params: { imported_type: 'n8n-nodes-base.route' } }
const effect = (line: string) => ({
  type: 'file',
  params: { action: 'append', path: 'calls.txt', content: line },
})

const post = async (host: Host, endpoint: Parameters<typeof call>[0], id: string) => {
  const response = await call(endpoint, host, { params: { id } })
  return { status: response.status, body: await response.json() }
}

/** The status and issues of an activation. */
async function activated(body: unknown) {
  const host = await testHost()
  const { id } = await created(host, body)
  const { status, body: answer } = await post(host, workflows.activate, id)
  const { valid, issues } = (await post(host, workflows.validate, id)).body
  return { status, answer, valid, issues }
}

const message =
  '"Route" is a placeholder for n8n-nodes-base.route, which has no equivalent here: replace the node, remove it, pin its data, or disable it to pass its input on unchanged'

test.each(['stop', 'continue', 'error_output'])(
  'an execution that reaches a placeholder fails there and runs nothing after it, also with on_error %s',
  async (on_error) => {
    const nodes = { start, gap: { ...gap, on_error }, refund: effect('refund'), alarm: effect('alarm') }
    const done = await ran(await testHost(), drawn(nodes, ['start → gap', 'gap → refund', 'gap:error → alarm']))
    expect(done).toMatchObject({ status: 'failed', error: { node_id: 'gap', code: 'placeholder', message } })
    expect(done.node_runs.map(({ node_id }) => node_id)).toEqual(['start', 'gap'])
  },
)

test('a placeholder with retry fails at its first run', async () => {
  const nodes = { start, gap: { ...gap, retry: { max_attempts: 3, delay_seconds: 0 } } }
  const done = await ran(await testHost(), drawn(nodes, ['start → gap']))
  expect([done.status, done.node_runs.at(-1)?.attempt]).toEqual(['failed', 1])
})

test('a placeholder with pin data returns it, if the execution asks for it', async () => {
  const nodes = { start, gap, after: { type: 'set', params: { values: { seen: '=input.x' } } } }
  const body = drawn(nodes, ['start → gap', 'gap → after'], { pin_data: { gap: { x: 1 } } })
  const host = await testHost()
  expect(await ran(host, body, { use_pin_data: true })).toMatchObject({
    status: 'succeeded',
    output: { x: 1, seen: 1 },
  })
  expect((await ran(host, body)).status).toBe('failed')
})

test('a disabled placeholder passes its input on at its first output alone', async () => {
  const off = {
    ...gap,
    disabled: true,
    params: { ...gap.params, outputs: [{ name: 'Output 2' }] },
  }
  const nodes = {
    start,
    off,
    refund: { type: 'set', params: { values: { refund: true } } },
    keep: { type: 'set', params: { values: { keep: true } } },
  }
  const body = drawn(nodes, ['start → off', 'off → refund', 'off:case:0 → keep'])
  expect((await ran(await testHost(), body)).node_runs.map(({ node_id }) => node_id)).toEqual([
    'start',
    'off',
    'refund',
  ])
  const { status, valid, issues } = await activated(body)
  expect([status, valid]).toEqual([200, true])
  expect(issues).toEqual([expect.objectContaining({ node_id: 'off', severity: 'warning', path: 'nodes.off.type' })])
})

const daily = { type: 'trigger.schedule', params: { schedule: { type: 'every', interval: 3_600 } } }

test.each([
  ['after a trigger', { start, gap }, ['start → gap']],
  ['after a disabled node', { start, off: { type: 'delay', disabled: true }, gap }, ['start → off', 'off → gap']],
  ['after the second trigger', { start, daily, gap }, ['daily → gap']],
  [
    'where errors continue',
    { start, bad: { ...effect('x'), on_error: 'error_output' }, gap },
    ['start → bad', 'bad:error → gap'],
  ],
  [
    'in a loop',
    { start, each: { type: 'loop', params: { items: 3 } }, gap },
    ['start → each', 'each:loop → gap', 'gap → each'],
  ],
] as const)('a workflow with a placeholder %s cannot be activated, and validate says so', async (_, nodes, arrows) => {
  const { status, answer, valid, issues } = await activated(drawn(nodes, arrows))
  const issue = {
    path: 'nodes.gap.type',
    place: 'Route',
    message: 'is a placeholder for n8n-nodes-base.route: replace it, remove it or disable it',
  }
  expect([status, answer.issues, valid]).toEqual([422, [issue], false])
  expect(issues).toContainEqual({ ...issue, node_id: 'gap', severity: 'error' })
})

test.each([
  ['behind a disabled trigger', { start, daily: { ...daily, disabled: true }, gap }, ['daily → gap']],
  ['where errors do not continue', { start, bad: effect('x'), gap }, ['start → bad', 'bad:error → gap']],
  [
    'at an output that a disabled node does not use',
    { start, off: { type: 'condition', disabled: true, params: { expression: 'true' } }, gap },
    ['start → off', 'off:false → gap'],
  ],
] as const)('a placeholder %s keeps no workflow from being activated', async (_, nodes, arrows) => {
  expect((await activated(drawn(nodes, arrows))).status).toBe(200)
})

test('an active workflow cannot be changed to one with a placeholder', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start }, []))
  expect((await post(host, workflows.activate, id)).status).toBe(200)
  const { nodes, edges } = drawn({ start, gap }, ['start → gap'])
  const response = await call(workflows.update, host, { params: { id }, body: { nodes, edges } })
  expect([response.status, (await response.json()).issues[0].path]).toEqual([422, 'nodes.gap.type'])
})

test('a sub-workflow with a placeholder fails its caller, which cannot be activated', async () => {
  const host = await testHost()
  const inner = await created(host, drawn({ start, gap }, ['start → gap'], { name: 'Inner' }))
  const calling = (workflow_id: string, name: string) =>
    drawn({ start, run: { type: 'sub_workflow', name: 'Run', params: { workflow_id } } }, ['start → run'], {
      name,
    })
  const middle = await created(host, calling(inner.id, 'Middle'))
  const outer = await created(host, calling(middle.id, 'Outer'))
  const { status, body } = await post(host, workflows.activate, outer.id)
  expect([status, body.issues]).toEqual([
    422,
    [
      {
        path: 'nodes.run.params.workflow_id',
        place: 'Run → Workflow',
        message: 'runs "Inner", which fails at the placeholder "Route"',
      },
    ],
  ])
  const run = await started(host, outer.id)
  await workOff(host)
  expect(await execution(host, run)).toMatchObject({ status: 'failed', error: { node_id: 'run', message } })
})

test('workflows that run each other are checked once', async () => {
  const host = await testHost()
  const { id } = await created(host, drawn({ start }, []))
  const { nodes, edges } = drawn({ start, again: { type: 'sub_workflow', params: { workflow_id: id } } }, [
    'start → again',
  ])
  expect((await call(workflows.update, host, { params: { id }, body: { nodes, edges } })).status).toBe(200)
  expect((await post(host, workflows.activate, id)).status).toBe(200)
})

test('an error workflow with a placeholder is reported', async () => {
  const host = await testHost()
  const handler = await created(host, drawn({ start, gap }, ['start → gap'], { name: 'Handler' }))
  const { id } = await created(host, drawn({ start }, [], { settings: { error_workflow_id: handler.id } }))
  expect((await post(host, workflows.validate, id)).body.issues).toMatchObject([
    { message: 'fails at the placeholder "Route" of "Handler"', severity: 'warning' },
  ])
})

test('an import of a switch that n8n alone has calls neither of its outputs', async () => {
  const host = await testHost()
  const at = (name: string, type: string, parameters: object = {}) => ({
    ...{ name, type, parameters, position: [0, 0] },
  })
  const to = (node: string) => [{ node, type: 'main', index: 0 }]
  const file = {
    nodes: [
      at('Start', 'n8n-nodes-base.manualTrigger'),
      at('Route', 'n8n-nodes-base.switch', { options: { fallbackOutput: 'else' }, rules: { values: [] } }),
      at('Refund', 'n8n-nodes-base.set', { values: { string: [{ name: 'refund', value: 'yes' }] } }),
      at('Keep', 'n8n-nodes-base.set', { values: { string: [{ name: 'keep', value: 'yes' }] } }),
    ],
    connections: { Start: { main: [to('Route')] }, Route: { main: [to('Refund'), to('Keep')] } },
  }
  const response = await call(catalog.importFile, host, { query: { format: 'n8n' }, body: file })
  const { workflow, report } = await response.json()
  expect(report).toMatchObject({
    placeholders: [
      {
        node_id: 'route',
        type: 'n8n-nodes-base.switch',
        reason: expect.stringContaining('an execution that reaches it fails'),
      },
    ],
    issues: [],
  })
  expect(workflow.nodes[1]).toMatchObject({ type: 'placeholder', disabled: false })
  expect(workflow.edges.map(({ source_output }: { source_output: string }) => source_output)).toEqual([
    'main',
    'main',
    'case:0',
  ])
  const run = await started(host, workflow.id, { input: { kind: 1 } })
  await workOff(host)
  const done = await execution(host, run)
  expect(done).toMatchObject({ status: 'failed', error: { node_id: 'route', code: 'placeholder' } })
  expect(done.node_runs.map(({ node_id }) => node_id)).toEqual(['start', 'route'])
  expect((await post(host, workflows.activate, workflow.id)).status).toBe(422)
})

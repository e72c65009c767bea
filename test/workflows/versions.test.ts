import { expect, test } from 'vitest'
import * as executions from '../../handlers/workflows/executions.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { created, drawn } from './kit.ts'

const start = { start: { type: 'trigger.manual' } }
const set = { type: 'set', params: {} }

test('an incomplete workflow can be saved, and names what it lacks when it is to run', async () => {
  const host = await testHost()
  const gone = await created(host, drawn(start, []))
  const body = drawn(
    {
      ...start,
      call: { type: 'http' },
      ask: { type: 'llm', params: { prompt: 'Hi' } },
      sub: { type: 'sub_workflow', params: { workflow_id: gone.id } },
    },
    ['start → call', 'call → ask', 'ask → sub'],
  )
  const { id } = await created(host, body)
  await call(workflows.remove, host, { params: { id: gone.id } })
  const response = await call(executions.execute, host, { params: { id }, body: {} })
  expect(response.status).toBe(422)
  const { issues } = await response.json()
  expect(issues).toMatchObject([
    { path: 'nodes.call.params.url', place: 'call → URL', message: 'is required' },
    { path: 'nodes.ask.params.model', message: expect.stringContaining('needs a credential') },
    { path: 'nodes.sub.params.workflow_id' },
  ])
  const checked = await (await call(workflows.validate, host, { params: { id } })).json()
  expect(checked).toMatchObject({ valid: false, issues: [{ node_id: 'call', severity: 'error' }, {}, {}] })
})

test('a changed definition is a new version, and an earlier one can be restored', async () => {
  const host = await testHost()
  const { id, nodes } = await created(host, drawn({ ...start, a: set }, ['start → a']))
  const params = { id }
  const changed = await (
    await call(workflows.update, host, { params, body: { nodes: nodes.slice(0, 1), edges: [] } })
  ).json()
  expect(changed).toMatchObject({ version: 2, nodes: [{ id: 'start' }] })
  expect((await (await call(workflows.update, host, { params, body: { name: 'New' } })).json()).version).toBe(2)
  const restored = await call(workflows.restore, host, { params: { id, version: '1' } })
  expect(await restored.json()).toMatchObject({ version: 3, nodes: [{ id: 'start' }, { id: 'a' }] })
  const { versions } = await (await call(workflows.versions, host, { params })).json()
  expect(versions.map(({ version }: { version: number }) => version)).toEqual([3, 2, 1])
})

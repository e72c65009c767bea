import { expect, test } from 'vitest'
import * as catalog from '../../handlers/workflows/catalog.ts'
import * as workflows from '../../handlers/workflows/workflows.ts'
import type { Issue, Workflow } from '../../runtime/workflows/schema.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

const node = (name: string, type: string, parameters: object = {}) => ({
  ...{ name, type: `n8n-nodes-base.${type}`, typeVersion: 1, position: [0, 0], parameters },
})

test('what an import could not translate stays with the workflow until its node is mended or removed', async () => {
  const host = await testHost()
  const file = {
    name: 'Imported',
    nodes: [
      node('Go', 'manualTrigger'),
      node('Broken', 'set', { values: { string: [{ name: 'text', value: '={{ $json.( }}' }] } }),
      node('Lost', 'noOp'),
    ],
    connections: {
      Go: { main: [[{ node: 'Broken', type: 'main', index: 0 }]] },
      Lost: { main: [[{ node: 'Nowhere', type: 'main', index: 0 }]] },
    },
  }
  const answer = await (await call(catalog.importFile, host, { body: file })).json()
  const { id, nodes }: Workflow = answer.workflow
  const idOf = (name: string) => nodes.find((one) => one.name === name)?.id
  const notes = async (body: object = {}) => {
    const { issues } = await (await call(workflows.validate, host, { params: { id }, body })).json()
    return issues.filter(({ path }: Issue) => path.includes('.import.')).map(({ node_id }: Issue) => node_id)
  }
  expect(await notes()).toEqual([idOf('Lost'), idOf('Broken')])
  const mended = nodes.map((one) => (one.name === 'Broken' ? { ...one, params: { values: { text: 'a' } } } : one))
  // A drawing that is not saved yet shows fewer; another node stays as it is.
  expect(await notes({ nodes: mended })).toEqual([idOf('Lost')])
  expect(await notes()).toHaveLength(2)
  await call(workflows.update, host, { params: { id }, body: { nodes: mended } })
  await call(workflows.update, host, { params: { id }, body: { nodes } })
  expect(await notes()).toEqual([idOf('Lost')])
  await call(workflows.update, host, { params: { id }, body: { nodes: nodes.filter(({ name }) => name !== 'Lost') } })
  expect(await notes()).toEqual([])
})

test('a note can be marked as done, and a copy has the notes that are open', async () => {
  const host = await testHost()
  const file = { name: 'Imported', nodes: [node('A', 'errorTrigger'), node('B', 'errorTrigger')], connections: {} }
  const { workflow } = await (await call(catalog.importFile, host, { body: file })).json()
  const notes = async (id: string): Promise<Issue[]> => {
    const { issues } = await (await call(workflows.validate, host, { params: { id }, body: {} })).json()
    return issues.filter(({ path }: Issue) => path.includes('.import.'))
  }
  const [first, second] = await notes(workflow.id)
  const settle = ({ path = '', message = '' }: Partial<Issue>) =>
    call(workflows.settle, host, { params: { id: workflow.id }, body: { path, message } })
  expect((await settle(first ?? {})).status).toBe(200)
  expect((await settle(first ?? {})).status).toBe(404)
  expect(await notes(workflow.id)).toEqual([second])
  const copy = await (await call(workflows.duplicate, host, { params: { id: workflow.id } })).json()
  expect(await notes(copy.id)).toEqual([second])
})

test.each([
  [{ nodes: 1, connections: {} }, 'not a workflow file of n8n'],
  [{ format: 'hearthd.workflow', format_version: 1 }, 'workflow is required'],
  [{ format: 'hearthd.workflow', format_version: 2, workflow: {} }, 'format version 2'],
  [{ hello: 1 }, 'neither a workflow file of hearthd'],
])('the refusal of the broken file %j speaks of the format that it has', async (body, message) => {
  const response = await call(catalog.importFile, await testHost(), { body })
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining(message)])
})

test('a file of n8n that is said to be one of hearthd is called what it is', async () => {
  const body = { name: 'W', nodes: [node('Go', 'manualTrigger')], connections: {} }
  const response = await call(catalog.importFile, await testHost(), { body, query: { format: 'native' } })
  expect([response.status, await response.text()]).toEqual([422, expect.stringContaining('one of n8n')])
})

import { expect, test } from 'vitest'
import * as catalog from '../../handlers/workflows/catalog.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, started } from './kit.ts'

test('a workflow survives its export and import', async () => {
  const host = await testHost()
  const { id, nodes } = await created(host, drawn({ start: { type: 'trigger.manual' } }, []))
  const file = await (await call(catalog.exportFile, host, { params: { id } })).json()
  const { workflow } = await (await call(catalog.importFile, host, { body: file })).json()
  expect(workflow).toMatchObject({ name: 'Test', nodes })
  const later = await call(catalog.importFile, host, { body: { ...file, format_version: 2 } })
  expect(later.status).toBe(422)
})

test.each([
  [{ total: 20 }, 'succeeded'],
  [{ total: 900 }, 'waiting'],
  [{}, 'waiting'],
  ['not an order', 'waiting'],
])('the template for large orders: %j is %s', async (body, status) => {
  const host = await testHost()
  const { id } = await (await call(catalog.instantiate, host, { params: { id: 'order-approval' }, body: {} })).json()
  const run = await started(host, id, { input: { body } })
  await workOff(host)
  expect((await execution(host, run)).status).toBe(status)
})

const takesInput = ['fetch-list', 'calculate', 'reminder']

test('every template becomes a workflow, which lacks at most what it says that it needs', async () => {
  const host = await testHost()
  const { templates } = await (await call(catalog.templates, host)).json()
  expect(templates.length).toBeGreaterThanOrEqual(12)
  for (const { id, needs } of templates) {
    const response = await call(catalog.instantiate, host, { params: { id }, body: {} })
    expect([id, response.status]).toEqual([id, 201])
    const made = await response.json()
    const used = [...JSON.stringify(made.nodes).matchAll(/vars\.(\w+)/g)].map(([, name = '']) => name)
    expect([id, used.filter((name) => !(name in made.variables))]).toEqual([id, []])
    expect([id, made.input_schema !== null]).toEqual([id, takesInput.includes(id)])
    const { workflow, report } = await (
      await call(catalog.importFile, host, {
        body: { format: 'hearthd.workflow', format_version: 1, workflow: made },
      })
    ).json()
    expect(workflow.nodes.length).toBeGreaterThan(1)
    if (needs.length === 0) expect([id, report.issues]).toEqual([id, []])
  }
})

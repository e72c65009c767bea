import { afterAll, beforeAll, expect, test } from 'vitest'
import { importFile } from '../../handlers/workflows/catalog.ts'
import * as executions from '../../handlers/workflows/executions.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { openService, stored } from './kit.ts'

let service: Awaited<ReturnType<typeof openService>>
beforeAll(async () => {
  service = await openService()
})
afterAll(() => service.close())

const request = (name: string) => ({
  ...{ name, type: 'n8n-nodes-base.httpRequest', typeVersion: 4, position: [0, 0] },
  parameters: { url: `${service.origin}/data`, authentication: 'genericCredentialType' },
  credentials: { httpHeaderAuth: { id: '7', name: 'Shop' } },
})
const file = () => ({
  name: 'Orders',
  nodes: [
    { name: 'Start', type: 'n8n-nodes-base.manualTrigger', typeVersion: 1, position: [0, 0], parameters: {} },
    request('Orders'),
    request('Customers'),
  ],
  connections: {
    Start: { main: [[{ node: 'Orders', type: 'main', index: 0 }]] },
    Orders: { main: [[{ node: 'Customers', type: 'main', index: 0 }]] },
  },
})

test('a credential that nodes of n8n name is asked for once, and used by all of them', async () => {
  const host = await testHost({ outbound: service.outbound })
  const imported = async () => (await call(importFile, host, { body: file() })).json()
  const { workflow, report } = await imported()
  expect(report.credentials).toEqual([
    { name: 'Shop', kind: 'header', node_ids: workflow.nodes.slice(1).map(({ id }: { id: string }) => id) },
  ])
  expect(report.issues).toEqual([])
  const execute = () => call(executions.execute, host, { params: { id: workflow.id }, body: {} })
  const refused = await execute()
  expect([refused.status, await refused.text()]).toEqual([422, expect.stringContaining('name or id of a credential')])

  const fields = { kind: 'header', name: 'X-Shop', secret: 'Zk3vQ8mXr1TpW6yL' }
  await stored(host, { name: 'Shop', fields, test_url: `${service.origin}/data` })
  expect((await execute()).status).toBeLessThan(300)
  await workOff(host)
  expect(service.received.map(({ headers }) => headers['x-shop'])).toEqual([fields.secret, fields.secret])
  expect((await imported()).report.credentials).toEqual([])
})

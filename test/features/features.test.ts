import { expect, test } from 'vitest'
import * as api from '../../handlers/features/index.ts'
import { FeatureList } from '../../runtime/features/schema.ts'
import type { Packages } from '../../runtime/ports/packages.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { testPackages } from '../support/packages.ts'

const reader = { ...adminCaller, scopes: ['read', 'write'] as typeof adminCaller.scopes }
const map = { params: { id: 'memory-visualization' } }

test('lists the base, the packs and the extras with their state', async () => {
  const host = await testHost({ packages: testPackages() })
  const response = await call(api.list, host, { caller: reader })
  const all = FeatureList.parse(await response.json())

  expect(all.features.map(({ kind, id }) => `${kind} ${id}`)).toEqual([
    'base database',
    'base browser',
    'pack memory-visualization',
    'pack browser-chromium',
    'extra embeddings',
    'extra sandbox',
    'extra ollama',
  ])
  expect(all.features).toContainEqual({
    id: 'memory-visualization',
    title: 'Map of memory',
    kind: 'pack',
    source: 'memory-visualization',
    status: 'not-installed',
    unsupported_reason: null,
    note: expect.any(String),
    command: 'hearthd features install memory-visualization',
  })
  const sandbox = all.features.find(({ id }) => id === 'sandbox')
  expect(sandbox).toMatchObject({
    status: 'unsupported',
    unsupported_reason: 'This host runs no commands; the Node host does',
  })
  expect(all.install).toMatchObject({ kind: 'editable', version: host.config.version })
  expect(all.repair_command).toBe(all.install.repair_command)
  const { packs: shown } = (await (await call(api.listPacks, host)).json()) as { packs: object[] }
  expect(shown).toEqual(all.packs)
})

test('a host without a package manager reports that packs are unsupported', async () => {
  const host = await testHost()
  const all = FeatureList.parse(await (await call(api.list, host)).json())
  const pack = all.features.find(({ id }) => id === 'memory-visualization')
  expect(pack).toMatchObject({ status: 'unsupported', command: null, unsupported_reason: expect.any(String) })
  expect((await call(api.plan, host, map)).status).toBe(503)
  expect((await call(api.install, host, map)).status).toBe(503)
})

test('a pack without a build for the platform is planned as blocked, and refused', async () => {
  const packages: Packages = { ...testPackages(), platform: 'darwin-arm64' }
  const host = await testHost({ packages })
  const chromium = { params: { id: 'browser-chromium' } }
  expect(await (await call(api.plan, host, chromium)).json()).toMatchObject({
    packages: [],
    blocked_reason: 'Chromium has no build for darwin-arm64',
    manual_command: 'npx playwright install chromium',
  })
  expect((await call(api.install, host, chromium)).status).toBe(503)
})

test('plan and install are for administrators', async () => {
  const host = await testHost({ packages: testPackages() })
  for (const endpoint of [api.plan, api.install])
    expect((await call(endpoint, host, { ...map, caller: reader })).status).toBe(403)
  expect((await call(api.status, host, { ...map, caller: reader })).status).toBe(200)
})

test('an unlisted pack does not exist', async () => {
  const host = await testHost({ packages: testPackages() })
  const unknown = api.features.filter(({ path }) => path.includes('{id}'))
  for (const endpoint of unknown) expect((await call(endpoint, host, { params: { id: 'left-pad' } })).status).toBe(404)
})

test('one installation at a time, of any pack', async () => {
  const host = await testHost({ packages: testPackages() })
  const first = await call(api.install, host, map)
  expect(first.status).toBe(202)
  const { job } = (await first.json()) as { job: { id: string } }
  const second = await call(api.install, host, { params: { id: 'browser-chromium' } })
  expect(second.status).toBe(409)
  expect(await second.json()).toMatchObject({ job: { id: job.id, status: 'running' } })
  const audit = await host.sql.read(`SELECT count(*) AS count FROM audit WHERE action = 'feature.install'`)
  expect(audit).toEqual([{ count: 1 }])
})

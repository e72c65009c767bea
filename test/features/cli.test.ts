import { expect, test, vi } from 'vitest'
import type { FeatureList, InstallJob, InstallPlan } from '../../runtime/features/schema.ts'
import { dataFolder, hearthd, setUpProcess, startProcess } from '../support/daemon-process.ts'

/** The registry is real, and the machine may be busy. */
vi.setConfig({ testTimeout: 300_000 })

test('features are listed, planned and installed on the command line', async () => {
  const folder = dataFolder()
  const before = await hearthd(folder, ['features'])
  expect(before.code).toBe(1)
  expect(before.stderr).toContain('not running')
  const daemon = await startProcess(folder)
  await setUpProcess(daemon)

  const listed = await hearthd(folder, ['features', '--json'])
  expect(listed.code).toBe(0)
  const { features } = JSON.parse(listed.stdout) as FeatureList
  expect(features).toContainEqual(expect.objectContaining({ id: 'memory-visualization', status: 'not-installed' }))
  const planned = await hearthd(folder, ['features', 'plan', 'memory-visualization', '--json'])
  expect((JSON.parse(planned.stdout) as InstallPlan).packages.length).toBeGreaterThan(2)
  const text = await hearthd(folder, ['features', 'plan', 'memory-visualization'])
  expect(text.stdout).toMatch(/umap-js +1\.4\.0 +new +114\.1 kB/)

  const installed = await hearthd(folder, ['features', 'install', 'memory-visualization', '--json'])
  expect(installed.code).toBe(0)
  expect(JSON.parse(installed.stdout) as InstallJob).toMatchObject({ status: 'done', error: null })
  const table = await hearthd(folder, ['features'])
  expect(table.stdout).toMatch(/memory-visualization +Map of memory +ok/)

  const unknown = await hearthd(folder, ['features', 'install', 'left-pad'])
  expect(unknown.code).toBe(1)
  expect(unknown.stderr).toContain('The pack left-pad was not found')
})

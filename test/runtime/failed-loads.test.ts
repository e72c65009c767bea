import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFolder } from '../support/daemon-process.ts'
import { forgetFailedLoads } from '../support/failed-loads.ts'

test('a module whose import could not be loaded for one test file is loaded for the next', async () => {
  const folder = dataFolder()
  const path = join(folder, 'importer.ts')
  writeFileSync(path, `export { value } from './late.ts'`)
  const load = async () => ((await import(path)) as { value: string }).value
  await expect(load()).rejects.toThrow('late.ts')
  writeFileSync(join(folder, 'late.ts'), `export const value = 'loaded'`)
  await expect(load()).rejects.toThrow('late.ts')
  await forgetFailedLoads()
  expect(await load()).toBe('loaded')
})

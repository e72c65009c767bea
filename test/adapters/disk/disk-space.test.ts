import { expect, test } from 'vitest'
import { diskSpace } from '../../../adapters/disk/disk-space.ts'

test('tells the room on the disk of a folder', async () => {
  const space = await diskSpace(import.meta.dirname)

  expect(space?.total_bytes).toBeGreaterThan(1024 * 1024)
  expect(space?.free_bytes).toBeGreaterThanOrEqual(0)
  expect(space?.free_bytes).toBeLessThanOrEqual(space?.total_bytes ?? 0)
})

test('tells nothing of a folder that is not there', async () => {
  expect(await diskSpace('/nowhere/at/all')).toBeNull()
})

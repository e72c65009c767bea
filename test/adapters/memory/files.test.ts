import { expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { createMemoryFiles } from '../../../adapters/memory/files.ts'
import { filesContract } from '../../contracts/files.ts'

filesContract(() => createMemoryFiles())

test('uses the time of its clock', async () => {
  const clock = createFakeClock('2026-01-05T09:00:00.000Z')
  const files = createMemoryFiles(clock)
  await clock.advance(1500)
  await files.write('root', 'a.txt', new Uint8Array(3))

  expect(await files.stat('root', 'a.txt')).toEqual({
    path: 'a.txt',
    kind: 'file',
    size_bytes: 3,
    modified_at: '2026-01-05T09:00:01.500Z',
  })
})

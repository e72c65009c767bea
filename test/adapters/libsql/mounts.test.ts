import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { mountsIn, requireReplaceable } from '../../../adapters/libsql/file-swap.ts'

const table = `21 27 0:19 / /proc rw,nosuid - proc proc rw
42 27 254:0 /big /home/ada/.hearthd/files rw,relatime - ext4 /dev/vda rw
43 27 254:0 /nas /home/ada/.hearthd/files/uploads/my\\040photos rw,relatime shared:7 - ext4 /dev/vda rw
44 27 254:0 /other /home/ada/.hearthd/files2 rw,relatime - ext4 /dev/vda rw
`

test('mount points at and below a folder are found, also those of the same disk', () => {
  expect(mountsIn(table, '/home/ada/.hearthd/files')).toEqual([
    '/home/ada/.hearthd/files',
    '/home/ada/.hearthd/files/uploads/my photos',
  ])
  expect(mountsIn(table, '/home/ada/.hearthd/sandbox')).toEqual([])
  expect(mountsIn('', '/home/ada/.hearthd/files')).toEqual([])
})

test('folders of files can be replaced; a link cannot', () => {
  const data_dir = mkdtempSync(join(tmpdir(), 'hearthd-mounts-'))
  onTestFinished(() => rmSync(data_dir, { recursive: true, force: true }))
  requireReplaceable(data_dir)
  mkdirSync(join(data_dir, 'files'))
  requireReplaceable(data_dir)
  symlinkSync(tmpdir(), join(data_dir, 'sandbox'))
  expect(() => requireReplaceable(data_dir)).toThrow('sandbox is not a folder')
})

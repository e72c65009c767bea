import { expect, test } from 'vitest'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import { remove } from '../../handlers/files/files.ts'
import { downloadRoom } from '../../runtime/browser/files.ts'
import type { Files } from '../../runtime/ports/files.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { listed, nothingStored, stored, upload, uploaded } from './kit.ts'

const kilobyte = (fill: number) => new Uint8Array(1_000).fill(fill)

/** The store, with the most that ever lay in it, files on their way included. */
function watched(): Files & { most: number } {
  const files = createMemoryFiles()
  let coming = 0
  let lying = 0
  const self = {
    ...files,
    most: 0,
    async writeStream(root: string, path: string, pieces: AsyncIterable<Uint8Array>) {
      const counted = async function* () {
        for await (const piece of pieces) {
          coming += piece.length
          self.most = Math.max(self.most, coming + lying)
          yield piece
        }
      }
      return files.writeStream(root, path, counted())
    },
    async remove(root: string, path: string) {
      const size = (await files.stat(root, path))?.size_bytes ?? 0
      const removed = await files.remove(root, path)
      if (removed) lying -= size
      return removed
    },
  }
  return self
}

test('a file larger than the limit is refused while it is read', async () => {
  const host = await testHost({}, { upload_limit: 1_000 })

  expect((await upload(host, kilobyte(1))).status).toBe(201)
  const refused = await upload(host, new Uint8Array(1_001))
  expect(refused.status).toBe(413)
  expect(await refused.json()).toMatchObject({ error: 'payload_too_large' })
  expect((await upload(host, new Uint8Array(100_000))).status).toBe(413)
  expect((await listed(host)).total).toBe(1)
  expect(await stored(host)).toHaveLength(1)
})

test('all files together stay within the quota, and the refusal says what to do', async () => {
  const host = await testHost({}, { files_quota: 2_500 })
  const first = await uploaded(host, kilobyte(1))
  await uploaded(host, kilobyte(2))
  const refused = await upload(host, kilobyte(3))

  expect(refused.status).toBe(413)
  expect((await refused.json()).message).toContain('may take 2500 bytes')
  expect(await stored(host)).toHaveLength(2)
  await call(remove, host, { params: { id: first.id } })
  expect((await upload(host, kilobyte(3))).status).toBe(201)
})

test('uploads and downloads share one quota', async () => {
  const host = await testHost({}, { files_quota: 2_500 })
  const download = 'dl_0123456789abcdef0123456789abcdef/page.zip'
  await host.files.write('downloads', download, kilobyte(9))
  await uploaded(host, kilobyte(1))

  expect(await downloadRoom(host, 2_500)).toBe(500)
  expect((await upload(host, kilobyte(2))).status).toBe(413)
  expect(await stored(host)).toHaveLength(1)
  await host.files.remove('downloads', download)
  expect((await upload(host, kilobyte(2))).status).toBe(201)
})

test('content that is already stored uses no more space', async () => {
  const host = await testHost({}, { files_quota: 2_000 })
  await uploaded(host, kilobyte(1))
  await uploaded(host, kilobyte(1))
  await uploaded(host, kilobyte(1))

  expect((await upload(host, kilobyte(2))).status).toBe(201)
  expect((await upload(host, kilobyte(3))).status).toBe(413)
})

test('a quota of zero accepts nothing', async () => {
  const host = await testHost({}, { files_quota: 0 })

  expect((await upload(host, 'x')).status).toBe(413)
  expect(await nothingStored(host)).toBe(true)
})

test('fifty concurrent uploads never exceed the quota, stored or in progress', async () => {
  const files = watched()
  const host = await testHost({ files }, { files_quota: 10_000 })
  const answers = await Promise.all(Array.from({ length: 50 }, (_, fill) => upload(host, kilobyte(fill))))
  const statuses = answers.map(({ status }) => status)
  const { files: kept } = await listed(host)

  expect(statuses.filter((status) => status === 201)).toHaveLength(10)
  expect(statuses.filter((status) => status === 413)).toHaveLength(40)
  expect(kept).toHaveLength(10)
  expect(await stored(host)).toHaveLength(10)
  expect(files.most).toBe(10_000)
})

test('two processes on one database do not exceed the quota either', async () => {
  const first = await testHost({}, { files_quota: 10_000 })
  const second = await testHost({ sql: first.sql, files: first.files }, { files_quota: 10_000 })
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, fill) => upload(fill % 2 === 0 ? first : second, kilobyte(fill))),
  )

  expect(answers.filter(({ status }) => status === 201)).toHaveLength(10)
  expect((await listed(first)).total).toBe(10)
  expect(await stored(first)).toHaveLength(10)
})

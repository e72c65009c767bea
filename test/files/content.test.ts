import { beforeEach, describe, expect, test } from 'vitest'
import { content, remove } from '../../handlers/files/files.ts'
import { blobPath, root } from '../../runtime/files/blobs.ts'
import type { StoredFile } from '../../runtime/files/schema.ts'
import { routesOf } from '../../runtime/http/routes.ts'
import { serve } from '../../runtime/http/serve.ts'
import { call, requestFor } from '../support/call.ts'
import { peer, setUpAdmin, testHost } from '../support/host.ts'
import { download, uploaded } from './kit.ts'

let host: Awaited<ReturnType<typeof testHost>>
let file: StoredFile
beforeEach(async () => {
  host = await testHost()
  file = await uploaded(host, '0123456789', { name: 'Grüße "an" 火.txt' })
})

test('content is an attachment that no browser executes', async () => {
  const { status, headers } = await download(host, file.id)

  expect(status).toBe(200)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'text/plain; charset=utf-8',
    'content-length': '10',
    'content-disposition': `attachment; filename="Gr__e _an_ _.txt"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20_an_%20%E7%81%AB.txt`,
    'content-security-policy': "default-src 'none'; sandbox",
    'x-content-type-options': 'nosniff',
    'accept-ranges': 'bytes',
    'cache-control': 'private, no-cache',
    etag: `"${file.sha256}"`,
  })
})

describe.each([
  ['bytes=0-3', '0123', 'bytes 0-3/10'],
  ['bytes=4-', '456789', 'bytes 4-9/10'],
  ['bytes=-3', '789', 'bytes 7-9/10'],
  ['bytes=-100', '0123456789', 'bytes 0-9/10'],
  ['bytes=8-100', '89', 'bytes 8-9/10'],
  ['bytes=9-9', '9', 'bytes 9-9/10'],
  ['Bytes = 2-2', '2', 'bytes 2-2/10'],
  ['bytes=1-2, 5-6', '12', 'bytes 1-2/10'],
  ['bytes=20-30, 5-6', '56', 'bytes 5-6/10'],
])('the range %j', (range, text, contentRange) => {
  test('is answered with that part', async () => {
    const response = await download(host, file.id, { range })

    expect(response.status).toBe(206)
    expect(response.headers.get('content-range')).toBe(contentRange)
    expect(response.headers.get('content-length')).toBe(String(text.length))
    expect(await response.text()).toBe(text)
  })
})

test.each(['bytes=10-', 'bytes=10-20', 'bytes=-0', 'bytes=99-, 50-60'])('%j is beyond the end', async (range) => {
  const response = await download(host, file.id, { range })

  expect(response.status).toBe(416)
  expect(response.headers.get('content-range')).toBe('bytes */10')
  expect(await response.json()).toMatchObject({ error: 'range_not_satisfiable', status: 416 })
})

test.each(['bytes=5-2', 'bytes=-', 'bytes=', 'bytes=a-b', 'lines=1-2', 'bytes', '0-3', 'bytes=1-2,x'])(
  '%j is ignored, so everything is sent',
  async (range) => {
    const response = await download(host, file.id, { range })

    expect([response.status, await response.text()]).toEqual([200, '0123456789'])
  },
)

test('a range of an empty file is unsatisfiable', async () => {
  const empty = await uploaded(host, '')

  expect((await download(host, empty.id, { range: 'bytes=0-' })).status).toBe(416)
})

test('If-Range applies the range only while the content is unchanged', async () => {
  const part = { range: 'bytes=0-1' }
  const tag = `"${file.sha256}"`

  expect((await download(host, file.id, { ...part, 'if-range': tag })).status).toBe(206)
  expect((await download(host, file.id, { ...part, 'if-range': '"other"' })).status).toBe(200)
  expect((await download(host, file.id, { ...part, 'if-range': `W/${tag}` })).status).toBe(200)
})

test('a client that already has the content gets a 304', async () => {
  const tag = `"${file.sha256}"`
  for (const known of [tag, `W/${tag}`, `"a", ${tag}`, '*']) {
    const response = await download(host, file.id, { 'if-none-match': known })
    expect([response.status, await response.text()]).toEqual([304, ''])
    expect(response.headers.get('etag')).toBe(tag)
  }
  expect((await download(host, file.id, { 'if-none-match': '"other"' })).status).toBe(200)
})

test('HEAD returns the headers without the content', async () => {
  const { api_key } = await setUpAdmin(host)
  const headers = { authorization: `Bearer ${api_key.key}` }
  const head = new Request(requestFor(content, { params: { id: file.id }, headers }), { method: 'HEAD' })
  const response = await serve(routesOf([content]))(head, host, peer)

  expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '10', ''])

  await host.files.remove(root, blobPath(file.sha256))
  expect((await serve(routesOf([content]))(head.clone(), host, peer)).status).toBe(404)
})

test('a content that a restore did not bring back is reported; the file can be deleted, or uploaded again', async () => {
  await host.files.remove(root, blobPath(file.sha256))
  const response = await download(host, file.id)
  expect(response.status).toBe(404)
  expect((await response.json()).message).toMatch(/^The content of Grüße .* is missing: it was deleted, or/)

  const again = await uploaded(host, '0123456789')
  expect(await (await download(host, file.id)).text()).toBe('0123456789')
  await host.files.remove(root, blobPath(file.sha256))
  for (const { id } of [again, file]) expect((await call(remove, host, { params: { id } })).status).toBe(200)
})

test('callers without a credential cannot read content', async () => {
  await setUpAdmin(host)
  const response = await serve(routesOf([content]))(requestFor(content, { params: { id: file.id } }), host, peer)

  expect(response.status).toBe(401)
})

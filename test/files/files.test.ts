import { createHash } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { create, remove, show } from '../../handlers/files/files.ts'
import { commit } from '../../runtime/events/commit.ts'
import { sweepUploads } from '../../runtime/files/blobs.ts'
import { StoredFile } from '../../runtime/files/schema.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { download, fileHead, listed, nothingStored, part, stored, upload, uploaded, uploadRaw } from './kit.ts'

let host: Awaited<ReturnType<typeof testHost>>
beforeEach(async () => {
  host = await testHost()
})

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const errorOf = async (response: Response) => ({ status: response.status, ...(await response.json()) })

test('an upload is stored by its content and emits an event', async () => {
  const response = await upload(host, 'hello', { name: 'greeting.md', purpose: 'chat' })

  expect(response.status).toBe(201)
  const file = StoredFile.parse(await response.json())
  expect(file).toEqual({
    id: expect.stringMatching(/^file_/),
    name: 'greeting.md',
    mime_type: 'text/markdown',
    size_bytes: 5,
    sha256: sha256('hello'),
    purpose: 'chat',
    created_at: '2026-01-05T12:00:00.000Z',
    download_url: `/api/files/${file.id}/content`,
  })
  expect(await (await call(show, host, { params: { id: file.id } })).json()).toEqual(file)
  expect(await (await download(host, file.id)).text()).toBe('hello')
  expect(host.events).toEqual(['file.uploaded'])
})

test('an empty file is a file', async () => {
  const file = await uploaded(host, '')

  expect(file).toMatchObject({ size_bytes: 0, mime_type: 'text/plain' })
  expect(await (await download(host, file.id)).text()).toBe('')
})

test('the purpose may come before or after the file, and other fields are ignored', async () => {
  const file = part(fileHead('a.txt'), 'x')
  const purpose = part('Content-Disposition: form-data; name=purpose', 'avatar')
  const other = part('Content-Disposition: form-data; name="other"; filename="b.txt"', 'ignored')

  for (const body of [purpose + file, file + purpose, other + file + other + purpose]) {
    const response = await uploadRaw(host, `${body}--x--\r\n`)
    expect(await response.json()).toMatchObject({ name: 'a.txt', size_bytes: 1, purpose: 'avatar' })
  }
})

test.each([
  ['no file', part('Content-Disposition: form-data; name="purpose"', 'chat'), 422, 'a file is needed'],
  ['no part at all', '', 422, 'a file is needed'],
  ['a field instead of a file', part('Content-Disposition: form-data; name="file"', 'text'), 422, 'must be a file'],
  ['two files', part(fileHead('a'), 'x') + part(fileHead('b'), 'y'), 422, 'one file per request'],
  [
    'a purpose that is not a word',
    part(fileHead('a'), 'x') + part('Content-Disposition: form-data; name="purpose"', 'A b'),
    422,
    'short word',
  ],
  [
    'a long purpose',
    part(fileHead('a'), 'x') + part('Content-Disposition: form-data; name="purpose"', 'a'.repeat(5000)),
    422,
    'at most 1024 bytes',
  ],
  ['a long head', part(`X-Long: ${'a'.repeat(20_000)}\r\n${fileHead('a')}`, 'x'), 400, 'too long'],
  ['a boundary followed by other text', `--xyz\r\n${fileHead('a')}\r\n\r\nx\r\n`, 400, 'other text'],
  ['too many parts', part('Content-Disposition: form-data; name="a"', '').repeat(101), 400, 'more than 100 parts'],
])('%s is refused and leaves nothing', async (_, body, status, message) => {
  const refused = await errorOf(await uploadRaw(host, `${body}--x--\r\n`))

  expect(refused).toMatchObject({ status, message: expect.stringContaining(message) })
  expect(await nothingStored(host)).toBe(true)
  expect(host.events).toEqual([])
})

test.each([
  '',
  '--',
  '--x',
  '--x\r\n',
  `--x\r\n${fileHead('a')}\r\n\r\nhalf`,
  part(fileHead('a'), 'whole'),
  `${part(fileHead('a'), 'whole')}--x-`,
])('an incomplete body (%j) is refused and leaves nothing', async (body) => {
  const refused = await errorOf(await uploadRaw(host, body))

  expect(refused).toMatchObject({ status: 400, error: 'bad_request' })
  expect(await nothingStored(host)).toBe(true)
})

test('another content type, and one without a boundary, are refused', async () => {
  const send = (type: string) => call(create, host, { body: '--x--', headers: { 'content-type': type } })

  expect((await send('application/json')).status).toBe(415)
  expect((await send('multipart/form-data')).status).toBe(400)
  expect((await send('multipart/form-data; boundary=')).status).toBe(400)
})

test('content that looks like the boundary is content, however the body is split', async () => {
  const text = '\r\n--\r\n--y\r\n\r\n--xx'.slice(0, -1).replace('--x', '-x')
  const body = new TextEncoder().encode(`${part(fileHead('a.txt'), text)}--x--\r\n`)
  for (const size of [1, 2, 3, 7]) {
    const response = await call(create, host, {
      body: body,
      headers: { 'content-type': 'multipart/form-data; boundary="x"' },
    })
    expect(await (await download(host, (await response.json()).id)).text()).toBe(text)
    const pieces = new ReadableStream<Uint8Array>({
      start(controller) {
        for (let at = 0; at < body.length; at += size) controller.enqueue(body.slice(at, at + size))
        controller.close()
      },
    })
    const cut = await sendStream(pieces)
    expect(await (await download(host, (await cut.json()).id)).text()).toBe(text)
  }
})

/** A body of unknown length. */
function sendStream(body: ReadableStream<Uint8Array>): Promise<Response> {
  const headers = { 'content-type': 'multipart/form-data; boundary=x' }
  const request = new Request('http://127.0.0.1:18781/api/files', {
    method: 'POST',
    headers,
    body,
    duplex: 'half',
  } as RequestInit)
  return create(request, contextFor(request))
}

const contextFor = (request: Request) => ({
  ...host,
  caller: adminCaller,
  request_id: 'request',
  signal: request.signal,
  commit: (statements: never, events: never) => commit(host, statements, events),
})

test('an aborted upload leaves no file and no row', async () => {
  const head = new TextEncoder().encode(`--x\r\n${fileHead('a.txt')}\r\n\r\nthe first half`)
  const response = await sendStream(
    new ReadableStream({
      start: (controller) => controller.enqueue(head),
      pull: (controller) => controller.error(new Error('gone')),
    }),
  )

  expect(response.status).toBe(400)
  expect(await nothingStored(host)).toBe(true)
})

test('equal contents are stored once, and removed with the last file that uses them', async () => {
  const [first, second, other] = [
    await uploaded(host, 'same'),
    await uploaded(host, 'same', { name: 'copy.txt' }),
    await uploaded(host, 'other'),
  ]
  expect(first.id).not.toBe(second.id)
  expect(await stored(host)).toHaveLength(2)

  const removed = await call(remove, host, { params: { id: first.id } })
  expect(await removed.json()).toEqual({ deleted: true, id: first.id })
  expect(await (await download(host, second.id)).text()).toBe('same')
  await call(remove, host, { params: { id: second.id } })
  expect((await stored(host)).map((path) => path.split('/').at(-1))).toEqual([other.sha256])
  expect(host.events.slice(3)).toEqual(['file.deleted', 'file.deleted'])
})

test('concurrent uploads and deletions of the same content never lose it', async () => {
  const before = await uploaded(host, 'same')
  const uploads = Array.from({ length: 10 }, () => uploaded(host, 'same'))
  const removals = [before.id, before.id].map((id) => call(remove, host, { params: { id } }))
  const files = await Promise.all(uploads)

  expect((await Promise.all(removals)).map(({ status }) => status).sort()).toEqual([200, 404])
  for (const { id } of files) expect(await (await download(host, id)).text()).toBe('same')
  await Promise.all(files.map(({ id }) => call(remove, host, { params: { id } })))
  expect(await nothingStored(host)).toBe(true)
})

test('an unknown file is a 404 everywhere', async () => {
  const params = { id: 'file_unknown' }

  expect((await call(show, host, { params })).status).toBe(404)
  expect((await call(remove, host, { params })).status).toBe(404)
  expect((await download(host, params.id)).status).toBe(404)
})

test('lists newest first, by page, purpose and part of a name', async () => {
  for (const name of ['Grüße.txt', 'report 1.csv', 'REPORT 2.csv'])
    await uploaded(host, name, { name, purpose: name.includes('2') ? 'chat' : 'general' })
  const namesOf = async (query: Record<string, string>) => (await listed(host, query)).files.map(({ name }) => name)

  expect(await listed(host, { limit: '1', offset: '1' })).toMatchObject({
    files: [{ name: 'report 1.csv' }],
    total: 3,
    limit: 1,
    offset: 1,
  })
  expect(await namesOf({})).toEqual(['REPORT 2.csv', 'report 1.csv', 'Grüße.txt'])
  expect(await namesOf({ search: 'Report' })).toEqual(['REPORT 2.csv', 'report 1.csv'])
  expect(await namesOf({ search: 'GRÜ' })).toEqual(['Grüße.txt'])
  expect(await namesOf({ search: '%' })).toEqual([])
  expect(await namesOf({ purpose: 'chat' })).toEqual(['REPORT 2.csv'])
})

test('requests with the same Idempotency-Key store a file once, and another file is refused', async () => {
  const headers = { 'idempotency-key': 'once' }
  const first = await uploaded(host, 'hello', { headers })
  const again = await upload(host, 'hello', { headers })

  expect(again.headers.get('idempotency-replayed')).toBe('true')
  expect(await again.json()).toEqual(first)
  expect((await upload(host, 'another', { headers })).status).toBe(422)
  expect((await listed(host)).total).toBe(1)
  expect(await stored(host)).toHaveLength(1)
})

test('the start finishes what a crash interrupted', async () => {
  const kept = await uploaded(host, 'kept')
  const blob = `blobs/${kept.sha256.slice(0, 2)}/${kept.sha256}`
  await host.files.move('uploads', blob, `incoming/${kept.sha256}`)
  await host.files.write('uploads', `incoming/${sha256('lost')}`, new TextEncoder().encode('lost'))
  await host.files.write('uploads', 'incoming/0123', new TextEncoder().encode('half'))

  await sweepUploads(host, false)
  expect(await stored(host)).toHaveLength(3)
  await sweepUploads(host, true)
  expect(await stored(host)).toEqual([blob])
  expect(await (await download(host, kept.id)).text()).toBe('kept')
})

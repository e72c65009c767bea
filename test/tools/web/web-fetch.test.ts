import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolError } from '../../../runtime/tools/tool.ts'
import { pdf } from '../../files/documents-kit.ts'
import { toolBench } from '../bench.ts'
import { openSite, type Site } from './site.ts'

type Page = [type: string | null, body: string | Uint8Array, status?: number]

const big = 3 * 1024 * 1024

const pages: Record<string, Page> = {
  '/article': [
    'text/html; charset=utf-8',
    `<!doctype html><title>Boats &amp; more</title><h1>Boats</h1><p>They <b>float</b>.`,
  ],
  '/latin': ['text/html; charset=iso-8859-1', Uint8Array.from('<title>é</title><p>déjà vu', (c) => c.charCodeAt(0))],
  '/meta': ['text/html', Uint8Array.from('<meta charset="windows-1252"><p>caf\u00e9 \u0080', (c) => c.charCodeAt(0))],
  '/japanese': ['text/html; charset=shift_jis', Uint8Array.of(0x3c, 0x70, 0x3e, 0x8e, 0xf5, 0x8e, 0x69)],
  '/unknown-charset': ['text/plain; charset=klingon', 'naïve'],
  '/mark': ['text/plain', Uint8Array.of(0xff, 0xfe, 0x68, 0x00, 0x69, 0x00)],
  '/data.json': ['application/json', '{"tea": "<b>green</b>"}'],
  '/feed': ['application/rss+xml', '<rss><title>News</title></rss>'],
  '/plain': ['text/plain', 'a <b>\n  c'],
  '/no-type': [null, '<!DOCTYPE html><p>sniffed'],
  '/no-type-binary': [null, Uint8Array.of(0x7f, 0x45, 0x4c, 0x46, 0, 1)],
  '/image': ['image/png', Uint8Array.of(0x89, 0x50, 0x4e, 0x47)],
  '/plan.pdf': ['application/pdf', pdf([['Sow in May.']])],
  '/broken.pdf': ['application/pdf', '%PDF-1.4'],
  '/missing': ['text/html', '<h1>Not here</h1>', 404],
  '/empty': ['text/html', ''],
  '/long': ['text/plain', 'é'.repeat(30_000)],
  '/huge': ['text/plain', 'a'.repeat(big)],
}

let site: Site
beforeAll(async () => {
  site = await openSite((request, response) => {
    if (request.url === '/moved') return response.writeHead(302, { location: '/article' }).end()
    if (request.url === '/inside') return response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    if (request.url === '/cut')
      return response.writeHead(200, { 'content-length': 100 }).write('half', () => response.destroy())
    if (request.url === '/silent') return undefined
    const [type, body, status = 200] = pages[request.url ?? ''] ?? ['text/plain', '', 404]
    return response.writeHead(status, type === null ? {} : { 'content-type': type }).end(body)
  })
})
afterAll(() => site.close())

async function fetchPage(path: string, more: Record<string, unknown> = {}) {
  const { use } = await toolBench({ outbound: site.outbound })
  const url = path.startsWith('/') ? site.origin + path : path
  return (await use('web_fetch', { url, ...more })) as Record<string, unknown>
}

test('reads a page', async () => {
  expect(await fetchPage('/article')).toEqual({
    url: `${site.origin}/article`,
    status: 200,
    title: 'Boats & more',
    text: '# Boats\n\nThey float.',
    truncated: false,
  })
})

test('follows a redirect and reports the final address', async () => {
  expect(await fetchPage('/moved')).toMatchObject({ url: `${site.origin}/article`, title: 'Boats & more' })
})

test.each([
  ['/latin', 'déjà vu'],
  ['/meta', 'café €'],
  ['/japanese', '寿司'],
  ['/unknown-charset', 'naïve'],
  ['/mark', 'hi'],
])('%s is decoded as it says', async (path, text) => {
  expect((await fetchPage(path)).text).toBe(text)
})

test.each([
  ['/data.json', '{"tea": "<b>green</b>"}'],
  ['/feed', '<rss><title>News</title></rss>'],
  ['/plain', 'a <b>\n  c'],
])('%s stays as it is', async (path, text) => {
  expect(await fetchPage(path)).toMatchObject({ title: '', text })
})

test('the type of a page without a declared type is detected', async () => {
  expect((await fetchPage('/no-type')).text).toBe('sniffed')
  await expect(fetchPage('/no-type-binary')).rejects.toThrow(ToolError)
})

test('an image is refused with its type', async () => {
  await expect(fetchPage('/image')).rejects.toThrow('image/png')
  await expect(fetchPage('/image')).rejects.toThrow(ToolError)
})

test('a PDF is read as text', async () => {
  expect(await fetchPage('/plan.pdf')).toMatchObject({ title: '', text: '[Page 1]\nSow in May.' })
  await expect(fetchPage('/broken.pdf')).rejects.toThrow('/broken.pdf cannot be read: it is damaged')
})

test('a missing page is also a response', async () => {
  expect(await fetchPage('/missing')).toMatchObject({ status: 404, text: '# Not here' })
  expect(await fetchPage('/empty')).toMatchObject({ status: 200, title: '', text: '', truncated: false })
})

test('cuts at max_chars and at 2 MB, with a note', async () => {
  expect(await fetchPage('/long')).toMatchObject({ text: 'é'.repeat(20_000), truncated: true })
  expect(await fetchPage('/long', { max_chars: 40_000 })).toMatchObject({
    text: 'é'.repeat(30_000),
    truncated: false,
  })
  const huge = await fetchPage('/huge', { max_chars: 200_000 })
  expect(huge).toMatchObject({ truncated: true })
  expect((huge.text as string).length).toBe(200_000)
})

test.each([
  ['http://169.254.169.254/latest/meta-data', 'metadata addresses are not allowed'],
  ['http://127.0.0.1:1/', 'port 1 belongs to another protocol'],
  ['http://localhost/', 'local names are not allowed'],
  ['file:///etc/passwd', 'only http and https are allowed'],
  ['http://user:secret@example.com/', 'must not contain credentials'],
  ['/inside', 'metadata addresses are not allowed'],
])('%s is refused by the rule it breaks', async (url, rule) => {
  await expect(fetchPage(url)).rejects.toThrow(ToolError)
  await expect(fetchPage(url)).rejects.toThrow(rule)
})

test.each(['http://', 'not a url at all', 'javascript:alert(1)'])('%s is not a URL', async (url) => {
  await expect(fetchPage(url)).rejects.toThrow(ToolError)
})

test('a bare host means https', async () => {
  await expect(fetchPage('localhost/page')).rejects.toThrow('https://localhost/page')
})

test('a broken connection is reported as such', async () => {
  await expect(fetchPage('/cut')).rejects.toThrow(ToolError)
  await expect(fetchPage('/cut')).rejects.toThrow('No answer from')
})

test('a server that does not respond is abandoned when the signal aborts', async () => {
  const { use } = await toolBench({ outbound: site.outbound })
  const stop = new AbortController()
  const reading = use('web_fetch', { url: `${site.origin}/silent` }, { signal: stop.signal })
  stop.abort(new Error('time is up'))

  await expect(reading).rejects.toThrow('time is up')
})

test('a host without outgoing requests reports that', async () => {
  const { use } = await toolBench()
  await expect(use('web_fetch', { url: 'https://example.com' })).rejects.toThrow('This host makes no outgoing requests')
})

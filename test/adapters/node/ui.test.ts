import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliCompressSync, brotliDecompressSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWithUi, isUiRequest } from '../../../adapters/node/ui.ts'
import { sendRaw } from '../../support/raw.ts'

const script = 'console.log("hearth")'
let folder: string
let port: number
const server = createServer(async (request, response) => {
  if (isUiRequest(request) && (await answerWithUi(join(folder, 'dist'), request, response))) return
  response.writeHead(404).end('program')
})

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'hearthd-ui-'))
  mkdirSync(join(folder, 'dist', 'assets'), { recursive: true })
  writeFileSync(join(folder, 'secret.txt'), 'outside')
  writeFileSync(join(folder, 'dist', 'index.html'), '<!doctype html><title>hearthd</title>')
  writeFileSync(join(folder, 'dist', 'device.html'), '<!doctype html><title>Device</title>')
  writeFileSync(join(folder, 'dist', '.env'), 'hidden')
  writeFileSync(join(folder, 'dist', 'assets', 'index-abc.js'), script)
  writeFileSync(join(folder, 'dist', 'assets', 'index-abc.js.br'), brotliCompressSync(script))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  port = (server.address() as AddressInfo).port
})
afterAll(() => {
  server.close()
  server.closeAllConnections()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${port}${path}`, { headers })
const html = { accept: 'text/html,*/*' }

test('the page runs no scripts but our own files', async () => {
  const policy = (await get('/')).headers.get('content-security-policy') ?? ''
  const scripts = policy.split('; ').find((rule) => rule.startsWith('script-src'))

  expect(scripts).toBe("script-src 'self'")
  expect(policy).toContain("default-src 'self'")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("object-src 'none'")
})

test('any path of the UI returns the same page, so that a reload works', async () => {
  for (const path of ['/', '/agents', '/chat/conv_1', '/settings/profile?tab=2']) {
    const response = await get(path, html)
    expect(await response.text()).toContain('<title>hearthd</title>')
    expect(response.headers.get('cache-control')).toBe('no-cache')
  }
})

test('the page of the browser client may use the camera and the location, no other page may', async () => {
  for (const path of ['/device', '/device/', '/device?source=home']) {
    const response = await get(path, html)
    expect(await response.text()).toContain('<title>Device</title>')
    expect(response.headers.get('permissions-policy')).toBe('camera=(self), microphone=(), geolocation=(self)')
    expect(response.headers.get('content-security-policy')).toContain("script-src 'self'")
  }
  expect((await get('/devices', html)).headers.get('permissions-policy')).toContain('camera=()')
})

test('paths that a browser does not open as a page are left to the program', async () => {
  expect(await (await get('/missing.js')).text()).toBe('program')
  expect(await (await get('/agents', { accept: 'application/json' })).text()).toBe('program')
  for (const path of ['/api/', '/api', '/health', '/health/ready', '/ws/events', '/device/ws', '/mcp']) {
    expect(await (await get(path, html)).text()).toBe('program')
  }
})

test('hashed files are cached permanently, and compressed if the browser supports it', async () => {
  const small = await get('/assets/index-abc.js', { 'accept-encoding': 'br' })
  expect(small.headers.get('content-encoding')).toBe('br')
  expect(small.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(small.headers.get('vary')).toBe('Accept-Encoding')
  expect(await small.text()).toBe(script)

  const raw = await sendRaw(
    port,
    'GET /assets/index-abc.js HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip, br;q=0\r\nConnection: close\r\n\r\n',
  )
  expect(raw).not.toContain('Content-Encoding')
  expect(raw).toContain(script)
  expect(brotliDecompressSync(brotliCompressSync(script)).toString()).toBe(script)
})

test('a file that has not changed is not sent again', async () => {
  const etag = (await get('/assets/index-abc.js')).headers.get('etag') ?? ''
  const again = await get('/assets/index-abc.js', { 'if-none-match': etag })

  expect(again.status).toBe(304)
  expect(await again.text()).toBe('')
})

test.each([
  '/../secret.txt',
  '/assets/../../secret.txt',
  '/%2e%2e/secret.txt',
  '/..%2fsecret.txt',
  '/.env',
  '/assets/%2e%2e/%2e%2e/secret.txt',
  '/assets/index-abc.js%00.txt',
  '/assets',
])('%s leads nowhere', async (path) => {
  const answer = await sendRaw(port, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)

  expect(answer).toContain('program')
})

test('without a build of the UI a page explains what to do', async () => {
  const answered = { status: 0, body: '' }
  const other = createServer((request, response) => void answerWithUi(join(folder, 'nothing'), request, response))
  other.listen(0, '127.0.0.1')
  await once(other, 'listening')
  const response = await fetch(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`)
  Object.assign(answered, { status: response.status, body: await response.text() })
  other.close()
  other.closeAllConnections()

  expect(answered.status).toBe(503)
  expect(answered.body).toContain('npm run build')
})

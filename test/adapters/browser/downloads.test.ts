import { once } from 'node:events'
import { readdir, stat } from 'node:fs/promises'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { downloading } from '../../../adapters/browser/sweep.ts'
import { type BrowserOptions, type OwnBrowser, openBrowser } from '../../support/own-browser.ts'
import { type LocalServer, startServer } from '../outbound/servers.ts'

const mebibyte = 1024 * 1024
const piece = Buffer.alloc(64 * 1024, 'x')

const links = (target: string) => `<title>links</title>
  <a href="/known">known</a><a href="/endless">endless</a><a href="/small">small</a><a href="/second">second</a>
  <a href="/slow">slow</a><a href="/named">named</a><a href="/broken">broken</a>
  <a target="_blank" href="/small">blank</a><button onclick="window.open('/small')">window</button>
  <a download href="${target}">moved</a>`

/** Writes as fast as it is read, for as long as somebody reads. */
function pour(response: ServerResponse): void {
  const go = () => {
    while (!response.destroyed && response.write(piece));
    if (!response.destroyed) response.once('drain', go)
  }
  go()
}

const file = { 'content-type': 'application/octet-stream' }
const strange = `attachment; filename*=UTF-8''..%2F..%2Fetc%2Fpass%E2%80%AEfdp.%0Aexe`

const server = createServer((request, response) => {
  const { url = '/' } = request
  if (url === '/') return void response.writeHead(200, { 'content-type': 'text/html' }).end(links(target()))
  if (url === '/to') return void response.writeHead(302, { location: `http://evil.example:${canary.port}/` }).end()
  if (url === '/known') return pour(response.writeHead(200, { ...file, 'content-length': String(1024 * mebibyte) }))
  if (url === '/endless') return pour(response.writeHead(200, file))
  if (url === '/slow') return void response.writeHead(200, file).write(piece)
  if (url === '/broken') {
    response.writeHead(200, { ...file, 'content-length': '200000' }).write(piece, () => response.destroy())
    return
  }
  const name = url === '/named' ? { 'content-disposition': strange } : {}
  response.writeHead(200, { ...file, ...name }).end(piece)
})
const target = () => `http://localhost:${(server.address() as AddressInfo).port}/to`

let canary: LocalServer
let origin = ''

beforeAll(async () => {
  canary = await startServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
})

afterAll(async () => {
  await canary.close()
  server.closeAllConnections()
  server.close()
})

async function open(downloads?: BrowserOptions['downloads']): Promise<OwnBrowser> {
  const given = downloads ? { downloads } : {}
  const own = await openBrowser({ allowlist: [new URL(origin).host], ...given })
  onTestFinished(() => own.close())
  await own.browser.act({ action: 'goto', url: origin })
  return own
}

const click = ({ browser }: OwnBrowser, text: string) => browser.act({ action: 'click', selector: `text="${text}"` })

/** Bytes that lie in the folder where files are loaded. */
async function lying({ folder }: OwnBrowser): Promise<number> {
  const names = await readdir(downloading(folder)).catch(() => [])
  const sizes = names.map((name) =>
    stat(join(downloading(folder), name)).then(
      ({ size }) => size,
      () => 0,
    ),
  )
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

/** The newest download once it has ended, and the most that lay there meanwhile. */
async function outcome(own: OwnBrowser) {
  let most = 0
  const ended = async () => {
    most = Math.max(most, await lying(own))
    const [newest] = own.browser.downloads()
    return newest !== undefined && newest.status !== 'running'
  }
  await expect.poll(ended, { interval: 5 }).toBe(true)
  const [newest] = own.browser.downloads()
  return { ...newest, most }
}

test.each(['known', 'endless'])('a download of %s size above the limit is cancelled with an error', async (kind) => {
  const own = await open({ most_bytes: mebibyte, room: async () => 1024 * mebibyte })
  await click(own, kind)
  const { most, ...refused } = await outcome(own)
  expect(refused).toMatchObject({ name: kind, status: 'refused', path: null })
  expect(refused.error).toMatch(/1048576 bytes.*SERVICE_UPLOAD_LIMIT_BYTES/)
  expect(most).toBeLessThan(128 * mebibyte)
  await expect.poll(() => lying(own)).toBe(0)
  expect(await own.files.list('downloads')).toEqual([])
})

test('a download that no longer fits next to the other files is refused', async () => {
  const own = await open({ most_bytes: 1024 * mebibyte, room: async () => mebibyte })
  await click(own, 'endless')
  expect(await outcome(own)).toMatchObject({
    status: 'refused',
    error: expect.stringMatching(/SERVICE_FILES_QUOTA/),
  })
  await click(own, 'small')
  expect(await outcome(own)).toMatchObject({ status: 'done', size_bytes: piece.length, error: null })
})

test('concurrent downloads share the remaining quota', async () => {
  const own = await open({ most_bytes: mebibyte, room: async () => 1.5 * piece.length })
  await click(own, 'slow')
  await expect.poll(() => own.browser.downloads()[0]?.size_bytes).toBe(piece.length)
  await click(own, 'small')
  await expect.poll(() => own.browser.downloads().map(({ status }) => status)).toContain('refused')
})

test('a name that would lead elsewhere is replaced by a safe one', async () => {
  const own = await open()
  await click(own, 'named')
  const { id, name, path } = await outcome(own)
  expect(name).not.toMatch(/[/\\\u202e\n]/)
  expect(path).toBe(`${id}/${name}`)
  expect(await own.files.read('downloads', path ?? '')).toHaveLength(piece.length)
})

test('an interrupted download has failed, and a removed one is cancelled', async () => {
  const own = await open()
  await click(own, 'broken')
  expect(await outcome(own)).toMatchObject({ status: 'failed', error: expect.stringMatching(/interrupted/) })
  await click(own, 'slow')
  await expect.poll(() => own.browser.downloads()[0]?.status).toBe('running')
  const id = own.browser.downloads()[0]?.id ?? ''
  expect(await own.browser.forgetDownload(id)).toBe(true)
  expect(await own.browser.forgetDownload(id)).toBe(false)
  await expect.poll(() => lying(own)).toBe(0)
  expect(own.browser.downloads()).toHaveLength(1)
})

test('a download fails if the browser closes while it runs', async () => {
  const own = await open()
  await click(own, 'slow')
  await expect.poll(() => own.browser.downloads()[0]?.status).toBe('running')
  await own.browser.close()
  expect(await outcome(own)).toMatchObject({ status: 'failed' })
})

test('a download continues or fails when the identity of the pages changes; it never hangs', async () => {
  const own = await open()
  await click(own, 'slow')
  await expect.poll(() => own.browser.downloads()[0]?.status).toBe('running')
  await own.browser.restoreState({ cookies: [], origins: [] })
  expect(await outcome(own)).toMatchObject({ status: 'failed' })
  await own.browser.act({ action: 'goto', url: origin })
  await click(own, 'small')
  expect(await outcome(own)).toMatchObject({ status: 'done' })
})

test.each(['blank', 'window'])('a download in a new tab leaves no empty tab (%s)', async (kind) => {
  const own = await open()
  await click(own, kind)
  expect(await outcome(own)).toMatchObject({ name: 'small', status: 'done' })
  await expect.poll(() => own.browser.tabs()).toMatchObject([{ title: 'links', active: true }])
})

test('an address that is a file is downloaded, and the page stays open', async () => {
  const own = await open()
  const failure = await own.browser.act({ action: 'goto', url: `${origin}/small` }).catch((thrown) => thrown)
  expect(failure).toMatchObject({ code: 'navigation_failed', message: expect.stringMatching(/file/) })
  expect(await outcome(own)).toMatchObject({ status: 'done' })
  expect(await own.browser.tabs()).toMatchObject([{ title: 'links' }])
})

test('a download that is redirected to this machine is blocked', async () => {
  const own = await open()
  await click(own, 'moved').catch(() => undefined)
  await expect.poll(() => typeof own.asked.get('evil.example')).toBe('string')
  expect(canary.connections()).toBe(0)
  expect(own.browser.downloads().filter(({ status }) => status === 'done')).toEqual([])
})

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type OwnBrowser, openBrowser } from '../../support/own-browser.ts'
import { type LocalServer, startServer } from '../outbound/servers.ts'

const home = (evil: string) => `<title>home</title>
  <a target="_blank" href="/second">blank</a>
  <a target="named" href="/second">named</a>
  <form target="_blank" action="/second"><button>form</button></form>
  <button onclick="window.open('/second')">opened</button>
  <button onclick="window.open('/second', 'small', 'popup,width=300,height=200')">features</button>
  <button onclick="window.open('/second', '_blank', 'noopener,noreferrer')">openerless</button>
  <button onclick="setTimeout(() => window.open('/second'), 20)">late</button>
  <button onclick="window.open('/second'); window.open('/third')">two</button>
  <button onclick="const w = window.open('about:blank'); w.document.write('<title>written</title><button>In it</button>')">written</button>
  <button onclick="window.open('/closes')">brief</button>
  <button onclick="window.open('/slow')">slow</button>
  <button onclick="window.open('/asks')">asks</button>
  <button onclick="window.opened = window.open('${evil}'); document.title = 'tried'">blocked</button>
  <button onclick="window.opened = window.open('file:///etc/passwd')">file</button>
  <button onclick="window.opened = window.open('/to-evil')">moved</button>`

const pages: Record<string, string> = {
  '/second': `<title>second</title><button onclick="opener && (opener.document.title = 'told'); window.close()">Back</button>`,
  '/third': '<title>third</title>',
  '/closes': '<title>brief</title><script>close()</script>',
  '/slow': '<title>slow</title>',
  '/asks': '<title>asks</title><script>alert("in a window")</script>',
}

let own: OwnBrowser
let canary: LocalServer
let origin = ''
const server = createServer(async (request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname === '/to-evil') return void response.writeHead(302, { location: evil() }).end()
  if (pathname === '/slow') await new Promise((done) => setTimeout(done, 400))
  response.writeHead(200, { 'content-type': 'text/html' }).end(pages[pathname] ?? home(evil()))
})
const evil = () => `http://evil.example:${canary.port}/`

beforeAll(async () => {
  canary = await startServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
  own = await openBrowser({ allowlist: [new URL(origin).host] })
})

afterAll(async () => {
  await own.close()
  await canary.close()
  server.closeAllConnections()
  server.close()
})

/** One tab, with the first page. */
beforeEach(async () => {
  const { browser } = own
  const fresh = await browser.openTab({})
  for (const { id } of await browser.tabs()) if (id !== fresh.id) await browser.closeTab(id)
  await browser.act({ action: 'goto', url: origin })
})

const click = (text: string) => own.browser.act({ action: 'click', selector: `text="${text}"` })
const titles = async () => (await own.browser.tabs()).map(({ title }) => title)

test.each(['blank', 'named', 'form', 'opened', 'features', 'openerless'])(
  'a window (%s) is a tab, and the active one, when the act returns',
  async (kind) => {
    expect(await click(kind)).toMatchObject({ title: 'second' })
    expect(await own.browser.tabs()).toMatchObject([
      { title: 'home', active: false },
      { title: 'second', active: true },
    ])
    expect((await own.browser.snapshot()).snapshot).toContain('Back (button)')
  },
)

test('a named window is reused', async () => {
  await click('named')
  const [first] = await own.browser.tabs()
  await own.browser.activateTab(first?.id ?? '')
  await click('named')
  expect(await titles()).toEqual(['home', 'second'])
})

test('two windows opened by one act are two tabs', async () => {
  await click('two')
  expect((await titles()).toSorted()).toEqual(['home', 'second', 'third'])
})

test('a window opened a little later also becomes a tab', async () => {
  await click('late')
  await expect.poll(titles).toEqual(['home', 'second'])
})

test('a window can be written with document.write instead of loaded', async () => {
  await click('written')
  expect(await titles()).toEqual(['home', 'written'])
  expect(await click('In it')).toMatchObject({ title: 'written' })
})

test('a button that closes its own window works, and the opener becomes the active tab again', async () => {
  await click('opened')
  await click('Back')
  await expect.poll(() => own.browser.tabs()).toMatchObject([{ title: 'told', active: true }])
})

test('a window that closes at once leaves no tab, and the act succeeds', async () => {
  await click('brief')
  await expect.poll(() => own.browser.tabs()).toMatchObject([{ title: 'home', active: true }])
  expect(await click('opened')).toMatchObject({ title: 'second' })
})

test('a slow window becomes a tab', async () => {
  await click('slow')
  await expect.poll(titles).toEqual(['home', 'slow'])
})

test('a dialog in a new window is reported at once and can be answered there', async () => {
  await click('asks')
  await expect.poll(async () => (await own.browser.snapshot()).dialog).toMatchObject({ message: 'in a window' })
  await own.browser.act({ action: 'handle_dialog', accept: true })
  await expect.poll(titles).toEqual(['home', 'asks'])
})

test.each(['blocked', 'moved'])('a window that the guard refuses (%s) is reported as blocked', async (kind) => {
  expect(await click(kind).catch((thrown) => thrown)).toMatchObject({ code: 'blocked_url' })
  expect(canary.connections()).toBe(0)
})

test('a window on a file of this machine shows nothing', async () => {
  await click('file').catch(() => undefined)
  const tabs = await own.browser.tabs()
  expect(tabs.filter(({ url }) => url.startsWith('file:'))).toEqual([])
})

import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import type { Browser, TabUser } from '../../../runtime/ports/browser.ts'
import { defaultSetup } from '../../support/browser-setup.ts'
import { type OwnBrowser, openBrowser } from '../../support/own-browser.ts'

/** Shows who is signed in by cookie; `/cached` is answered once per cache, `/offline` by the service worker alone. */
const worker = `addEventListener('install', () => skipWaiting())
  addEventListener('activate', (event) => event.waitUntil(clients.claim()))
  addEventListener('fetch', (event) => event.request.url.endsWith('/offline') && event.respondWith(new Response('worker')))`

const links = `<a href=/file>here</a> <a href=/file target=_blank rel=noopener>a window of its own</a>`

let server: Server
let origin = ''
let served = 0
let own: OwnBrowser
const clock = createFakeClock()

const user = (kind: TabUser['kind'], owner_id: string): TabUser => ({
  kind,
  id: `${kind}_${owner_id}`,
  name: kind,
  owner_id,
})
let ada: Browser
let agent: Browser
let eve: Browser

beforeAll(async () => {
  server = createServer(({ url = '/', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost')
    const name = /sid=(\w+)/.exec(headers.cookie ?? '')?.[1] ?? 'nobody'
    const as = searchParams.get('as')
    served += 1
    response.writeHead(pathname === '/offline' ? 404 : 200, {
      'content-type': pathname === '/worker.js' ? 'text/javascript' : 'text/html',
      ...(as && { 'set-cookie': `sid=${as}; HttpOnly` }),
      ...(pathname === '/cached' && { 'cache-control': 'max-age=1000' }),
      ...(pathname === '/file' && { 'content-disposition': `attachment; filename=${name}.txt` }),
    })
    if (pathname === '/worker.js') response.end(worker)
    else response.end(pathname === '/cached' ? `${served}` : `<title>${as ?? name}</title>${pathname} ${links}`)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  origin = `http://localhost:${(server.address() as AddressInfo).port}`
  own = await openBrowser({ allowlist: ['localhost'], clock })
  ada = own.browser.as(user('person', 'ada'))
  agent = own.browser.as(user('conversation', 'ada'))
  eve = own.browser.as(user('person', 'eve'))
})

afterAll(async () => {
  await own.close()
  server.closeAllConnections()
  server.close()
})

beforeEach(async () => {
  await own.browser.close()
})

const goto = (browser: Browser, path = '/') => browser.act({ action: 'goto', url: `${origin}${path}` })
const signIn = async (browser: Browser, name: string) => {
  await goto(browser, `/?as=${name}`)
  await goto(browser)
}
const ask = (browser: Browser, path: string) => browser.evaluate(`fetch('${path}').then((it) => it.text())`)
const titles = async (browser: Browser) => (await browser.tabs()).map(({ title }) => title)
const names = async (browser: Browser) => (await browser.cookies()).map(({ value }) => value)

test('an owner’s agents share the cookies, storage, cache and service worker of the owner, and nobody else does', async () => {
  await signIn(ada, 'ada')
  await ada.evaluate(`localStorage.note = 'of ada'`)
  await ada.evaluate(
    `navigator.serviceWorker.register('/worker.js').then(() => navigator.serviceWorker.ready).then(() => 1)`,
  )
  const cached = await ask(ada, '/cached')
  const seen = async (browser: Browser) => [
    (await goto(browser)).title,
    await browser.evaluate('localStorage.note ?? null'),
    (await ask(browser, '/cached')) === cached,
    await ask(browser, '/offline'),
    await names(browser),
  ]
  expect(await seen(agent)).toEqual(['ada', 'of ada', true, 'worker', ['ada']])
  expect(await seen(eve)).toEqual(['nobody', null, false, expect.stringContaining('/offline'), []])
  await signIn(eve, 'eve')
  expect([await names(ada), await names(eve), await own.browser.cookies()]).toEqual([['ada'], ['eve'], []])
})

test('mocks and the HAR are those of the owner', async () => {
  await goto(ada)
  await goto(eve)
  await ada.mock({ url_pattern: '**/api', status_code: 200, body: 'mock of ada', headers: {} })
  await ada.startHar()
  await goto(ada, '/?of-ada')
  await goto(agent, '/?of-agent')
  await goto(eve, '/?before')
  expect(await Promise.all([ada, agent, eve].map((browser) => ask(browser, '/api')))).toEqual([
    'mock of ada',
    'mock of ada',
    expect.stringContaining('/api'),
  ])
  expect([eve.status().mocks, eve.status().har]).toEqual([[], null])
  expect(agent.status()).toMatchObject({ mocks: [{ body: 'mock of ada' }], har: expect.anything() })
  expect([await eve.clearMocks(), await eve.stopHar({ keep_credentials: false })]).toEqual([0, null])
  await eve.startHar()
  await goto(eve, '/?of-eve')
  const addresses = async (browser: Browser) => JSON.stringify(await browser.stopHar({ keep_credentials: false }))
  const [ofAda, ofEve] = [await addresses(ada), await addresses(eve)]
  const visited = (har: string) => ['?of-ada', '?of-agent', '?before', '?of-eve'].filter((it) => har.includes(it))
  expect([visited(ofAda), visited(ofEve)]).toEqual([['?of-ada', '?of-agent'], ['?of-eve']])
  expect(await ada.clearMocks()).toBe(1)
})

test('restoring, clearing and closing leave another owner’s tabs and cookies', async () => {
  await signIn(ada, 'ada')
  await goto(agent)
  await signIn(eve, 'eve')
  await eve.evaluate('window.untouched = true')
  const state = await ada.storageState()
  expect(JSON.stringify(state)).not.toContain('eve')
  await ada.clearCookies()
  expect([await names(ada), await names(eve)]).toEqual([[], ['eve']])
  await ada.restoreState(state)
  expect(await titles(ada)).toEqual(['ada', 'ada'])
  expect(await ada.close()).toBe(false)
  expect([await titles(ada), await names(ada)]).toEqual([[], []])
  expect([await titles(eve), await names(eve), await eve.evaluate('window.untouched')]).toEqual([
    ['eve'],
    ['eve'],
    true,
  ])
  await goto(ada)
  expect(await titles(ada)).toEqual(['nobody'])
  await ada.close()
  expect(await eve.close()).toBe(true)
  expect(own.browser.status().running).toBe(false)
})

test('two owners who download from one address get a file each', async () => {
  for (const [browser, name, link] of [
    [ada, 'ada', 'a window of its own'],
    [eve, 'eve', 'here'],
  ] as const) {
    await signIn(browser, name)
    await browser.act({ action: 'click', selector: `text=${link}` })
    await expect.poll(() => own.browser.downloads()[0]).toMatchObject({ name: `${name}.txt`, status: 'done' })
  }
  expect(ada.downloads().every(({ name }) => name === 'ada.txt')).toBe(true)
  expect(eve.downloads()).toMatchObject([{ name: 'eve.txt' }])
})

test('a client that closes its tabs leaves those of its owner signed in', async () => {
  await signIn(ada, 'ada')
  await goto(agent)
  expect(await agent.close()).toBe(false)
  expect([await titles(ada), await names(ada)]).toEqual([['ada'], ['ada']])
})

test('whoever closes the browser last leaves the cookies of others for the next one', async () => {
  await signIn(ada, 'ada')
  await signIn(eve, 'eve')
  const [tab] = await eve.tabs()
  await eve.closeTab(tab?.id ?? '')
  expect(await ada.close()).toBe(true)
  expect([await names(ada), await names(eve)]).toEqual([[], ['eve']])
})

test('another identity reopens the tabs of every owner, each with its cookies', async () => {
  await signIn(ada, 'ada')
  await signIn(eve, 'eve')
  const profile = { ...defaultSetup.profile, user_agent: 'mine' }
  await own.browser.configure({ ...defaultSetup, profile })
  const seen = (browser: Browser) => browser.evaluate('[document.title, navigator.userAgent]')
  expect([await seen(ada), await seen(eve)]).toEqual([
    ['ada', 'mine'],
    ['eve', 'mine'],
  ])
  await own.browser.configure(defaultSetup)
})

test('the browser that closes when idle keeps the cookies and storage of every owner', async () => {
  for (const [browser, name] of [
    [ada, 'ada'],
    [eve, 'eve'],
  ] as const) {
    await signIn(browser, name)
    await browser.evaluate(`localStorage.note = '${name}'`)
  }
  const idle = async () => {
    await clock.advance(10 * 60_000)
    await expect.poll(() => own.browser.status().running).toBe(false)
  }
  await idle()
  expect((await goto(ada)).title).toBe('ada')
  // Eve has not used the browser in between.
  await idle()
  for (const [browser, name] of [
    [ada, 'ada'],
    [eve, 'eve'],
  ] as const) {
    expect((await goto(browser)).title).toBe(name)
    expect(await browser.evaluate('localStorage.note')).toBe(name)
  }
})

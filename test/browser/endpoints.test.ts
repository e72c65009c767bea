import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createClock } from '../../adapters/clock/clock.ts'
import { noBrowser } from '../../adapters/memory/browser.ts'
import { createMemoryFiles } from '../../adapters/memory/files.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import * as page from '../../handlers/browser/page.ts'
import * as session from '../../handlers/browser/session.ts'
import * as browserSettings from '../../handlers/browser/settings.ts'
import * as traffic from '../../handlers/browser/traffic.ts'
import * as files from '../../handlers/files/files.ts'
import { settings as settingsArea } from '../../handlers/settings/index.ts'
import { sections } from '../../handlers/settings/sections.ts'
import type { Caller } from '../../runtime/auth/caller.ts'
import { ActionResult, BrowserStatus } from '../../runtime/browser/schema.ts'
import { BrowserConfig, readSetup } from '../../runtime/browser/settings.ts'
import { Snapshot } from '../../runtime/tabs/schema.ts'
import { call } from '../support/call.ts'
import { adminCaller, testHost } from '../support/host.ts'
import { type OwnBrowser, openBrowser } from '../support/own-browser.ts'

const home = `<title>home</title><h1>Hello</h1><button onclick="console.warn('pressed')">Press</button>
  <a download="notes.txt" href="/notes">notes</a><input type="file"><button disabled>Off</button>`

let server: Server
let origin = ''
let own: OwnBrowser
let host: MemoryHost

beforeAll(async () => {
  server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(home))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const files = createMemoryFiles(createClock())
  own = await openBrowser({ allowlist: ['127.0.0.1'], files })
  host = await testHost({ browser: own.browser, files })
})

afterAll(async () => {
  await own.close()
  server.closeAllConnections()
  server.close()
})

const writer = { ...adminCaller, scopes: ['read', 'write'] as const }
const reader = { ...adminCaller, scopes: ['read'] as const }
const act = (body: unknown) => call(page.act, host, { body })
const visit = () => act({ action: 'goto', url: `${origin}/` })

test('nothing runs before the first act, and close ends it', async () => {
  const idle = {
    running: false,
    backend: 'managed',
    current_url: null,
    tabs: 0,
    uptime_seconds: 0,
    har: null,
    mocks: 0,
    dialogs: [],
    recording_id: null,
    replay_id: null,
    screen_recording_id: null,
    taken_by: null,
  }
  expect(BrowserStatus.parse(await (await call(session.status, host)).json())).toEqual(idle)
  expect(await (await call(page.listTabs, host)).json()).toEqual({ tabs: [] })
  await visit()
  const running = { running: true, current_url: `${origin}/`, tabs: 1 }
  expect(await (await call(session.status, host)).json()).toMatchObject(running)
  expect(await (await call(session.close, host)).json()).toEqual({ closed: true })
  expect(await (await call(session.status, host)).json()).toMatchObject({ running: false })
  expect(await (await call(session.close, host)).json()).toEqual({ closed: false })
  await expect.poll(() => host.events).toEqual(expect.arrayContaining(['browser.opened', 'browser.closed']))
})

test('an act returns the location of the page, and a snapshot if configured', async () => {
  const plain = ActionResult.parse(await (await visit()).json())
  expect(plain).toMatchObject({ success: true, action: 'goto', url: `${origin}/`, title: 'home' })
  expect(plain.snapshot).toBeUndefined()
  await call(browserSettings.updateConfig, host, { body: { auto_snapshot: true } })
  const shown = ActionResult.parse(await (await visit()).json())
  expect(shown.snapshot).toContain('[1] Press (button)')
  await call(browserSettings.updateConfig, host, { body: { auto_snapshot: false } })
})

test('a failed act is a 422 with a hint', async () => {
  await visit()
  const missing = await act({ action: 'click', selector: '#none', timeout_ms: 200 })
  expect(missing.status).toBe(422)
  expect(await missing.json()).toMatchObject({ status: 422, code: 'element_not_found', hint: /snapshot/ })
  const blocked = await act({ action: 'goto', url: 'http://10.0.0.1/' })
  expect(blocked.status).toBe(422)
  expect(await blocked.json()).toMatchObject({ code: 'blocked_url' })
  expect((await act({ action: 'dance' })).status).toBe(422)
})

test('snapshot, text, picture, PDF and script', async () => {
  await visit()
  const snapshot = Snapshot.parse(await (await call(page.snapshot, host)).json())
  expect(snapshot).toMatchObject({ url: `${origin}/`, title: 'home', truncated: false, dialog: null })
  expect(snapshot.snapshot.split('\n')).toHaveLength(snapshot.element_count)
  expect(await (await call(page.text, host)).json()).toMatchObject({ title: 'home', text: /Hello/ })
  const png = await call(page.screenshot, host)
  expect(png.headers.get('content-type')).toBe('image/png')
  expect([...new Uint8Array(await png.arrayBuffer()).slice(1, 4)]).toEqual([0x50, 0x4e, 0x47])
  const jpeg = await call(page.takeScreenshot, host, { body: { format: 'jpeg', quality: 40 } })
  expect(jpeg.headers.get('content-type')).toBe('image/jpeg')
  expect([...new Uint8Array(await jpeg.arrayBuffer()).slice(0, 2)]).toEqual([0xff, 0xd8])
  expect((await call(page.takeScreenshot, host, { body: { format: 'bmp' } })).status).toBe(422)
  expect(await (await call(page.pdf, host)).text()).toMatch(/^%PDF-/)
  const result = await call(page.evaluate, host, { body: { expression: '({ sum: 1 + 1 })' } })
  expect(await result.json()).toEqual({ result: { sum: 2 } })
  expect((await call(page.evaluate, host, { body: { expression: '1' }, caller: writer as never })).status).toBe(403)
  expect((await call(page.evaluate, host, { body: { expression: 'nothing.at' } })).status).toBe(422)
})

test('tabs are opened, activated and closed', async () => {
  await visit()
  const made = await call(page.openTab, host, { body: { url: `${origin}/`, activate: false } })
  expect(made.status).toBe(201)
  const tab = await made.json()
  expect(tab).toMatchObject({ url: `${origin}/`, title: 'home', active: false })
  const active = await call(page.activateTab, host, { params: { tab_id: tab.id } })
  expect(await active.json()).toMatchObject({ id: tab.id, active: true })
  expect(await (await call(page.closeTab, host, { params: { tab_id: tab.id } })).json()).toEqual({
    deleted: true,
    id: tab.id,
  })
  expect((await call(page.closeTab, host, { params: { tab_id: tab.id } })).status).toBe(404)
  expect((await call(page.openTab, host, { body: { url: 'http://192.168.0.1/' } })).status).toBe(422)
})

test('each user sets, lists and clears their own cookies; read-only callers see no values', async () => {
  const body = { cookies: [{ name: 'a', value: 'secret', url: origin }] }
  expect((await call(session.addCookies, host, { body })).status).toBe(201)
  expect(await (await call(session.listCookies, host)).json()).toMatchObject({
    cookies: [{ name: 'a', value: 'secret' }],
  })
  const seen = await call(session.listCookies, host, { caller: reader as never })
  expect(await seen.json()).toMatchObject({ cookies: [{ name: 'a', value: '' }] })
  const eve = { caller: { ...adminCaller, user_id: 'eve', role: 'user', scopes: ['read', 'write'] } as never }
  const own = async () => (await (await call(session.listCookies, host, eve)).json()).cookies
  expect(await own()).toEqual([])
  const theirs = { cookies: [{ name: 'a', value: 'of eve', url: origin }] }
  expect((await call(session.addCookies, host, { ...eve, body: theirs })).status).toBe(201)
  expect(await own()).toMatchObject([{ value: 'of eve' }])
  expect((await call(session.addCookies, host, { body: { cookies: [{ name: 'a', value: 'b' }] } })).status).toBe(422)
  await call(session.clearCookies, host)
  expect(await (await call(session.listCookies, host)).json()).toEqual({ cookies: [] })
  expect(await own()).toMatchObject([{ value: 'of eve' }])
})

test('a saved session is sealed, and can be restored', async () => {
  await visit()
  await own.browser.evaluate(`document.cookie = 'user=ada-secret'; localStorage.token = 'token-secret'`)
  const kept = await call(session.saveState, host, { body: { name: 'shop' } })
  expect(kept.status).toBe(201)
  expect(await kept.json()).toMatchObject({ name: 'shop', cookies: 1, origins: [origin] })
  const rows = await host.sql.read<{ sealed: string }>('SELECT * FROM browser_auth_states')
  expect(JSON.stringify(rows)).not.toMatch(/ada-secret|token-secret/)
  await call(session.close, host)
  expect((await call(session.restoreState, host, { params: { name: 'shop' } })).status).toBe(200)
  await visit()
  expect(await own.browser.evaluate('[document.cookie, localStorage.token]')).toEqual([
    'user=ada-secret',
    'token-secret',
  ])
  expect(await (await call(session.listSavedStates, host)).json()).toMatchObject({
    total: 1,
    auth_states: [{ name: 'shop' }],
  })
  expect((await call(session.removeState, host, { params: { name: 'shop' } })).status).toBe(200)
  expect((await call(session.restoreState, host, { params: { name: 'shop' } })).status).toBe(404)
  for (const name of ['', '../x', 'a/b', ' a', 'a'.repeat(65)])
    expect((await call(session.saveState, host, { body: { name } })).status).toBe(422)
})

test('configuration and settings are the same; the host lists are for administrators', async () => {
  expect(BrowserConfig.parse(await (await call(browserSettings.showConfig, host)).json())).toEqual(
    await (await call(sections.browser.show, host)).json(),
  )
  await call(sections.browser.update, host, { body: { stream_quality: 33 } })
  expect(await (await call(browserSettings.showConfig, host)).json()).toMatchObject({ stream_quality: 33 })
  const lists = { ssrf_allowlist: ['nas.lan'] }
  expect((await call(browserSettings.updateConfig, host, { body: lists, caller: writer as never })).status).toBe(403)
  expect(
    (await call(browserSettings.updateConfig, host, { body: { headless: true }, caller: writer as never })).status,
  ).toBe(200)
  expect((await call(browserSettings.updateConfig, host, { body: { ssrf_blocklist: ['no host'] } })).status).toBe(422)
  expect((await call(browserSettings.updateConfig, host, { body: { stream_fps: 3 } })).status).toBe(422)
  await visit()
  await call(browserSettings.updateConfig, host, { body: { ssrf_blocklist: ['127.0.0.1'] } })
  expect(await (await visit()).json()).toMatchObject({ code: 'blocked_url' })
  await call(browserSettings.updateConfig, host, { body: { ssrf_blocklist: [] } })
  expect((await visit()).status).toBe(200)
})

test('the identity and the device are the same as in the settings', async () => {
  await call(sections.browser_profile.update, host, { body: { locale: 'it-IT' } })
  expect(await (await call(browserSettings.showProfile, host)).json()).toMatchObject({ locale: 'it-IT' })
  await call(browserSettings.changeProfile, host, { body: { locale: null } })
  expect(await (await call(sections.browser_profile.show, host)).json()).toMatchObject({ locale: null })
  const device = { emulation: { preset: 'Pixel 7' } }
  expect(await (await call(sections.browser_emulation.update, host, { body: device })).json()).toEqual(device)
  expect(await (await call(browserSettings.showEmulation, host)).json()).toMatchObject(device)
  const wrong = await call(sections.browser_emulation.update, host, {
    body: { emulation: { preset: 'Pixle 7' } },
  })
  expect(wrong.status).toBe(422)
  await call(browserSettings.emulate, host, { body: {} })
  expect(await (await call(sections.browser_emulation.show, host)).json()).toEqual({ emulation: null })
})

test('pages have the language of the interface, unless the browser has its own', async () => {
  await visit()
  await call(sections.interface.update, host, { body: { language: 'de-AT' } })
  await visit()
  expect(await own.browser.evaluate('navigator.language')).toBe('de-AT')
  await call(sections.interface.update, host, { body: { language: 'system' } })
  await visit()
  expect(await own.browser.evaluate('navigator.language')).toBe('en-US')
})

test('HTTP credentials are sealed, never shown, and kept when the site is saved without a password', async () => {
  const update = (sites: unknown, caller = adminCaller) =>
    call(sections.browser_credentials.update, host, { body: { sites }, caller })
  const site = { origin: 'https://shop.example/', username: 'ada' }
  expect((await update([site])).status).toBe(422)
  expect((await update([{ ...site, password: 'x' }], writer as never)).status).toBe(403)
  const shown = { sites: [{ ...site, origin: 'https://shop.example', password: { configured: true } }] }
  expect(await (await update([{ ...site, password: 'correct horse' }])).json()).toEqual(shown)
  expect(await (await update([site])).json()).toEqual(shown)
  expect(JSON.stringify(await host.sql.read('SELECT * FROM settings'))).not.toContain('correct horse')
  expect((await readSetup(host)).credentials).toEqual([
    { origin: 'https://shop.example', username: 'ada', password: 'correct horse' },
  ])
  // A password is for one origin and user name.
  for (const other of [{ origin: 'https://other.example' }, { username: 'eve' }])
    expect((await update([{ ...site, ...other }])).status).toBe(422)
  expect((await update([{ ...site, origin: 'file:///etc' }])).status).toBe(422)
  expect(await (await update([])).json()).toEqual({ sites: [] })
})

test('every settings section has its own path', () => {
  const places = settingsArea.map(({ method, path }) => `${method} ${path}`)
  for (const name of Object.keys(sections))
    for (const method of ['GET', 'PUT']) expect(places).toContain(`${method} /api/settings/${name}`)
})

test('a device is chosen by name or properties, and for an unknown one similar names are listed', async () => {
  await visit()
  expect(await (await call(browserSettings.emulate, host, { body: { preset: 'iPhone 13' } })).json()).toEqual({
    preset: 'iPhone 13',
  })
  expect(await own.browser.evaluate('navigator.userAgent')).toContain('iPhone')
  const viewport = { width: 500, height: 400 }
  await call(browserSettings.emulate, host, { body: { viewport } })
  expect(await own.browser.evaluate('[innerWidth, innerHeight]')).toEqual([500, 400])
  const unknown = await call(browserSettings.emulate, host, { body: { preset: 'iphone 13 maxi' } })
  expect(unknown.status).toBe(422)
  expect((await unknown.json()).message).toContain('iPhone 13')
  await call(browserSettings.emulate, host, { body: {} })
  expect(await own.browser.evaluate('innerWidth')).toBe(1280)
  await call(browserSettings.changeProfile, host, { body: { locale: 'fr-FR' } })
  expect(await own.browser.evaluate('navigator.language')).toBe('fr-FR')
  expect((await call(browserSettings.changeProfile, host, { body: { timezone: 'Mars/One' } })).status).toBe(422)
  await call(browserSettings.changeProfile, host, { body: { locale: null } })
})

test('the console redacts secrets in addresses', async () => {
  await visit()
  await own.browser.evaluate(`void console.log('no answer from wss://example.com/live?token=abcdef123456&room=7')`)
  const last = async () => (await (await call(traffic.console, host)).json()).messages.at(-1)
  await expect
    .poll(async () => (await last())?.text)
    .toBe('no answer from wss://example.com/live?token=[redacted]&room=7')
})

test('console, downloads and uploads', async () => {
  await visit()
  await act({ action: 'click', selector: 'text=Press' })
  await expect
    .poll(async () => (await (await call(traffic.console, host)).json()).messages.at(-1))
    .toMatchObject({ level: 'warning', text: 'pressed' })
  await act({ action: 'click', selector: 'text=notes' })
  const list = async () => (await (await call(traffic.downloads, host)).json()).downloads
  await expect.poll(list).toMatchObject([{ name: 'notes.txt', status: 'done', size_bytes: home.length }])
  const [{ id }] = await list()
  const content = await call(traffic.downloadContent, host, { params: { id } })
  expect(content.headers.get('content-disposition')).toContain('notes.txt')
  expect(await content.text()).toBe(home)
  expect((await call(traffic.deleteDownload, host, { params: { id } })).status).toBe(200)
  expect((await call(traffic.downloadContent, host, { params: { id } })).status).toBe(404)
  expect((await call(traffic.deleteDownload, host, { params: { id } })).status).toBe(404)
  expect(await list()).toEqual([])
  const form = new FormData()
  form.set('selector', 'input')
  form.set('file', new File(['hello'], 'hello.txt', { type: 'text/plain' }))
  expect(await (await call(traffic.upload, host, { body: form })).json()).toEqual({ uploaded: ['hello.txt'] })
  expect(await own.browser.evaluate(`document.querySelector('input').files[0].text()`)).toBe('hello')
})

test('downloads of earlier runs, whose owner is unknown, are for administrators', async () => {
  const id = `dl_${'0'.repeat(32)}`
  await host.files.write('downloads', `${id}/old.txt`, new TextEncoder().encode('old'))
  const ben = { ...adminCaller, id: 'key_ben', user_id: 'user_ben', scopes: ['read', 'write'] as const }
  const names = async (caller: Caller) =>
    (await (await call(traffic.downloads, host, { caller })).json()).downloads.map((one: { id: string }) => one.id)

  expect(await names(adminCaller)).toContain(id)
  expect(await names({ ...ben, scopes: [...ben.scopes] })).not.toContain(id)
  const caller: Caller = { ...ben, scopes: [...ben.scopes] }
  expect((await call(traffic.downloadContent, host, { caller, params: { id } })).status).toBe(404)
  expect((await call(traffic.deleteDownload, host, { caller, params: { id } })).status).toBe(404)
  expect((await call(traffic.deleteDownload, host, { params: { id } })).status).toBe(200)
})

test('a machine without Chromium reports which pack to install', async () => {
  const { BrowserMissing } = await import('../../runtime/ports/browser.ts')
  const act = async () => {
    throw new BrowserMissing('There is no Chromium on this machine')
  }
  const bare = await testHost({ browser: { ...noBrowser, act } })
  const answer = await call(page.act, bare, { body: { action: 'reload' } })
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({ pack: 'browser-chromium', message: /browser-chromium/ })
})

test('invalid input is refused with a hint', async () => {
  await visit()
  const selector = await act({ action: 'click', selector: '>>>!!', timeout_ms: 200 })
  expect(selector.status).toBe(422)
  expect(await selector.json()).toMatchObject({ message: /selector cannot be read/, hint: /CSS/ })
  const silent = await act({ action: 'type_text', selector: 'button' })
  expect(await silent.json()).toMatchObject({ status: 422, code: 'not_enabled', hint: /text/ })
  const nowhere = await act({ action: 'wait_for_navigation', timeout_ms: 100 })
  expect(await nowhere.json()).toMatchObject({ code: 'timeout', message: 'No other page opened in time' })
  const cookie = await call(session.addCookies, host, {
    body: { cookies: [{ name: 'a', value: 'b', url: 'nonsense' }] },
  })
  expect(cookie.status).toBe(422)
  expect(await cookie.json()).toMatchObject({ hint: /http/ })
})

test('a mock with an invalid header is refused, because its pages would wait forever', async () => {
  for (const headers of [{ 'bad\nname': 'x' }, { '': 'x' }, { 'x-a': 'one\r\ntwo' }]) {
    const refused = await call(traffic.addMock, host, { body: { url_pattern: '**/api', headers } })
    expect(refused.status).toBe(422)
  }
  expect(await (await call(traffic.listMocks, host)).json()).toEqual({ mocks: [] })
})

test('the status includes the archive, the mocks and open dialogs; mocks are listed', async () => {
  await visit()
  await call(traffic.startHar, host)
  await call(traffic.addMock, host, { body: { url_pattern: '**/api' } })
  await own.browser.evaluate(`setTimeout(() => confirm('Sure?')), 1`)
  const told = async () => BrowserStatus.parse(await (await call(session.status, host)).json())
  const [tab] = await own.browser.tabs()
  await expect
    .poll(async () => (await told()).dialogs)
    .toEqual([{ tab_id: tab?.id, type: 'confirm', message: 'Sure?', default_value: '' }])
  expect(await told()).toMatchObject({ har: { entries: expect.any(Number) }, mocks: 1 })
  expect(await (await call(traffic.listMocks, host)).json()).toMatchObject({
    mocks: [{ url_pattern: '**/api' }],
  })
  await act({ action: 'handle_dialog', accept: false })
  await call(traffic.stopHar, host)
  await call(traffic.clearMocks, host)
  expect(await told()).toMatchObject({ har: null, mocks: 0, dialogs: [] })
})

test('files go to the field that belongs to a label or a button', async () => {
  await visit()
  await own.browser.evaluate(`document.body.innerHTML =
    '<label id=l>Photo <input type=file style="display:none" id=one></label>' +
    '<button id=ask onclick="two.click()">Attach</button><input type=file hidden id=two><button id=no>No</button>'`)
  const give = (selector: string) => {
    const form = new FormData()
    form.append('selector', selector)
    form.append('file', new File(['hi'], 'hi.txt'))
    return call(traffic.upload, host, { body: form })
  }
  expect((await give('#l')).status).toBe(200)
  expect((await give('#ask')).status).toBe(200)
  expect(await own.browser.evaluate('[one.files[0].name, two.files[0].name]')).toEqual(['hi.txt', 'hi.txt'])
  expect(await (await give('#no')).json()).toMatchObject({ code: 'not_enabled' })
})

test('files of the files area are uploaded by their ids', async () => {
  await visit()
  const form = new FormData()
  form.set('file', new File(['kept here'], 'kept.txt', { type: 'text/plain' }))
  const { id } = await (await call(files.create, host, { body: form })).json()
  const body = { selector: 'input[type=file]', file_ids: [id] }
  expect(await (await call(traffic.upload, host, { body })).json()).toEqual({ uploaded: ['kept.txt'] })
  const read = `(async () => { const [file] = document.querySelector('input').files; return [file.name, file.type, await file.text()] })()`
  expect(await own.browser.evaluate(read)).toEqual(['kept.txt', 'text/plain', 'kept here'])
  const unknown = await call(traffic.upload, host, { body: { ...body, file_ids: ['file_none'] } })
  expect(unknown.status).toBe(404)
})

test('the main content of a page comes first in its text', async () => {
  await visit()
  await own.browser.evaluate(`document.body.innerHTML = '<nav>Menu</nav><main>Article</main><p>Foot</p>'`)
  expect(await (await call(page.text, host)).json()).toMatchObject({ text: 'Article\n\nMenu\n\nFoot' })
})

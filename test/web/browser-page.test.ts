import { mkdirSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { unpackedChromium } from '../support/browser.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

/** A page whose title shows what was done on it. */
const shop = `<!doctype html><title>Tea shop</title>
<style>body { margin: 0; font: 16px sans-serif; background: #0b7a4b; color: #fff }
#name { position: absolute; left: 100px; top: 300px; width: 300px; height: 40px }</style>
<h1>Tea shop</h1><button id="tea" onclick="document.title = 'Tea ordered'">Order tea</button>
<button onclick="document.title = 'Said ' + confirm('Really cancel?')">Cancel the order</button>
<a href="/list.csv" download>Price list</a>
<input type="file" id="photo" aria-label="Photo" onchange="document.title = 'Photo ' + files[0].name">
<input id="name" aria-label="Your name" oninput="document.title = 'Hello ' + this.value">
<script>console.warn('out of oolong'); fetch('/prices')</script>
<img src="http://10.255.255.1/x.png" alt="">`

let ui: Ui
let server: Server
let address: string
const pathBefore = process.env.PATH

beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  // The daemon takes the first Chromium that it finds.
  process.env.PATH = `${await unpackedChromium()}:${pathBefore}`
  server = createServer(({ url }, response) => {
    if (url === '/list.csv') return response.writeHead(200, { 'content-type': 'text/csv' }).end('tea,3\n')
    if (url === '/prices') return response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
    response.writeHead(200, { 'content-type': 'text/html' }).end(shop)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  ui = await startUi()
  await ui.api('PUT', '/api/browser/config', { ssrf_allowlist: ['127.0.0.1'] })
})
afterAll(async () => {
  process.env.PATH = pathBefore
  await ui[Symbol.asyncDispose]()
  server.closeAllConnections()
  server.close()
})

/** Fails until the middle of the live view has a colour; the shop is green. */
const painted = (page: Page) =>
  page.waitForFunction(() => {
    const canvas = document.querySelector('canvas')
    const [red = 0, green = 0, blue = 0] =
      canvas?.getContext('2d')?.getImageData(canvas.width >> 1, canvas.height - 20, 1, 1).data ?? []
    return green > 90 && red < 60 && blue < 110
  })

const panel = (page: Page, name: string) =>
  page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name }).click()

const activeTab = (page: Page, title: string | RegExp) =>
  page.getByRole('navigation', { name: 'Tabs' }).getByRole('button', { name: title }).first()

async function openShop(page: Page): Promise<void> {
  await page.getByRole('textbox', { name: 'Address', exact: true }).fill(address)
  await page.keyboard.press('Enter')
  await activeTab(page, 'Tea shop').waitFor()
  await painted(page)
}

test('a closed browser starts with an address, is shown live, and is used through its snapshot', async () => {
  const page = await ui.open('/browser')
  await page.getByRole('heading', { name: 'The browser is closed' }).waitFor()
  await expectAccessible(page)
  await openShop(page)

  const lines = page.getByRole('list', { name: 'Elements of the page' })
  await lines.getByRole('button', { name: 'Order tea' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Search elements' }).fill('order tea')
  await expect.poll(() => lines.getByRole('button').count()).toBe(1)
  await lines.getByRole('button', { name: 'Order tea' }).click()
  await activeTab(page, 'Tea ordered').waitFor()

  await page.getByRole('link', { name: 'Actions' }).click()
  const log = page.getByRole('list', { name: 'Action log' })
  await log.getByText('“Order tea”').waitFor()
  await expectAccessible(page)
  await page.context().close()
})

test('loads at most 200 KB of script, gzipped', async () => {
  const page = await ui.open('/browser')
  await page.getByRole('button', { name: 'Close browser' }).waitFor()
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.js')),
  )
  const sizes = scripts.map(async (url) => gzipSync(await (await fetch(url)).bytes(), { level: 9 }).byteLength)
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  expect(total).toBeLessThanOrEqual(200 * 1024)
  await page.context().close()
})

test('tabs are opened, chosen and closed', async () => {
  const page = await ui.open('/browser')
  await openShop(page)
  const tabs = page.getByRole('navigation', { name: 'Tabs' })
  await page.getByRole('button', { name: 'New tab', exact: true }).last().click()
  const second = tabs.getByRole('button', { name: /^Close tab/ }).nth(1)
  await second.waitFor()
  await page.getByRole('list', { name: 'Elements of the page' }).getByText('This page has no elements').waitFor()
  await activeTab(page, 'Tea shop').click()
  await page.getByRole('list', { name: 'Elements of the page' }).getByText('Order tea').waitFor()
  await tabs
    .getByRole('button', { name: /^Close tab/ })
    .last()
    .click()
  await expect.poll(() => tabs.getByRole('button', { name: /^Close tab/ }).count()).toBe(1)
  await page.context().close()
})

test('actions of an agent are shown, and the numbers of an older snapshot are not used', async () => {
  const page = await ui.open('/browser')
  await openShop(page)
  const line = page.getByRole('list', { name: 'Elements of the page' }).getByRole('button', { name: 'Order tea' })
  await line.waitFor()
  await ui.api('POST', '/api/browser/action', { action: 'type_text', selector: '#name', text: 'Marvin' })
  await activeTab(page, 'Hello Marvin').waitFor()
  await page.getByText('The page has changed since this snapshot').waitFor()
  expect(await line.isDisabled()).toBe(true)
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'browser-outdated.png') })
  await page.getByRole('button', { name: 'Refresh' }).first().click()
  await page.getByText('The page has changed since this snapshot').waitFor({ state: 'detached' })
  expect(await line.isEnabled()).toBe(true)
  await page.getByRole('switch', { name: 'Changes only' }).click({ force: true })
  await page.getByRole('button', { name: /Your name \(textbox.*Marvin/ }).waitFor()
  expect(await line.count()).toBe(0)
  await page.context().close()
})

test('a dialog is answered, and a failure says what to do', async () => {
  const page = await ui.open('/browser/actions')
  await page.getByRole('textbox', { name: 'Element' }).fill('text=Cancel the order')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const dialog = page.getByRole('alert').filter({ hasText: 'Really cancel?' })
  await dialog.getByRole('button', { name: 'Dismiss' }).click()
  await activeTab(page, 'Said false').waitFor()
  await dialog.waitFor({ state: 'detached' })

  await page.getByRole('textbox', { name: 'Element' }).fill('999')
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const failure = page.getByRole('alert').filter({ hasText: 'Action failed' })
  await failure.getByText('stale_index').waitFor()
  await failure
    .getByText(/snapshot/i)
    .first()
    .waitFor()
  await expectAccessible(page)
  await failure.getByRole('button', { name: 'Dismiss' }).click()

  await page.getByRole('textbox', { name: 'Address', exact: true }).fill('http://10.0.0.1/')
  await page.keyboard.press('Enter')
  await failure.getByText('blocked_url').waitFor()
  await page.context().close()
})

test('a person in control uses the page with mouse and keyboard', async () => {
  const page = await ui.open('/browser')
  await openShop(page)
  const canvas = page.locator('canvas')
  const before = await canvas.boundingBox()
  await canvas.click({ position: { x: 5, y: 5 } })
  await page.getByRole('switch', { name: 'Take control' }).click({ force: true })
  const field = page.getByRole('textbox', { name: /^Browser page/ })
  await field.waitFor()
  const { width = 0, height = 0 } = before ?? {}
  // The field lies around 250, 320 of a page that is 1280 by 720.
  await field.click({ position: { x: (250 / 1280) * width, y: (320 / 720) * height } })
  await page.keyboard.type('Ada')
  await activeTab(page, 'Hello Ada').waitFor()
  await page.keyboard.press('Backspace')
  await page.keyboard.insertText('élaïde')
  await activeTab(page, 'Hello Adélaïde').waitFor()
  await page.getByText('You are in control', { exact: true }).last().waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'browser-taken.png') })
  await page.keyboard.press('Shift+Escape')
  await field.waitFor({ state: 'detached' })
  await page.context().close()
})

test('text from an input method and pasted text arrive complete', async () => {
  const page = await ui.open('/browser')
  await openShop(page)
  await page.getByRole('switch', { name: 'Take control' }).click({ force: true })
  const field = page.getByRole('textbox', { name: /^Browser page/ })
  const { width = 0, height = 0 } = (await page.locator('canvas').boundingBox()) ?? {}
  await field.click({ position: { x: (250 / 1280) * width, y: (320 / 720) * height } })
  const keyboard = await page.context().newCDPSession(page)
  await keyboard.send('Input.imeSetComposition', { text: 'にほん', selectionStart: 3, selectionEnd: 3 })
  await keyboard.send('Input.insertText', { text: '日本' })
  await activeTab(page, 'Hello 日本').waitFor()
  await field.evaluate((field) => {
    const clipboardData = new DataTransfer()
    clipboardData.setData('text/plain', ' tea 🍵')
    field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
  })
  await activeTab(page, 'Hello 日本 tea 🍵').waitFor()
  await page.context().close()
})

test('on a phone a tap clicks, and others see who is in control', async () => {
  const phone = await ui.open('/browser', {
    hasTouch: true,
    isMobile: true,
    viewport: { width: 390, height: 844 },
  })
  const other = await ui.open('/browser')
  await openShop(other)
  await painted(phone)
  await phone.getByRole('switch', { name: 'Take control' }).click({ force: true })
  await other.getByText('Ada is in control').waitFor()
  const box = (await phone.locator('canvas').boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 }
  // The first button lies at the left, below the heading.
  await phone.touchscreen.tap(box.x + (40 / 1280) * box.width, box.y + (91 / 720) * box.height)
  await activeTab(other, 'Tea ordered').waitFor()
  await phone.screenshot({ path: join(folder, 'browser-taken-phone.png') })
  await phone.getByRole('switch', { name: 'Take control' }).click({ force: true })
  await other.getByText('Ada is in control').waitFor({ state: 'detached' })
  await phone.context().close()
  await other.context().close()
})

test('actions are recorded and replayed step by step, with a screen recording', async () => {
  const page = await ui.open('/browser/recordings')
  await openShop(page)
  await page.getByText('No recordings').waitFor()
  await page.getByRole('textbox', { name: 'Recording name' }).fill('Order tea')
  await page.getByRole('button', { name: 'Record', exact: true }).click()
  await page.getByText('Recording “Order tea”').waitFor()
  await page.getByRole('link', { name: 'Snapshot' }).click()
  await page.getByRole('list', { name: 'Elements of the page' }).getByRole('button', { name: 'Order tea' }).click()
  await activeTab(page, 'Tea ordered').waitFor()
  await page.getByRole('link', { name: 'Recordings' }).click()
  await page.getByText('1 action', { exact: false }).first().waitFor()
  await page.getByRole('button', { name: 'Stop', exact: true }).click()

  await page.getByRole('heading', { name: 'Order tea' }).waitFor()
  await page.getByRole('button', { name: 'Rename' }).click()
  await page.getByRole('textbox', { name: 'New name' }).fill('Order green tea')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Order green tea' }).waitFor()
  const steps = page.getByRole('list', { name: 'Steps' })
  await steps.getByText('“Order tea”').waitFor()
  await openShop(page)
  await page.getByText('No pauses').click()
  await page.getByRole('button', { name: 'Replay', exact: true }).click()
  await steps.getByRole('img', { name: 'completed' }).waitFor()
  await activeTab(page, 'Tea ordered').waitFor()
  await page.getByRole('status').getByText('Completed').waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'browser-recording.png') })

  await page.getByRole('button', { name: 'Replay and record screen' }).click()
  await page.getByText('Replayed 2 times').waitFor()
  await page.getByRole('link', { name: 'All recordings' }).click()
  const film = page.getByRole('article', { name: 'Screen recording: Replay' })
  await film.getByRole('button', { name: 'Play', exact: true }).click()
  await film.locator('video').waitFor()
  await film.locator('video').evaluate(async (video: HTMLVideoElement) => {
    if (video.readyState < 1) await new Promise((resolve) => video.addEventListener('loadeddata', resolve))
  })
  await page.context().close()
})

test('a page is saved as a screenshot and a PDF, and gets files and cookies', async () => {
  const page = await ui.open('/browser/files')
  await openShop(page)
  for (const [item, name] of [
    ['Screenshot', 'Tea-shop.png'],
    ['Full-page screenshot', 'Tea-shop.png'],
    ['PDF', 'Tea-shop.pdf'],
  ] as const) {
    await page.getByRole('button', { name: 'Save page' }).click()
    const download = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: item, exact: true }).click()
    expect((await download).suggestedFilename()).toBe(name)
  }
  const form = page.getByRole('form', { name: 'Upload to the page' })
  const asked = page.waitForEvent('filechooser')
  await form.getByRole('button', { name: 'Upload to the page' }).click()
  const tea = { name: 'tea.txt', mimeType: 'text/plain', buffer: Buffer.from('green') }
  await (await asked).setFiles(tea)
  await form.getByRole('textbox', { name: 'File field' }).fill('#tea')
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await form.getByText(/takes no files/).waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'browser-files.png') })
  await form.getByRole('textbox', { name: 'File field' }).fill('#photo')
  await form.getByRole('button', { name: 'Upload', exact: true }).click()
  await activeTab(page, 'Photo tea.txt').waitFor()

  await panel(page, 'Sessions')
  const cookies = page.getByRole('region', { name: 'Cookies' })
  await cookies.getByRole('button', { name: 'Add' }).click()
  await cookies.getByRole('textbox', { name: 'Name' }).fill('flavour')
  await cookies.getByRole('textbox', { name: 'Value' }).fill('mint')
  await cookies.getByRole('button', { name: 'Add cookie' }).click()
  await cookies.getByText('1 cookie').click()
  await cookies.getByText('flavour').waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'browser-cookies.png') })
  await cookies.getByRole('button', { name: 'Delete all cookies' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await cookies.getByText('No cookies').waitFor()
  await page.context().close()
})

test('requests are listed, blocked ones marked, and a HAR is saved', async () => {
  const page = await ui.open('/browser/network')
  await page.getByRole('button', { name: 'Record HAR' }).click()
  const stop = page.getByRole('button', { name: 'Stop and save HAR' })
  await stop.waitFor()
  await openShop(page)
  const table = page.getByRole('table')
  await table
    .getByText(/\/prices$/)
    .first()
    .waitFor()
  await table.getByText('blocked').first().waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'browser-network.png') })
  // The recording is still shown after a reload.
  await page.reload()
  await page.getByRole('status', { name: 'Activity' }).getByText('HAR').waitFor()
  const download = page.waitForEvent('download')
  await stop.click()
  expect((await download).suggestedFilename()).toBe('browser.har')

  await page.getByRole('button', { name: 'Mock responses' }).click()
  await page.getByRole('textbox', { name: 'URL pattern' }).fill(`${address}prices`)
  await page.getByRole('button', { name: 'Add value' }).click()
  await page.getByRole('textbox', { name: 'Name 1' }).fill('x-tea')
  await page.getByRole('textbox', { name: 'x-tea' }).fill('one\ntwo')
  await page.getByRole('button', { name: 'Add mock' }).click()
  await page.getByText('must be one line').waitFor()
  await page.getByRole('button', { name: 'Remove x-tea' }).click()
  await page.getByRole('button', { name: 'Add mock' }).click()
  await page.getByRole('button', { name: 'Reload' }).click()
  await table.getByText('mock').first().waitFor()
  const mocks = page.getByRole('list', { name: 'Mocks' })
  await mocks.getByText(`${address}prices`).waitFor()
  await page.getByRole('status', { name: 'Activity' }).getByText('1 mock').waitFor()
  await page.getByRole('button', { name: 'Remove all mocks' }).click()
  await page.getByText('1 mock removed').waitFor()
  await mocks.waitFor({ state: 'detached' })
  await page.getByRole('combobox', { name: 'Request type' }).click()
  await page.getByRole('option', { name: 'Blocked' }).click()
  await table
    .getByText(/prices$/)
    .first()
    .waitFor({ state: 'detached' })
  await table
    .getByText(/private|not allowed|10\.255/)
    .first()
    .waitFor()
  await expectAccessible(page)
  await page.context().close()
})

test('console, downloads, saved sessions and settings are shown', async () => {
  const page = await ui.open('/browser/console')
  await openShop(page)
  await page.getByText('out of oolong').first().waitFor()
  await page.getByRole('link', { name: 'Snapshot' }).click()
  await page.getByRole('list', { name: 'Elements of the page' }).getByRole('button', { name: 'Price list' }).click()
  await panel(page, 'Files')
  const file = page.getByRole('article', { name: 'list.csv' })
  const download = page.waitForEvent('download')
  await file.getByRole('button', { name: 'Download list.csv' }).click()
  expect((await download).suggestedFilename()).toBe('list.csv')
  await file.getByRole('button', { name: 'Delete list.csv' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No downloads').waitFor()

  await page.getByRole('link', { name: 'Sessions' }).click()
  await page.getByRole('textbox', { name: 'Session name' }).fill('Tea shop')
  await page.getByRole('button', { name: 'Save session' }).click()
  await page.getByRole('article', { name: 'Tea shop' }).getByRole('button', { name: 'Restore' }).click()
  await page.getByText('Session Tea shop restored').waitFor()
  await expectAccessible(page)

  await page.getByRole('link', { name: 'Settings' }).last().click()
  await page.getByRole('textbox', { name: 'Allowed private hosts' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Language' }).fill('de_AT')
  await page.keyboard.press('Enter')
  await page.getByText('must be a language tag such as de-AT').waitFor()
  await page.getByRole('textbox', { name: 'Language' }).fill('de-AT')
  await page.keyboard.press('Enter')
  await expect.poll(() => ui.api('GET', '/api/browser/profile')).toMatchObject({ locale: 'de-AT', geolocation: null })
  const signIn = page.getByRole('form', { name: 'New HTTP sign-in' })
  await signIn.getByLabel('Site').fill('https://printer.example')
  await signIn.getByLabel('Username').fill('ada')
  await signIn.getByRole('textbox', { name: 'Password' }).fill('correct horse')
  await signIn.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('article', { name: 'https://printer.example' }).getByText('ada').waitFor()
  await expectAccessible(page)
  await page.getByRole('combobox', { name: 'Emulate' }).fill('iPhone 13')
  await page.getByRole('option', { name: 'iPhone 13', exact: true }).click()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  await page.getByRole('link', { name: 'Snapshot' }).click()
  await page.waitForFunction(() => {
    const canvas = document.querySelector('canvas')
    return canvas !== null && canvas.height > canvas.width
  })
  await page.screenshot({ path: join(folder, 'browser-phone-device.png') })
  await ui.api('POST', '/api/browser/emulation', {})
  await page.context().close()
})

test.each([
  ['light', 1280],
  ['dark', 1280],
  ['light', 390],
] as const)('the page looks well: %s, %i px', async (colorScheme, width) => {
  const page = await ui.open('/browser', { colorScheme, viewport: { width, height: 844 } })
  await openShop(page)
  await page.getByRole('list', { name: 'Elements of the page' }).getByRole('button').first().waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, `browser-${colorScheme}-${width}.png`), fullPage: true })
  for (const name of ['Actions', 'Network', 'Files', 'Recordings', 'Sessions', 'Settings']) {
    await page.getByRole('navigation', { name: 'Panels' }).getByRole('link', { name }).click()
    await page.getByRole('region', { name, exact: true }).waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
  }
  await page.getByRole('textbox', { name: 'Allowed private hosts' }).waitFor()
  await page.screenshot({
    path: join(folder, `browser-settings-${colorScheme}-${width}.png`),
    fullPage: true,
  })
  await page.context().close()
})

test('closing asks first, and shows the start page', async () => {
  const page = await ui.open('/browser')
  await page.getByRole('button', { name: 'Close browser' }).click()
  await page.getByRole('button', { name: 'Close', exact: true }).click()
  await page.getByRole('heading', { name: 'The browser is closed' }).waitFor()
  await page.context().close()
})

test('a machine without a browser explains how to get one', async () => {
  const page = await ui.open('/nowhere')
  await page.route('**/api/features', async (route) => {
    const answer = await route.fetch()
    const list = (await answer.json()) as { features: { id: string; status: string }[] }
    for (const feature of list.features) if (feature.id === 'browser') feature.status = 'not-installed'
    await route.fulfill({ response: answer, json: list })
  })
  await page.goto(`${ui.daemon.url}/browser`)
  await page.getByRole('link', { name: 'Install browser' }).click()
  await page.waitForURL('**/settings/features')
  await page.context().close()
})

test('no page had an error or a violation of its Content-Security-Policy', () => {
  expect(ui.complaints).toEqual([])
})

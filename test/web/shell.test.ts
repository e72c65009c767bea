import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Route, WebSocketRoute } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { builtUi } from '../support/built-ui.ts'
import { testDaemon } from '../support/daemon.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

test('finds a page, a conversation and an agent from anywhere', async () => {
  await ui.api('POST', '/api/chat/conversations', { title: 'Letters to Babbage' })
  await ui.api('POST', '/api/agents', { name: 'Charles' })
  const page = await ui.open('/')
  const find = page.getByLabel('Find or do anything')
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  await page.keyboard.press('Control+k')
  await find.fill('babbage')
  await page.getByRole('button', { name: 'Letters to Babbage' }).waitFor()
  await find.fill('charles')
  await page.getByRole('button', { name: 'Charles', exact: true }).waitFor()
  await find.fill('audit')
  await page.keyboard.press('Enter')

  await page.getByRole('heading', { name: 'Audit log' }).waitFor()
})

test.each([
  ['dark mode', 'Dark theme'],
  ['api key', 'Model providers'],
  ['backup', 'Backup'],
  ['telegram', 'Connect a messenger'],
  ['password', 'Profile'],
  ['new chat', 'New chat'],
  ['cost', 'See what it costs'],
  ['voice', 'Features'],
  ['printer', 'Connect a device'],
  ['delete data', 'Storage'],
  ['update', 'Version and health'],
])('whoever looks for %s finds %s', async (words, label) => {
  const page = await ui.open('/agents')
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Find or do anything').fill(words)
  await page.getByRole('button', { name: label }).first().waitFor()
})

test('the palette finds messages, memories and jobs, and lists first what was opened last', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Garden' })
  await ui.api('POST', '/api/chat/messages/inject', {
    conversation_id: id,
    role: 'user',
    content: 'The quince tree blooms in May',
  })
  await ui.api('POST', '/api/memory/episodes', { content: 'A quince must not be eaten raw' })
  const schedule = { type: 'cron', expression: '0 9 * * *' }
  const wish = { name: 'Water the quince', goal: 'Say so', schedule }
  const job = await ui.api<{ id: string }>('POST', '/api/scheduler/jobs', wish)
  const page = await ui.open('/agents')
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  const find = page.getByLabel('Find or do anything')
  await find.fill('quince')
  for (const label of ['blooms in May', 'must not be eaten raw', 'Ask “quince”'])
    await page.getByRole('button', { name: label }).waitFor()
  await page.getByRole('button', { name: 'Water the quince' }).click()
  await page.getByRole('heading', { name: 'Water the quince' }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog').getByRole('button', { name: 'Water the quince' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Water the quince' }).waitFor()
  await ui.api('DELETE', `/api/scheduler/jobs/${job.id}`)
})

test('the palette finds the rest if one search fails', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Medlar' })
  const page = await ui.open('/agents')
  const refusal = { error: 'bad_request', message: 'No', status: 400 }
  await page.route('**/api/memory/search*', (route) => route.fulfill({ status: 400, json: refusal }))
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByLabel('Find or do anything').fill('medlar')
  await page.getByRole('button', { name: 'Medlar', exact: true }).click()
  await page.waitForURL(`**/chat/${id}`)
})

test('the field for a message is three keys away, and has the focus in a new chat', async () => {
  const page = await ui.open('/')
  const focused = () => page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  expect(await focused()).toBe('Message')
  await page.goto(`${ui.daemon.url}/chat`)
  await expect.poll(focused).toBe('Message')
})

test('supports the keyboard shortcuts', async () => {
  const page = await ui.open('/')
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  await page.keyboard.press('?')
  await page.getByRole('dialog').getByText('New chat').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('a')
  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  await page.keyboard.press('Tab')

  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('BODY')
})

test('ignores shortcuts while a person types', async () => {
  const page = await ui.open('/')
  await page.getByLabel('Message').pressSequentially('? going n/a')

  expect(await page.getByLabel('Message').inputValue()).toBe('? going n/a')
  expect(await page.getByRole('dialog').count()).toBe(0)
})

test('reports an unknown page', async () => {
  const page = await ui.open('/nowhere/at/all')

  await page.getByRole('heading', { name: 'Page not found' }).waitFor()
  await page.getByRole('link', { name: 'Go home' }).click()
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
})

test('opens its navigation on a phone and closes it after a choice', async () => {
  const page = await ui.open('/', { viewport: { width: 390, height: 844 } })
  const bar = page.getByRole('navigation', { name: 'Main', exact: true })
  expect(await bar.getByRole('link').allTextContents()).toEqual(['Home', 'Chat', 'Inbox', 'Projects'])
  await bar.getByRole('button', { name: 'More' }).click()
  await page.getByRole('button', { name: 'Build' }).click()
  await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).click()

  await page.getByRole('heading', { name: 'Agents' }).waitFor()
  await page.getByRole('navigation').getByRole('link', { name: 'Agents' }).waitFor({ state: 'hidden' })
})

test('pages that are opened less often fold, and what a person opened or closed stays so', async () => {
  const page = await ui.open('/hooks', { viewport: { width: 1280, height: 800 } })
  const pages = page.getByRole('navigation', { name: 'Pages' })
  const link = (name: string) => pages.getByRole('link', { name })
  await link('Devices').waitFor()
  expect(await link('Workflows').count()).toBe(0)
  await pages.getByRole('button', { name: 'Build' }).click()
  await link('Workflows').click()
  await page.getByRole('heading', { name: 'Workflows' }).waitFor()
  await page.reload()
  await link('Workflows').waitFor()
  expect(await link('Devices').count()).toBe(0)
  await pages.getByRole('button', { name: 'Build' }).click()
  await link('Workflows').waitFor({ state: 'detached' })
  await link('Settings').waitFor()
  await expectAccessible(page)
})

test('paints the dark theme before any script of the page has run', async () => {
  const page = await ui.open('/', { colorScheme: 'dark' })
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  await page.route('**/assets/*.js', (route) => route.abort())
  await page.reload()

  expect(await page.locator('html').getAttribute('data-mantine-color-scheme')).toBe('dark')
})

const firstLoads = [
  { path: '/', ready: 'Nothing is waiting for you.' },
  { path: '/chat', ready: 'What can I do for you?' },
  { path: '/inbox', ready: 'Nothing is waiting for you' },
  { path: '/agents', ready: 'New agent' },
  { path: '/settings', ready: 'Change password' },
  { path: '/settings/providers', ready: 'When to switch' },
  { path: '/projects', ready: 'No projects yet' },
  { path: '/loops', ready: 'No loops yet' },
  { path: '/scheduler', ready: 'No jobs yet' },
  { path: '/workflows', ready: 'No workflows yet' },
  { path: '/devices', ready: 'No devices yet' },
  { path: '/hooks', ready: 'No hooks yet' },
  { path: '/channels', ready: 'No channels yet' },
  { path: '/settings/spending', ready: 'Model calls are allowed' },
  { path: '/monitor/alerts', ready: 'No alerts yet' },
  { path: '/monitor', ready: 'Write-ahead log' },
]
test.for(firstLoads)('loads at most 200 KB of script, gzipped, until $path is there', async ({ path, ready }) => {
  const page = await ui.open(path)
  await page.getByText(ready).waitFor()
  const scripts = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => name)
      .filter((name) => name.endsWith('.js')),
  )
  const sizes = scripts.map(async (url) => gzipSync(await (await fetch(url)).bytes(), { level: 9 }).byteLength)
  const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)

  expect(scripts.length).toBeGreaterThan(0)
  expect(total).toBeLessThanOrEqual(200 * 1024)
})

test('is sent compressed, exactly as built', async () => {
  const html = await (await fetch(`${ui.daemon.url}/`, { headers: { accept: 'text/html' } })).text()
  const path = html.match(/src="(\/assets\/[^"]+\.js)"/)?.[1] ?? ''
  const plain = await fetch(ui.daemon.url + path, { headers: { 'accept-encoding': 'identity' } })
  const zipped = await fetch(ui.daemon.url + path, { headers: { 'accept-encoding': 'br' } })

  expect(zipped.headers.get('content-encoding')).toBe('br')
  expect(await zipped.text()).toBe(await plain.text())
})

test('follows changes made by others, even after its socket was interrupted', async () => {
  const page = await ui.open('/agents')
  await page.getByText('Live', { exact: true }).waitFor()
  await ui.api('POST', '/api/agents', { name: 'Heard at once' })
  await page.getByRole('article', { name: 'Heard at once' }).waitFor()
  ui.daemon.host.process.connections.endAll(1012, 'cut by the test')
  await ui.api('POST', '/api/agents', { name: 'Heard afterwards' })

  await page.getByRole('article', { name: 'Heard afterwards' }).waitFor()
})

test('reloads once when the code of a page is gone after an upgrade', async () => {
  const page = await ui.open('/agents')
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  let reloads = 0
  page.on('request', (request) => void (request.isNavigationRequest() && reloads++))
  const code = (url: URL) => /\/assets\/.*\.(js|css)$/.test(url.pathname)
  await page.route(code, (route) => (reloads > 0 ? route.continue() : route.fulfill({ status: 404 })))
  await page.getByRole('link', { name: 'Scheduler' }).click()
  await page.getByRole('heading', { name: 'Scheduler', level: 1 }).waitFor()
  expect(reloads).toBe(1)
})

test.each([
  ['is away', (route: Route) => route.abort()],
  ['starts', (route: Route) => route.fulfill({ status: 503 })],
] as const)('code that cannot be loaded while the daemon %s waits for it, and the page stays', async (_, answer) => {
  const page = await ui.open('/agents')
  const heading = page.getByRole('heading', { name: 'Agents', level: 1 })
  await heading.waitFor()
  const gone = (url: URL) => /^\/assets\/|^\/$/.test(url.pathname)
  await page.route(gone, answer)
  const refused = page.waitForRequest((request) => new URL(request.url()).pathname === '/')
  await page.keyboard.press('Control+k')
  await refused
  expect(await heading.isVisible()).toBe(true)
  await page.unroute(gone)
  await page.getByPlaceholder('Find or do anything').waitFor()
})

test('notices that the daemon hangs while the socket is open', async () => {
  const page = await ui.open('/')
  await page.clock.install()
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  const hanging = (url: URL) => /\/health\/live|ws-ticket/.test(url.pathname)
  await page.route(hanging, (route) => route.abort('timedout'))
  await page.clock.fastForward(60_000)
  await page.getByText(/^hearthd cannot be reached/).waitFor()
  await page.getByText('unknown').first().waitFor()
})

test('a chat message is sent later, too, while the database server cannot be reached', async () => {
  const page = await ui.open('/agents')
  const opened = Promise.withResolvers<WebSocketRoute>()
  await page.context().routeWebSocket(/\/ws\/events/, (socket) => {
    socket.connectToServer()
    opened.resolve(socket)
  })
  await page.goto(`${ui.daemon.url}/chat`)
  await page.getByText('Live', { exact: true }).waitFor()
  const socket = await opened.promise
  const report = (reachable: boolean) => socket.send(JSON.stringify({ type: 'store', data: { reachable } }))
  report(false)
  await page.getByText(/^The database server cannot be reached/).waitFor()
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Kept while the database is away')
  await field.press('Enter')
  await page.getByText('Sends when hearthd is back').waitFor()
  report(true)
  await page.waitForURL(/\/chat\/conv_/)
  await page.getByText('Kept while the database is away', { exact: true }).first().waitFor()
})

test('pages work where only sockets are refused', async () => {
  const page = await ui.open('/agents')
  await page.getByText('Live', { exact: true }).waitFor()
  await page.context().routeWebSocket(/\/ws\/events/, (socket) => socket.close())
  const asked = page.waitForResponse(/\/health\/live/)
  await page.reload()
  await asked
  await page.waitForResponse(/\/api\/auth\/ws-ticket/)
  await page.getByText('Connecting…', { exact: true }).waitFor()

  expect(await page.getByText(/^hearthd cannot be reached/).count()).toBe(0)
})

test('reports that the daemon is unreachable, and recovers automatically', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'hearthd-test-'))
  const own = await startUi({ env: { SERVICE_DATA_DIR: data_dir } })
  const page = await own.open('/agents')
  await page.clock.install()
  await page.reload()
  await page.getByText('Live', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Import' }).waitFor()
  const [last] = (await (await fetch(`${own.daemon.url}/code.json`)).json()).slice(-1)
  const cached = page.waitForResponse(`**${last}`)
  await page.clock.fastForward(10_000)
  await (await cached).finished()
  await own.daemon.close()
  await page.getByText(/^hearthd cannot be reached.* nothing can be changed/).waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'New agent' }).click({ trial: true })
  expect(await page.getByRole('button', { name: 'Import' }).isDisabled()).toBe(true)
  await page.getByRole('navigation').getByRole('link', { name: 'Chat', exact: true }).click()
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Kept while nothing answers')
  await field.press('Enter')
  await page.getByText('Sends when hearthd is back').waitFor()
  expect(await field.inputValue()).toBe('')
  const { y, height } = (await field.boundingBox()) ?? { y: 0, height: 0 }
  expect(y + height).toBeLessThan(page.viewportSize()?.height ?? 0)
  const again = await testDaemon({
    web_folder: await builtUi(),
    env: { SERVICE_DATA_DIR: data_dir, SERVICE_PORT: String(own.daemon.port) },
  })

  await page.getByText('Live', { exact: true }).waitFor()
  expect(await page.getByText(/^hearthd cannot be reached/).count()).toBe(0)
  await page.waitForURL(/\/chat\/conv_/)
  await page.getByText('Kept while nothing answers', { exact: true }).first().waitFor()
  expect(await page.getByText('Sends when hearthd is back').count()).toBe(0)
  await own.browser.close()
  await again.close()
  await rm(data_dir, { recursive: true })
})

import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { builtUi } from '../support/built-ui.ts'
import { testDaemon } from '../support/daemon.ts'
import { expectAccessible, startUi } from './harness.ts'

test('it can be installed, opens pages that were never opened while the daemon is down, and sends what was typed once', async () => {
  const data_dir = await mkdtemp(join(tmpdir(), 'hearthd-test-'))
  const own = await startUi({ env: { SERVICE_DATA_DIR: data_dir } })
  const page = await own.open('/', { serviceWorkers: 'allow' })
  const devtools = await page.context().newCDPSession(page)
  const { errors, data } = await devtools.send('Page.getAppManifest')
  expect(errors).toEqual([])
  expect(JSON.parse(data ?? '')).toMatchObject({
    start_url: '/',
    display: 'standalone',
    icons: [{}, { purpose: 'maskable' }],
  })
  // What the page does when the first page is complete.
  await page.evaluate(async () => {
    await navigator.serviceWorker.register('/worker.js')
    await navigator.serviceWorker.ready
  })
  const { installabilityErrors } = await devtools.send('Page.getInstallabilityErrors')
  expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([])
  const kept = await page.evaluate(async () => {
    const paths: string[] = []
    for (const name of await caches.keys())
      for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname)
    return paths
  })
  expect(kept.filter((path) => /^\/(api|device)(\/|$)/.test(path))).toEqual([])

  await own.daemon.close()
  await page.goto(`${own.daemon.url}/workflows`)
  await page.getByText(/^hearthd cannot be reached: this page/).waitFor()
  await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor()
  await page.goto(`${own.daemon.url}/chat`)
  await page.getByText(/^hearthd cannot be reached: this page/).waitFor()
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('Typed while it was down')
  await field.press('Enter')
  await page.getByText('Sends when hearthd is back').waitFor()
  await expectAccessible(page)
  const folder = process.env.SCREENSHOTS
  if (folder)
    for (const [scheme, width] of [
      ['light', 1280],
      ['dark', 1280],
      ['light', 390],
    ] as const) {
      await page.emulateMedia({ colorScheme: scheme })
      await page.setViewportSize({ width, height: 800 })
      await page.screenshot({ path: join(folder, `offline-${scheme}-${width}.png`) })
    }
  await page.reload()
  await page.getByText('Sends when hearthd is back').waitFor()
  // A second tab must not send it again.
  const other = await page.context().newPage()
  await other.goto(`${own.daemon.url}/agents`)

  const web_folder = join(data_dir, 'next-build')
  await cp(await builtUi(), web_folder, { recursive: true })
  const worker = join(web_folder, 'worker.js')
  for (const packed of ['.br', '.gz']) await rm(worker + packed, { force: true })
  await writeFile(worker, (await readFile(worker, 'utf8')).replace(/const build = '\w+'/, "const build = 'next'"))
  const again = await testDaemon({
    web_folder,
    env: { SERVICE_DATA_DIR: data_dir, SERVICE_PORT: String(own.daemon.port) },
  })
  await page.getByText('Sends when hearthd is back').waitFor({ state: 'detached' })
  const path = '/api/chat/conversations'
  const { conversations } = await own.api<{ conversations: { id: string }[] }>('GET', path)
  expect(conversations.length).toBe(1)
  const { messages } = await own.api<{ messages: { role: string; content: string }[] }>(
    'GET',
    `${path}/${conversations[0]?.id}`,
  )
  expect(messages.filter(({ role }) => role === 'user').map(({ content }) => content)).toEqual([
    'Typed while it was down',
  ])

  // The worker of the new build replaces the old one, and what that has kept.
  await page.evaluate(async () => (await navigator.serviceWorker.getRegistration('/'))?.update())
  await expect.poll(() => page.evaluate(() => caches.keys())).toEqual(['next'])
  await page.goto(`${again.url}/agents`)
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()

  await page.getByRole('button', { name: /Ada/ }).last().click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(
    await page.evaluate(async () => [(await navigator.serviceWorker.getRegistrations()).length, await caches.keys()]),
  ).toEqual([0, []])
  expect(own.complaints).toEqual([])
  await own.browser.close()
  await again.close()
  await rm(data_dir, { recursive: true })
})

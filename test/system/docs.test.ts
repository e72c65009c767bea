import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { areas } from '../../handlers/index.ts'
import { docsPage } from '../../handlers/system/docs/page.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { describeApi } from '../../runtime/http/openapi.ts'
import { serve } from '../../runtime/http/serve.ts'
import { launchChromium } from '../support/browser.ts'
import { client } from '../support/client.ts'
import { endpoints, sockets } from '../support/endpoints.ts'
import { setUpAdmin, testHost } from '../support/host.ts'

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})
afterAll(() => browser.close())

/** The page as the service answers it, headers and all. */
async function openDocs(options: {
  width: number
  scheme: 'light' | 'dark'
}): Promise<{ page: Page; trouble: string[] }> {
  const one = endpoints.find(({ path }) => path === '/api/docs/content')
  if (!one) throw new Error('there is no /api/docs/content')
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const response = await client(host)(one, { key: api_key.key })
  const answer = {
    status: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  }
  const page = await browser.newPage({
    viewport: { width: options.width, height: 800 },
    colorScheme: options.scheme,
  })
  const trouble: string[] = []
  page.on('console', (message) => void trouble.push(message.text()))
  page.on('pageerror', (error) => void trouble.push(error.message))
  await page.route('**/*', (route) => route.fulfill(answer))
  await page.goto('http://127.0.0.1:18781/api/docs')
  return { page, trouble }
}

test.each(['light', 'dark'] as const)('is readable on a phone in %s', async (scheme) => {
  const { page, trouble } = await openDocs({ width: 390, scheme })
  const colours = await page.evaluate(() => {
    for (const details of document.querySelectorAll('details')) details.open = true
    const { backgroundColor, color } = getComputedStyle(document.body)
    return { backgroundColor, color, wide: document.documentElement.scrollWidth }
  })

  expect(trouble).toEqual([])
  expect(colours.wide).toBeLessThanOrEqual(390)
  expect(colours.backgroundColor).toBe(scheme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 25, 29)')
  expect(await page.locator('script').count()).toBe(0)
})

test('shows every endpoint and socket, once', async () => {
  const { page } = await openDocs({ width: 1200, scheme: 'light' })
  const shown = await page
    .locator('summary')
    .evaluateAll((all) => all.map((one) => [...one.querySelectorAll('code')].map((code) => code.textContent).join(' ')))
  const expected = [
    ...endpoints.map(({ method, path }) => `${method} ${path}`),
    ...sockets.map(({ path }) => `SOCKET ${path}`),
  ]

  expect(shown.toSorted()).toEqual(expected.toSorted())
})

test('an endpoint is opened by keyboard and shows its parameters and response', async () => {
  const { page } = await openDocs({ width: 1200, scheme: 'light' })
  const details = page.locator('#getChatConversations')
  await details.locator('summary').focus()
  await page.keyboard.press('Enter')

  expect(await details.locator('h3').allTextContents()).toEqual(['Parameters', '200: Success'])
  expect(await details.locator('.name', { hasText: 'archived' }).first().isVisible()).toBe(true)
})

test('text from the table is escaped', () => {
  const summary = 'A <script>alert(1)</script> & "quotes"'
  const one = endpoint('GET /api/x', { summary, returns: z.object({}), run: () => ({}) })
  const page = docsPage(describeApi({ endpoints: [one], sockets: [] }, '1'))

  expect(page).toContain('A &lt;script&gt;alert(1)&lt;/script&gt; &amp; &quot;quotes&quot;')
  expect(page).not.toContain('<script')
})

test('the page asks for a key, and then shows the documentation', async () => {
  const host = await testHost()
  const { api_key } = await setUpAdmin(host)
  const handle = serve(areas)
  const peer = { address: '127.0.0.1', local: true }
  const page = await browser.newPage()
  const trouble: string[] = []
  page.on('pageerror', (error) => void trouble.push(error.message))
  await page.route('**/*', async (route) => {
    const asked = route.request()
    const request = new Request(asked.url(), { headers: { ...asked.headers(), host: '127.0.0.1:18781' } })
    const response = await handle(request, host, peer)
    await route.fulfill({
      status: response.status,
      headers: Object.fromEntries(response.headers),
      body: await response.text(),
    })
  })
  await page.goto('http://127.0.0.1:18781/api/docs')
  await page.getByLabel('API key').fill('svc_wrong')
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('hearthd does not accept this key.').waitFor()
  expect(await page.content()).not.toContain('/api/chat')

  await page.getByLabel('API key').fill(api_key.key)
  await page.getByRole('button', { name: 'Show' }).click()
  await page.getByText('/api/chat/conversations', { exact: true }).first().waitFor()
  expect(trouble).toEqual([])
})

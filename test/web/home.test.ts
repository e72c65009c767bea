import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, startUiWithModel, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

/** A turn that waits for leave to send a request, started by somebody else than the page. */
async function askForLeave(message: string): Promise<void> {
  wire.script(toolCall('http_request', { method: 'POST', url: 'https://printer.example/jobs' }))
  wire.script(text('As you wish.'), text('As you wish.'))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: message })
  const session = { message, conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', session).catch(() => undefined)
}

test('shows an approval when it arrives, and answers it', async () => {
  const page = await ui.open('/')
  await page.getByText('Nothing is waiting for you.').waitFor()
  await askForLeave('Print the report')

  const card = page.getByRole('article', { name: 'Send a POST request to https://printer.example/jobs' })
  await card.waitFor()
  await page.getByRole('region', { name: 'Running now' }).getByText('Print the report').waitFor()
  await expectAccessible(page)
  await card.getByLabel('Input', { exact: true }).getByText('method: POST').waitFor()
  await card.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  expect(await card.getByRole('button', { name: 'Always in this conversation' }).count()).toBe(0)
  await card.getByRole('button', { name: 'Reject…' }).click()
  await card.getByRole('button', { name: 'Reject', exact: true }).click()
  await page.getByText('Nothing is waiting for you.').waitFor()
  await page.getByText('Nothing is running.').waitFor()

  const { approvals } = await ui.api<{ approvals: { status: string }[] }>('GET', '/api/chat/approvals')
  expect(approvals.map(({ status }) => status)).toEqual(['rejected'])
  expect(ui.complaints).toEqual([])
})

test('answers at a glance what runs, what needs a person, what failed and what it cost, on every screen', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/scheduler/jobs', {
    name: 'Back up the photos',
    goal: 'Back up',
    schedule: { type: 'cron', expression: '0 3 * * *' },
    model: 'anthropic/none',
  })
  for (const _ of [1, 2, 3]) {
    await ui.api('POST', `/api/scheduler/jobs/${id}/trigger`)
    const failed = async () => (await ui.api<{ last_status: string }>('GET', `/api/scheduler/jobs/${id}`)).last_status
    await vi.waitUntil(async () => (await failed()) === 'failed', { timeout: 60_000 })
  }
  for (const viewport of [
    { width: 1280, height: 800 },
    { width: 390, height: 844 },
  ]) {
    const page = await ui.open('/', { viewport })
    const strip = page.getByRole('navigation', { name: 'At a glance' })
    await strip.getByRole('link', { name: '1 Failed' }).waitFor()
    const labels = await strip.getByRole('link').allTextContents()
    expect(labels).toEqual([expect.stringMatching(/^\d+ Running$/), '0 Needs you', '1 Failed', '$0.00 Today'])
    const { y, height } = (await strip.boundingBox()) ?? { y: 0, height: 900 }
    expect(y + height).toBeLessThanOrEqual(400)
    const failures = page.getByRole('region', { name: 'Failures' })
    expect(await failures.getByRole('link').count()).toBe(1)
    await failures.getByText('3 times').waitFor()
  }
})

test('is usable after at most twelve requests, and nothing moves', async () => {
  const page = await ui.open('/nowhere', { viewport: { width: 390, height: 844 } })
  await page.addInitScript(() => {
    const moved: number[] = []
    Object.assign(window, { moved })
    const observer = new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) moved.push((entry as unknown as { value: number }).value)
    })
    observer.observe({ type: 'layout-shift', buffered: true })
  })
  const requests: string[] = []
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(`${ui.daemon.url}/`)
  await page.getByText('Nothing is waiting for you.').waitFor()
  await page.getByText('Recent conversations').waitFor()

  expect(requests.length).toBeLessThanOrEqual(12)
  const moved = await page.evaluate(() => (window as unknown as { moved: number[] }).moved)
  expect(moved.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(0.02)
})

test('lists recent conversations and the status of the service', async () => {
  await ui.api('POST', '/api/chat/conversations', { title: 'Holiday plans' })
  const page = await ui.open('/')

  await page.getByRole('region', { name: 'Recent conversations' }).getByText('Holiday plans').waitFor()
  await page.getByRole('region', { name: 'Health' }).getByText('Database').waitFor()
})

test('starts a chat with the typed text', async () => {
  const page = await ui.open('/')
  await page.getByLabel('Message').fill('what is 2 + 2?')
  await page.getByLabel('Message').press('Enter')

  await page.waitForURL((url) => url.pathname.startsWith('/chat'))
})

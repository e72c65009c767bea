import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await wire.close()
})

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

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { drawn } from '../workflows/kit.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
})
afterAll(() => Promise.all([ui[Symbol.asyncDispose](), wire.close()]))

const made = (path: string, body: object = {}) => ui.api<{ id: string }>('POST', path, body)

/** One of each kind: by the offline model first, then an approval that a scripted model asks for. */
async function oneOfEach(): Promise<void> {
  const verification = { kind: 'human', spec: {} }
  const loop = await made('/api/loops', { name: 'Invitation', goal: 'Write "Hi" to hi.txt', verification })
  await made(`/api/loops/${loop.id}/start`)
  const project = await made('/api/projects', {
    name: 'Letters',
    description: '1. Write "Hello" to hello.txt',
  })
  await made(`/api/projects/${project.id}/generate-plan`)
  const nodes = {
    start: { type: 'trigger.manual' },
    ask: { type: 'approval', params: { message: 'Send the invoice?' } },
  }
  const workflow = await made('/api/workflows', drawn(nodes, ['start → ask'], { name: 'Invoices' }))
  await made(`/api/workflows/${workflow.id}/execute`)
  const { code } = await ui.api<{ code: string }>('POST', '/api/devices/pairing-codes', {})
  await made('/api/auth/device/pair', {
    code,
    name: 'Laptop',
    platform: 'linux',
    capabilities: ['coffee.make'],
  })
  await expect.poll(waiting, { timeout: 30_000 }).toEqual(['device', 'loop', 'plan', 'workflow'])

  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  wire.script(toolCall('http_request', { method: 'POST', url: 'https://printer.example/jobs' }), text('Done.'))
  const { id } = await made('/api/chat/conversations', { title: 'Print the report' })
  const message = { message: 'Print the report', conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
}

const waiting = async () =>
  (await ui.api<{ items: { kind: string }[] }>('GET', '/api/inbox')).items.map(({ kind }) => kind).sort()

test('one of each kind that waits is one number everywhere, and what is answered leaves', async () => {
  const page = await ui.open('/')
  await page.getByText('Nothing is waiting for you.').waitFor()
  await oneOfEach()

  const badge = (count: number) => page.getByRole('navigation').getByLabel(`${count} waiting`)
  const needs = page.getByRole('region', { name: 'Needs you' })
  await badge(5).waitFor()
  await needs.getByText('5', { exact: true }).waitFor()
  expect(await page.title()).toBe('(5) Hello, Ada · hearthd')
  await needs
    .getByRole('article', { name: /^Send a POST request to/ })
    .first()
    .waitFor()
  await needs.getByRole('article', { name: 'Question of Invitation' }).waitFor()
  for (const name of [/Letters.*Plan ready/, /Invoices.*Send the invoice\?/, /Laptop.*Offers coffee\.make/])
    await needs.getByRole('link', { name }).waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'inbox-light.png'), fullPage: true })
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: join(folder, 'inbox-dark.png'), fullPage: true })
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, 'inbox-phone.png'), fullPage: true })
  await page.setViewportSize({ width: 1280, height: 800 })

  await needs.getByRole('button', { name: 'Accept' }).click()
  await badge(4).waitFor()
  await needs.getByRole('link', { name: /Invoices/ }).click()
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await badge(3).waitFor()
  await page.goto(`${ui.daemon.url}/inbox`)
  await page
    .getByRole('region', { name: 'Waiting for you' })
    .getByRole('link', { name: /Laptop/ })
    .waitFor()
  await expectAccessible(page)
  await page.waitForFunction(() => document.title === '(3) Inbox · hearthd')
  expect(ui.complaints).toEqual([])
})

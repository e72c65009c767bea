import { createHmac } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventChoices, eventName } from '../../web/parts/events.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

const screenshot = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })

/** Chooses events in the open form. */
async function choose(page: Page, type: string) {
  await page
    .getByRole('combobox', { name: 'Events' })
    .or(page.getByLabel('Events').first())
    .first()
    .fill(eventName(type))
  await page.getByRole('option', { name: eventName(type), exact: true }).click()
  await page.keyboard.press('Tab')
}

test('events are called by what happens, grouped by what they are about', () => {
  expect(['job.run.failed', 'job.*', '*', 'tool.before'].map(eventName)).toEqual([
    'Job run failed',
    'Anything about job',
    'Every event',
    'Before a tool runs',
  ])
  expect(eventChoices(['file.deleted', 'job.created', 'job.run.failed'])).toEqual([
    { group: 'All', items: [{ value: '*', label: 'Every event' }] },
    { group: 'File', items: [{ value: 'file.deleted', label: 'File deleted' }] },
    {
      group: 'Job',
      items: [
        { value: 'job.*', label: 'Anything about job' },
        { value: 'job.created', label: 'Job created' },
        { value: 'job.run.failed', label: 'Job run failed' },
      ],
    },
  ])
})

test('a hook is made, notifies, and its run is shown with the event', async () => {
  const page = await ui.open('/hooks')
  await page.getByText('No hooks yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New hook' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Tell me')
  await choose(page, 'loop.created')
  await form.getByLabel('Message', { exact: true }).fill('New loop: {{ data.name }}')
  await expectAccessible(page)
  await screenshot(page, 'hook-form')
  await form.getByRole('button', { name: 'Create hook' }).click()
  await page.getByText('No runs yet.').waitFor()
  await page.getByText('"New loop: {{ data.name }}"').waitFor()
  await ui.api('POST', '/api/loops', { goal: 'Tea' })
  await page.getByText('Succeeded').waitFor()
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByText('"name": "Tea"').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'hook')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
  expect(ui.complaints).toEqual([])
})

test('saving a hook keeps what somebody else has changed since its form was opened', async () => {
  const body = { name: 'Watch', events: ['loop.created'], action: { kind: 'notify', message: 'New' } }
  const { id } = await ui.api<{ id: string }>('POST', '/api/hooks', body)
  const page = await ui.open(`/hooks/events/${id}`)
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('dialog').getByLabel('Name').fill('Watch loops')
  await ui.api('PUT', `/api/hooks/${id}`, { priority: 7, events: ['loop.updated'] })
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  expect(await ui.api('GET', `/api/hooks/${id}`)).toMatchObject({
    name: 'Watch loops',
    priority: 7,
    events: ['loop.updated'],
  })
})

test('a half-written hook is not discarded without a question', async () => {
  const page = await ui.open('/hooks')
  await page.getByRole('button', { name: 'New hook' }).click()
  await page.getByLabel('Name').fill('Half a name')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Keep editing' }).click()

  expect(await page.getByLabel('Name').inputValue()).toBe('Half a name')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('an outgoing webhook shows its secret once, and why a delivery failed', async () => {
  const page = await ui.open('/hooks/outgoing')
  await page.getByRole('button', { name: 'New webhook' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Office')
  await form.getByLabel('URL').fill('http://127.0.0.1:9/in')
  await choose(page, 'loop.created')
  await form.getByRole('button', { name: 'Create webhook' }).click()
  await page.getByText(/^whsec_/).waitFor()
  await page.getByRole('link', { name: 'Open' }).click()
  await page.getByRole('button', { name: 'Send test event' }).click()
  await page
    .getByText(/The guard for outgoing requests refused it/)
    .first()
    .waitFor()
  await expectAccessible(page)
  await screenshot(page, 'webhook')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
})

test('an address receives messages, captures them, and previews its action', async () => {
  const page = await ui.open('/hooks/incoming')
  await page.getByRole('button', { name: 'New address' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name').fill('Shop')
  await form.getByLabel('Verified by').selectOption({ label: 'HMAC-SHA256 in a header' })
  await form.getByLabel('Header').fill('X-Shop-Signature')
  await form.getByLabel('Prefix').fill('v1=')
  await form.getByLabel('Encoding').selectOption({ label: 'Base64' })
  await form.getByLabel('Secret').fill('a secret of the shop')
  await expectAccessible(page)
  await screenshot(page, 'incoming-form')
  await form.getByLabel('Action').selectOption({ label: 'Start an agent' })
  await form.getByLabel('Message', { exact: true }).fill('Order {{ body.number }}')
  await form.getByRole('button', { name: 'Create address' }).click()
  await page.getByRole('button', { name: 'Capture for 30 minutes' }).click()
  await page.getByText('Capturing messages').waitFor()
  const address = await page.getByText('/api/webhooks/in/').first().innerText()
  await page.getByText(/HMAC-SHA256 in x-shop-signature/).waitFor()
  const body = '{"number": 7}'
  const signature = createHmac('sha256', 'a secret of the shop').update(body).digest('base64')
  const headers = { 'content-type': 'application/json', 'x-shop-signature': `v1=${signature}` }
  expect((await fetch(address, { method: 'POST', headers, body })).status).toBe(202)
  await page.getByText('Recorded', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Details' }).click()
  await page.getByText('"number": 7').waitFor()
  await page.getByRole('button', { name: 'Preview with latest message' }).click()
  await page.getByText(/Order <untrusted>/).waitFor()
  await page.getByRole('button', { name: 'Edit' }).click()
  const editor = page.getByRole('dialog')
  await editor.getByText('"number": 7').waitFor()
  await editor.getByLabel('Message', { exact: true }).fill('Number {{ body.number }}')
  await editor.getByRole('button', { name: 'Preview with latest message' }).click()
  await editor.getByText(/Number <untrusted>/).waitFor()
  await editor.getByRole('button', { name: 'Save' }).click()
  await editor.waitFor({ state: 'hidden' })
  await expectAccessible(page)
  await screenshot(page, 'incoming')
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
})

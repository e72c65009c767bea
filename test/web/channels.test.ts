import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Channel } from '../../runtime/channels/schema.ts'
import { signStandard } from '../../runtime/secrets/signatures.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

const secret = 'a secret of this test'

async function screenshots(page: Page, name: string): Promise<void> {
  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.screenshot({ path: join(folder, `${name}-${scheme}.png`), fullPage: true })
  }
}

/** What a messenger sends when somebody writes. */
async function write({ webhook_path }: Channel, sender: string, text: string): Promise<void> {
  const id = crypto.randomUUID()
  const timestamp = Math.floor(Date.now() / 1_000)
  const body = JSON.stringify({ id, text, sender: { id: sender, name: sender } })
  const headers = {
    'content-type': 'application/json',
    ...(await signStandard([secret], { id, timestamp, body })),
  }
  const response = await fetch(ui.daemon.url + webhook_path, { method: 'POST', headers, body })
  expect(response.status).toBe(200)
}

test('a channel is set up, a person is paired, an agent is bound, and the address is shown', async () => {
  const page = await ui.open('/channels')
  await page.getByText('No channels yet').waitFor()
  await page.getByText('No public address').waitFor()
  await expectAccessible(page)
  await screenshots(page, 'channels-empty')

  await page.getByRole('link', { name: 'New channel' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Platform').selectOption({ label: 'Webhook' })
  await form.getByLabel('Name').fill('Front door')
  await form.getByLabel('Secret').fill('short')
  await form.getByRole('button', { name: 'Create channel' }).click()
  await form.getByText('at least 16').waitFor()
  await screenshots(page, 'channel-new')
  await form.getByLabel('Secret').fill(secret)
  await form.getByRole('button', { name: 'Create channel' }).click()
  await page.getByRole('heading', { name: 'Front door' }).waitFor()
  await page.getByText('No public address').waitFor()

  await page.goto(`${ui.daemon.url}/channels/settings`)
  await page.getByLabel('Public base URL').fill('https://hearth.example.com/')
  await page.getByRole('region', { name: 'Public address' }).getByRole('button', { name: 'Save' }).click()
  await expect
    .poll(() => ui.api('GET', '/api/channels/settings'))
    .toMatchObject({ public_base_url: 'https://hearth.example.com' })
  await expectAccessible(page)
  await screenshots(page, 'channels-settings')

  const { channels } = await ui.api<{ channels: Channel[] }>('GET', '/api/channels')
  const [channel] = channels
  if (!channel) throw new Error('no channel was created')
  await write(channel, 'Ada', 'Hello')
  await page.goto(`${ui.daemon.url}/channels`)
  await page.getByRole('region', { name: 'Pairing requests' }).getByText('Ada', { exact: true }).waitFor()
  await screenshots(page, 'channels')
  await page.getByRole('button', { name: 'This is me: Ada' }).click()
  await expect.poll(() => ui.api('GET', `/api/channels/${channel.id}`)).toMatchObject({ owner_paired: true })

  await page.goto(`${ui.daemon.url}/channels/${channel.id}`)
  await page.getByText(`https://hearth.example.com${channel.webhook_path}`).first().waitFor()
  await page.getByRole('button', { name: 'Copy webhook address' }).waitFor()
  await page.getByRole('button', { name: 'New binding' }).click()
  await page.getByLabel('Kind of chat').selectOption({ label: 'Groups' })
  await page.getByRole('dialog').getByRole('button', { name: 'Create binding' }).click()
  await page.getByText('kind group').waitFor()
  await write(channel, 'Ada', 'What time is it?')
  await page.getByRole('article', { name: 'Message from Ada', exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText(/It works|It does not work/).waitFor()
  await expectAccessible(page)
  await screenshots(page, 'channel')

  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, 'channel-390.png'), fullPage: true })
  expect(ui.complaints).toEqual([])
})

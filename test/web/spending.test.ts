import { afterAll, beforeAll, expect, test } from 'vitest'
import { startWire, text, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
  for (const provider of ['openai', 'groq'] as const) {
    const access = { api_key: 'sk-test', base_url: wire.url[provider], default_model: 'model-a' }
    await ui.api('PUT', `/api/providers/${provider}/key`, access)
  }
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await wire.close()
})

async function chat(message: string): Promise<void> {
  wire.script(text('Hello.'))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: message })
  const body = { message, conversation_id: id, model: 'openai/model-a' }
  // The answer is a stream, no JSON, and is over when it has been read.
  await ui.api('POST', '/api/chat/messages/stream', body).catch(() => undefined)
}

test('fails over to a backup at the limit, and returns when there is room', async () => {
  const page = await ui.open('/settings/providers')
  await page.getByRole('switch', { name: 'Return automatically' }).click()
  await page.getByRole('textbox', { name: 'Return below' }).fill('95')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('must be below both thresholds').waitFor()
  await page.getByRole('textbox', { name: 'Return below' }).fill('60')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Thresholds saved').waitFor()
  const openai = page.getByRole('article', { name: 'Limits of OpenAI' })
  await openai.getByRole('button', { name: 'Set a backup' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('combobox', { name: 'Backup', exact: true }).click()
  await page.getByRole('option', { name: 'Groq' }).click()
  await dialog.getByRole('textbox', { name: 'Tokens per 5 hours' }).fill('1')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await openai.getByText('Backup: Groq, model-a').waitFor()
  await chat('Good morning')
  await openai.getByText('Limit reached').waitFor()
  await chat('Good evening')
  await openai.getByRole('button', { name: 'Return now' }).click()
  await page.getByText('It can return when its usage drops.').waitFor()
  await expectAccessible(page)
  await ui.api('PUT', '/api/providers/openai/allowance', { five_hour_tokens: 1_000_000 })
  await openai.getByText('Within limits').waitFor()
  await openai.getByRole('button', { name: 'Return now' }).click()
  await page.getByText(/^OpenAI .*is in use again/).waitFor()
  await openai.getByText('Failed over').waitFor({ state: 'detached' })

  expect(await ui.api('GET', '/api/providers/backup')).toMatchObject({
    rules: { openai: { provider: 'groq', model: 'model-a' } },
    return_below_pct: 60,
    auto_return: false,
  })
})

test('asks for the prices of models that were used, and manages budgets', async () => {
  await chat('Good morning')
  const page = await ui.open('/settings/spending')
  await page.getByRole('region', { name: 'Price unknown' }).getByText('openai/model-a').waitFor()
  await page.getByRole('button', { name: 'New budget' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'US dollars' }).fill('')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('give limit_usd or limit_tokens').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'US dollars' }).fill('2.5')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const row = page.getByRole('article', { name: 'Everything, a day' })
  await row.getByText('of $2.50 a day').waitFor()
  await row.getByRole('button', { name: 'Edit' }).click()
  await dialog.getByRole('textbox', { name: 'Tokens' }).fill('1000')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await row.getByText('of 1,000 tokens').waitFor()
  const today = page.getByRole('region', { name: 'Today' })
  await today.getByText('Limit: 1,000 tokens per day').waitFor()

  expect(await today.textContent()).toMatch(/[1-9]\d* tokens/)
  const { budgets } = await ui.api<{ budgets: object[] }>('GET', '/api/monitoring/budgets')
  expect(budgets).toEqual([expect.objectContaining({ limit_usd: 2.5, limit_tokens: 1_000, window: 'day' })])
  expect(ui.complaints).toEqual([])
})

test('pauses all model calls, shows it on every page, and resumes them', async () => {
  const page = await ui.open('/settings/spending')
  await page.getByRole('button', { name: 'Pause all model calls' }).click()
  await page.getByRole('status').getByText('All model calls are paused.').waitFor()
  await expectAccessible(page)
  expect(await ui.api('GET', '/api/monitoring/kill-switch')).toMatchObject({ paused: true })
  await page.goto(`${ui.daemon.url}/agents`)
  await page.getByRole('status').getByRole('link', { name: 'Resume in Settings' }).click()
  await page.getByRole('button', { name: 'Resume model calls' }).click()
  await page.getByText('Model calls are allowed').waitFor()

  expect(await ui.api('GET', '/api/monitoring/kill-switch')).toMatchObject({ paused: false })
})

import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Alert } from '../../runtime/monitoring/alerts.ts'
import { text, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUiWithModel, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;({ ui, wire } = await startUiWithModel())
  wire.script(text('Hello.'))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Morning' })
  const body = { message: 'Good morning', conversation_id: id, model: 'openai/model-a' }
  await ui.api('POST', '/api/chat/messages/stream', body).catch(() => undefined)
})
afterAll(() => ui[Symbol.asyncDispose]())

const screenshot = (page: Page, name: string) =>
  page.screenshot({ path: join(folder, `monitor-${name}.png`), fullPage: true })

const views = [
  { view: '', ready: 'Events by hour' },
  { view: '/usage', ready: 'By project' },
  { view: '/calls', ready: 'openai/model-a' },
  { view: '/performance', ready: 'Time to first token (median)' },
  { view: '/alerts', ready: 'No alerts yet' },
  { view: '/logs', ready: 'Follow' },
]

const looks = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  { look: 'phone', colorScheme: 'light', viewport: { width: 390, height: 844 } },
] as const

test.each(looks)('every view can be used by everybody: $look', async ({ look, ...options }) => {
  const page = await ui.open('/monitor', options)
  for (const { view, ready } of views) {
    await page.goto(`${ui.daemon.url}/monitor${view}`)
    await page.getByText(ready).first().waitFor()
    if (view === '/usage' || view === '/performance') await page.locator('.recharts-surface').first().waitFor()
    await screenshot(page, `${view.slice(1) || 'overview'}-${look}`)
    await expectAccessible(page, look === 'dark' ? ['color-contrast'] : [])
    expect(await sidewaysOverflow(page)).toBe(0)
  }
  expect(ui.complaints).toEqual([])
})

test.each(looks)('a model call shows what was sent, with tokens by part: $look', async ({ look, ...options }) => {
  const page = await ui.open('/monitor/calls', options)
  const calls = page.getByRole('region', { name: 'Model calls' })
  await calls.getByRole('button', { name: 'Show request' }).last().click()
  const tokens = calls.getByRole('table', { name: 'Tokens by part' })
  await tokens.getByText('Instructions and notes').waitFor()
  await calls.getByText('Good morning').first().waitFor()
  await screenshot(page, `call-${look}`)
  await expectAccessible(page, look === 'dark' ? ['color-contrast'] : [])
  expect(await sidewaysOverflow(page)).toBe(0)
})

test('the usage is shown by hour and exported as CSV', async () => {
  const page = await ui.open('/monitor/usage')
  const usage = page.getByRole('region', { name: 'Usage' })
  await usage.getByRole('region', { name: 'By model' }).getByText('model-a').waitFor()
  await usage.getByText('24 hours').click()
  await usage.getByText(/^Tokens by hour, highest [1-9]/).waitFor()
  const download = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const file = await download

  expect(file.suggestedFilename()).toBe('hearthd-usage-24h.csv')
  const lines = readFileSync(await file.path(), 'utf8')
    .trim()
    .split('\r\n')
  expect(lines[0]).toBe('start,label,tokens,cost_usd')
  expect(lines.length).toBeGreaterThan(24)
})

test('an alert is created from the form, fires, is acknowledged and has a history', async () => {
  const page = await ui.open('/monitor/alerts')
  await page.getByRole('button', { name: 'New alert' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Memory')
  await dialog.getByText('Expression', { exact: true }).first().click()
  await dialog.getByRole('textbox', { name: 'Expression' }).fill('tea > threshold')
  await dialog.getByRole('button', { name: 'Create' }).click()
  await dialog.getByText('there is no metric tea').waitFor()
  await expectAccessible(page)
  await dialog.getByText('Metric', { exact: true }).first().click()
  await dialog.getByRole('combobox', { name: 'Metric' }).selectOption('Memory of hearthd')
  await dialog.getByRole('textbox', { name: 'Threshold' }).fill('1')
  await dialog.getByRole('textbox', { name: 'Period in minutes' }).fill('1')
  await screenshot(page, 'alert-form')
  await dialog.getByRole('button', { name: 'Create' }).click()
  const row = page.getByRole('article', { name: 'Memory' })
  await row.getByText('Firing').waitFor()
  await row.getByRole('button', { name: 'Acknowledge' }).click()
  await row.getByText('Acknowledged').waitFor()
  await row.getByRole('button', { name: 'Snooze Memory' }).click()
  await page.getByRole('menuitem', { name: '8 hours' }).click()
  await row.getByText('Snoozed', { exact: true }).waitFor()
  await row.getByRole('link', { name: 'Edit Memory' }).click()
  const history = dialog.getByRole('region', { name: 'History' })
  await history.getByText('Fired').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'alert-history')

  const { alerts } = await ui.api<{ alerts: Alert[] }>('GET', '/api/monitoring/alerts')
  expect(alerts).toEqual([expect.objectContaining({ condition: 'rss_mb > threshold', threshold: 1, state: 'snoozed' })])
  expect(await history.textContent()).toMatch(/Snoozed by .*Acknowledged by .*Fired.*Created by/)
})

test('a new name keeps the rest of an alert that was made by the API', async () => {
  const channel = await ui.api<{ id: string }>('POST', '/api/channels', { platform: 'webhook' })
  const delivery = { type: 'channel', channel_id: channel.id, to: '4711' }
  const body = { name: 'Before', condition: 'rss_mb', threshold: 1, delivery }
  const { id } = await ui.api<Alert>('POST', '/api/monitoring/alerts', body)
  const page = await ui.open(`/monitor/alerts/${id}`)
  const dialog = page.getByRole('dialog')
  await expect.poll(() => dialog.getByRole('textbox', { name: 'Recipient' }).inputValue()).toBe('4711')
  await dialog.getByRole('textbox', { name: 'Name' }).fill('After')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('article', { name: 'After' }).waitFor()
  expect(await ui.api('GET', `/api/monitoring/alerts/${id}`)).toMatchObject({ ...body, name: 'After' })
})

test('the log is filtered and followed', async () => {
  const page = await ui.open('/monitor/logs?level=error')
  const log = page.getByRole('region', { name: 'Log', exact: true })
  await log.getByText('No matching lines').waitFor()
  ui.daemon.host.log.write('error', 'the kettle is dry', { kind: 'scheduler.run' })
  await log.getByText('the kettle is dry').waitFor()
  await page.getByRole('textbox', { name: 'Search the log' }).fill('teapot')
  await log.getByText('No matching lines').waitFor()
  await page.getByRole('textbox', { name: 'Search the log' }).fill('KETTLE')
  await log.getByText('the kettle is dry').waitFor()
  await page.reload()
  await page.getByText('the kettle is dry').waitFor()
})

import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

test('a sentence becomes the form of what it asks for, and nothing is saved before', async () => {
  const page = await ui.open('/automations')
  await page.getByText('No automations yet').waitFor()
  const field = page.getByLabel('New automation')
  await field.fill('every Friday at 4pm write a summary of the week')
  await field.press('Enter')
  const form = page.getByRole('dialog')
  await form
    .getByText('Every Friday at 4:00 PM')
    .or(form.getByText(/Friday/))
    .first()
    .waitFor()
  expect(await form.getByLabel('Task').inputValue()).toMatch(/summary of the week/)
  expect(await ui.api('GET', '/api/scheduler/jobs')).toMatchObject({ total: 0 })
})

test('a sentence about an event is for an agent, not for the form of a job', async () => {
  const page = await ui.open('/automations')
  const field = page.getByLabel('New automation')
  await field.fill('tell me when a project is finished')
  await field.press('Enter')
  await page.waitForURL(/\/chat/)
  expect(await ui.api('GET', '/api/scheduler/jobs')).toMatchObject({ total: 0 })
})

test('all automations are one list, are switched there, and have one history', async () => {
  const schedule = { type: 'cron', expression: '0 9 * * *' }
  const job = { name: 'Morning briefing', goal: 'Say good morning', schedule }
  const { id } = await ui.api<{ id: string }>('POST', '/api/scheduler/jobs', job)
  const action = { kind: 'notify', message: 'Look' }
  await ui.api('POST', '/api/hooks', { name: 'Tell me', events: ['job.run.failed'], action })
  await ui.api('POST', `/api/scheduler/jobs/${id}/trigger`)
  const state = () => ui.api<{ last_status: string; status: string }>('GET', `/api/scheduler/jobs/${id}`)
  await vi.waitUntil(async () => (await state()).last_status === 'succeeded', { timeout: 60_000 })

  const page = await ui.open('/automations', { viewport: { width: 390, height: 844 } })
  const row = page.getByRole('article', { name: 'Morning briefing' })
  await row.getByText(/Every day at .* → Say good morning/).waitFor()
  await page.getByText('Job run failed → Notify').waitFor()
  await expectAccessible(page)
  expect(await sidewaysOverflow(page)).toBe(0)
  await row.getByRole('switch', { name: 'Morning briefing is on' }).click({ force: true })
  await expect.poll(async () => (await state()).status).toBe('paused')
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page
    .getByRole('link', { name: /Morning briefing/ })
    .getByText('Succeeded')
    .waitFor()
  await page.getByRole('link', { name: 'Failed', exact: true }).click()
  await page.getByText('Nothing has failed.').waitFor()
  expect(ui.complaints).toEqual([])
})

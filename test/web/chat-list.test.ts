import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

interface Job {
  id: string
}

test('a delivered reminder is a toast and an unread chat; the run itself is listed on request only', async () => {
  const page = await ui.open('/chat')
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await list.getByText('No conversations yet').waitFor()

  const job = await ui.api<Job>('POST', '/api/scheduler/jobs', {
    name: 'Tea',
    goal: 'What is 2 + 2?',
    schedule: { type: 'every', interval: 3_600 },
    delivery: { channel: 'chat' },
  })
  await ui.api('POST', `/api/scheduler/jobs/${job.id}/trigger`)
  const toast = page.getByRole('alert').filter({ hasText: 'A job has delivered its result' })
  await toast.waitFor()

  const row = list.getByRole('link', { name: /Tea/ })
  await row.getByRole('img', { name: 'Unread' }).waitFor()
  await expect.poll(() => list.getByRole('link').count()).toBe(1)
  await expectAccessible(page)

  await toast.click()
  await page.waitForURL('**/chat/conv_*')
  await row.getByRole('img', { name: 'Unread' }).waitFor({ state: 'detached' })
  const shown = page.getByRole('combobox', { name: 'Which conversations' })
  await shown.selectOption('Job runs')
  await list.getByRole('link').getByLabel('Started by a job').waitFor()
  await shown.selectOption('All')
  await expect.poll(() => list.getByRole('link').count()).toBe(2)
  expect(ui.complaints).toEqual([])
})

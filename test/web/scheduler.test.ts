import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Job, ShownRun } from '../../runtime/scheduler/schema.ts'
import { fail, hang, text, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, startUiWithModel, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

const jobs = async () => (await ui.api<{ jobs: Job[] }>('GET', '/api/scheduler/jobs?limit=200')).jobs
const named = async (name: string) => (await jobs()).find((job) => job.name === name)
const newJob = (own: object) =>
  ui.api<Job>('POST', '/api/scheduler/jobs', {
    goal: 'Say hello',
    model: 'openai/model-a',
    schedule: { type: 'cron', expression: '0 9 * * 1-5' },
    ...own,
  })
const row = (page: Page, name: string) => page.getByRole('article', { name, exact: true })
const menu = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `More actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}

test('without jobs there are three examples, and one fills the form', async () => {
  const page = await ui.open('/scheduler')
  await page.getByText('No jobs yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Use example: Morning briefing' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('list', { name: 'Next five times' }).waitFor()

  expect(await form.getByLabel('Name').inputValue()).toBe('Morning briefing')
  expect(await form.getByLabel('When to run').inputValue()).toBe('every weekday at 7:30')
})

test('plain English becomes a job: the next five times are shown, Enter fills the form', async () => {
  const page = await ui.open('/scheduler')
  const asked: string[] = []
  page.on('request', (request) => request.url().includes('parse-nl') && asked.push(request.postData() ?? ''))
  const bar = page.getByLabel('Schedule and task')
  await bar.pressSequentially('every weekday at 9: summarise my inbox')
  const times = page.getByRole('list', { name: 'Next five times' })
  await times.waitFor()
  await expect.poll(() => times.getByRole('listitem').count()).toBe(5)
  expect(await times.getByRole('listitem').allTextContents()).toEqual(
    Array.from({ length: 5 }, () => expect.stringMatching(/9:00|09:00/)),
  )
  expect(asked.length).toBeLessThan(6)
  await page.getByText('Europe/Berlin').nth(1).waitFor()
  await expectAccessible(page)
  await bar.press('Enter')
  await page.waitForURL('**/scheduler/new?*')
  const form = page.getByRole('dialog')
  await form.getByRole('list', { name: 'Next five times' }).waitFor()
  await expectAccessible(page)
  await form.getByLabel('Name').fill('Inbox')
  await form.getByRole('button', { name: 'Create job' }).click()
  await row(page, 'Inbox').getByText('Every weekday at 09:00').waitFor()

  expect(await named('Inbox')).toMatchObject({
    goal: 'summarise my inbox',
    schedule: { type: 'cron', timezone: 'Europe/Berlin' },
    delivery: { channel: 'chat' },
    status: 'active',
  })
  expect(ui.complaints).toEqual([])
})

test('the bar understands a sentence without a colon', async () => {
  const page = await ui.open('/scheduler')
  const bar = page.getByLabel('Schedule and task')
  await bar.fill('gibberish')
  await page.getByText('"gibberish" is not understood as a time', { exact: true }).waitFor()
  await bar.fill('every weekday at 9 summarise my inbox')
  await page.getByText('Task: summarise my inbox').waitFor()
  await bar.press('Enter')
  await page.waitForURL('**/scheduler/new?*')
  const form = page.getByRole('dialog')
  await form.getByRole('list', { name: 'Next five times' }).waitFor()
  expect(await form.getByLabel('Task').inputValue()).toBe('summarise my inbox')
  expect(await form.getByLabel('When to run').inputValue()).toBe('every weekday at 9')
})

test('text without a time is rejected, and errors appear at their fields', async () => {
  const page = await ui.open('/scheduler/new?when=whenever%20it%20suits')
  const form = page.getByRole('dialog')
  await form.getByLabel('Task').fill('Something')
  await form.getByRole('status').first().waitFor()
  await form.getByRole('button', { name: 'Create job' }).click()
  await form.getByText('Enter a schedule').waitFor()

  await form.getByText('Cron', { exact: true }).click()
  await form.getByLabel('Cron expression').fill('every now and then')
  await form.getByRole('status').first().waitFor()
  await form.getByRole('button', { name: /^More/ }).click()
  await form.getByRole('combobox', { name: 'Deliver to' }).click()
  await page.getByRole('option', { name: 'Webhook' }).click()
  await form.getByLabel('Cron expression').fill('0 9 * * *')
  await form.getByRole('button', { name: 'Create job' }).click()
  const address = form.getByRole('textbox', { name: 'URL' })
  await expect.poll(() => address.getAttribute('aria-invalid')).toBe('true')
  await expectAccessible(page)
  await form.getByRole('combobox', { name: 'Deliver to' }).click()
  await page.getByRole('option', { name: 'None' }).click()
  await form.getByRole('button', { name: 'Create job' }).click()
  await row(page, 'Something').waitFor()

  expect(await named('Something')).toMatchObject({ delivery: { channel: 'none' } })
})

test('an interval and a date are shown with their next times', async () => {
  const page = await ui.open('/scheduler/new')
  const form = page.getByRole('dialog')
  const times = form.getByRole('list', { name: 'Next five times' }).getByRole('listitem')
  await form.getByText('Interval', { exact: true }).click()
  await times.nth(4).waitFor()
  await expect.poll(() => times.count()).toBe(5)
  await form.getByText('Once', { exact: true }).click()
  await form.getByLabel('Date and time').fill('2099-05-04T10:00')
  await expect.poll(() => times.allTextContents()).toEqual([expect.stringContaining('2099')])
})

test('run now: the run is followed to its output, and is in the history', async () => {
  const job = await newJob({ name: 'Greeter' })
  wire.script(text('Hello **world**'))
  const page = await ui.open('/scheduler')
  await menu(page, 'Greeter', 'Run now')
  await page.waitForURL('**/scheduler/job_*/run_*')
  const drawer = page.getByRole('dialog')
  const output = drawer.getByRole('region', { name: 'Output' })
  await output.locator('strong', { hasText: 'world' }).waitFor()
  await drawer.getByText('Succeeded').waitFor()
  await drawer.getByRole('region', { name: 'Log' }).getByText('Say hello').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.waitForURL(`**/scheduler/${job.id}`)
  await page.getByRole('region', { name: 'Runs' }).getByText('Hello **world**').waitFor()
  await page.getByRole('region', { name: 'Last 30 days' }).getByText('100 %').waitFor()
  await expectAccessible(page)
  expect(ui.complaints).toEqual([])
})

test('a run that hangs is shown on Home, and can be cancelled', async () => {
  const job = await newJob({ name: 'Sleeper' })
  wire.script(hang())
  const { run_id } = await ui.api<{ run_id: string }>('POST', `/api/scheduler/jobs/${job.id}/trigger`)
  const page = await ui.open('/')
  await page
    .getByRole('region', { name: 'Running now' })
    .getByRole('link', { name: /Sleeper/ })
    .click()
  await page.waitForURL(`**/scheduler/${job.id}/${run_id}`)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel run' }).click()
  await page.getByRole('dialog').getByText('Cancelled by a person').waitFor()

  expect(await ui.api<ShownRun>('GET', `/api/scheduler/jobs/${job.id}/runs/${run_id}`)).toMatchObject({
    status: 'cancelled',
  })
})

test('Home shows what is next and what failed', async () => {
  const job = await newJob({ name: 'Stumbler', schedule: { type: 'every', interval: 60 } })
  wire.script(fail(400), fail(400), fail(400))
  const page = await ui.open('/')
  await page.getByRole('region', { name: 'Next up' }).getByText('Stumbler').waitFor()
  await ui.api('POST', `/api/scheduler/jobs/${job.id}/trigger`)
  await page.getByRole('region', { name: 'Failures' }).getByText('Stumbler').waitFor()
  await expectAccessible(page)
  await ui.api('DELETE', `/api/scheduler/jobs/${job.id}`)
  await page.getByRole('region', { name: 'Failures' }).waitFor({ state: 'detached' })
})

test('pauses and resumes with the switch, edits, duplicates, and deletes by name', async () => {
  await newJob({ name: 'Papers' })
  const page = await ui.open('/scheduler')
  await row(page, 'Papers').getByRole('switch').click({ force: true })
  await row(page, 'Papers').getByText('Paused').waitFor()
  expect((await named('Papers'))?.status).toBe('paused')
  await row(page, 'Papers').getByRole('switch').click({ force: true })
  await row(page, 'Papers').getByText('Paused').waitFor({ state: 'detached' })

  await menu(page, 'Papers', 'Edit')
  const form = page.getByRole('dialog')
  await form.getByLabel('Cron expression').fill('30 18 * * 5')
  await form.getByText('At 18:30, only on Friday').waitFor()
  await form.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Every Friday at 18:30').first().waitFor()
  await page.waitForURL('**/scheduler/job_*')
  expect(await named('Papers')).toMatchObject({ schedule: { expression: '30 18 * * 5' } })

  await menu(page, 'Papers', 'Duplicate')
  await page.waitForURL('**/scheduler/new?copy=*')
  await page.getByRole('dialog').getByRole('button', { name: 'Create job' }).click()
  await menu(page, 'Papers (copy)', 'Delete…')
  await page.getByLabel('Type “Papers (copy)” to confirm').fill('Papers (copy)')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL('**/scheduler')
  expect(await named('Papers (copy)')).toBeUndefined()
  expect(await named('Papers')).toBeDefined()
})

test('a dry run estimates one run; a backfill shows the number of runs before it starts', async () => {
  const job = await newJob({ name: 'Careful', schedule: { type: 'cron', expression: '0 9 * * *' } })
  const page = await ui.open(`/scheduler/${job.id}/dry-run`)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('with openai/model-a').waitFor()
  await expect.poll(() => dialog.getByRole('list', { name: 'Next runs' }).getByRole('listitem').count()).toBe(10)
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Backfill' }).click()
  await page.getByText('The job was due 7 times. It will run 7 times.').waitFor()
  await expectAccessible(page)
  wire.script(...Array.from({ length: 7 }, () => text('Made up')))
  await page.getByRole('button', { name: 'Run 7 times' }).click()
  await page.getByRole('region', { name: 'Runs' }).getByText('Backfill').nth(6).waitFor()
})

test('the calendar shows planned runs by month and by week', async () => {
  const job = await newJob({ name: 'Daily', schedule: { type: 'cron', expression: '15 6 * * *' } })
  const page = await ui.open('/scheduler/calendar?day=2099-03-11')
  await page.getByRole('button', { name: /^Wednesday,? (March 11|11 March), \d+ runs?/ }).click()
  await page
    .getByRole('link', { name: /^0?6:15.*Daily/ })
    .first()
    .waitFor()
  await expectAccessible(page)
  await page.getByText('Week', { exact: true }).click()
  await page.waitForURL('**by=week**')
  await expect.poll(() => page.getByRole('link', { name: /Daily/ }).count()).toBe(7)
  await expectAccessible(page)
  await ui.api('DELETE', `/api/scheduler/jobs/${job.id}`)
})

test('a job that runs every minute leaves no day of the calendar empty', async () => {
  const job = await newJob({ name: 'Minutely', schedule: { type: 'cron', expression: '* * * * *' } })
  const page = await ui.open('/scheduler/calendar?day=2099-03-11')
  await page.getByRole('button', { name: /^Tuesday,? (March 31|31 March), 1,4\d\d runs/ }).waitFor()
  await page.getByText('60 runs in this hour').first().waitFor()
  expect(await page.getByRole('button', { name: /, 0 runs/ }).count()).toBe(0)
  await ui.api('DELETE', `/api/scheduler/jobs/${job.id}`)
})

test.each([1_280, 390])('planned, succeeded, failed and missed runs differ by icon: %i px', async (width) => {
  const page = await ui.open('/scheduler', { viewport: { width, height: 800 } })
  const statuses = ['planned', 'succeeded', 'failed', 'missed']
  const events = statuses.map((status, index) => {
    const kind = status === 'planned' ? 'planned' : 'run'
    const at = `2099-03-${10 + index}T09:00:00.000Z`
    return { job_id: `job_${status}`, name: status, at, kind, status, run_id: null, count: 1 }
  })
  await page.route('**/calendar-data?*', (route) => route.fulfill({ json: { events, truncated: false } }))
  await page.goto(`${ui.daemon.url}/scheduler/calendar?day=2099-03-11`)
  const icons = page.locator('ol button svg')
  await icons.nth(3).waitFor()
  const looks = await icons.evaluateAll((all) =>
    all.map((icon) => `${icon.getAttribute('class')?.match(/tabler-icon-[\w-]+/)} ${getComputedStyle(icon).display}`),
  )
  expect(looks).not.toContainEqual(expect.stringContaining('none'))
  expect(new Set(looks).size).toBe(statuses.length)
})

test('the activity of a week is a table that can be read without colors', async () => {
  const page = await ui.open('/scheduler/heatmap')
  await page.getByRole('table', { name: 'Activity by hour and weekday' }).waitFor()
  await expect.poll(() => page.getByRole('row').count()).toBe(25)
  await expectAccessible(page)
})

test('a chain is drawn, run, and shows the status of each job', async () => {
  await newJob({ name: 'Fetch', schedule: { type: 'at', datetime: '2099-01-01T00:00:00Z' } })
  await newJob({ name: 'Report', schedule: { type: 'at', datetime: '2099-01-01T00:00:00Z' } })
  const page = await ui.open('/scheduler/chains')
  await page.getByText('No chains yet').waitFor()
  await page.getByRole('link', { name: 'New chain' }).click()
  await page.getByLabel('Name').fill('Evening')
  await page.getByRole('combobox', { name: 'Jobs' }).click()
  await page.getByRole('option', { name: 'Fetch' }).click()
  await page.getByRole('option', { name: 'Report' }).click()
  await page.keyboard.press('Escape')
  const point = (name: string, side: string) =>
    page.locator('.react-flow__node', { hasText: name }).locator(`.react-flow__handle-${side}`)
  await point('Fetch', 'right').dragTo(point('Report', 'left'))
  await page.getByText('Fetch → Report').waitFor()
  await expectAccessible(page)
  await point('Report', 'right').dragTo(point('Fetch', 'left'))
  await page.getByText('would create a cycle').waitFor()
  wire.script(text('Fetched'), text('Reported'))
  await page.getByRole('button', { name: 'Create chain' }).click()
  await page.getByRole('button', { name: 'Run chain' }).click()
  const steps = page.getByRole('region', { name: 'Jobs of the chain' })
  await steps.getByText('Succeeded').nth(1).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByLabel('Type “Evening” to confirm').fill('Evening')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('No chains yet').waitFor()
  expect(ui.complaints).toEqual([])
})

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Loop, LoopDetails } from '../../runtime/loops/schema.ts'
import type { Agent } from '../../runtime/tools/agent.ts'
import { slow, startWire, text, toolCall } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

/** The offline model can do this with its tools. */
const goal = 'Write "Hello" to hello.txt'
const check = (code: string) => ({ kind: 'command', spec: { language: 'javascript', code } })

const newLoop = (more: object = {}) => ui.api<Loop>('POST', '/api/loops', { goal, ...more })
const loop = (id: string) => ui.api<LoopDetails>('GET', `/api/loops/${id}`)
const reaches = (id: string, state: Partial<Loop>) =>
  expect.poll(() => loop(id), { timeout: 30_000 }).toMatchObject(state)
const menu = async (page: Page, name: string, item: string) => {
  await page.getByRole('button', { name: `More actions for ${name}`, exact: true }).click()
  await page.getByRole('menuitem', { name: item }).click()
}
const screenshot = (page: Page, name: string) => page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })

test('a new loop can be cancelled', async () => {
  const page = await ui.open('/loops/new')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL('**/loops')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
})

test('a loop is created and started in one step', async () => {
  const page = await ui.open('/loops/new')
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Goal' }).fill('Write "Bye" to bye.md')
  await form.getByRole('textbox', { name: 'Name' }).fill('Farewell')
  await form.getByLabel('Start it now').check()
  await form.getByRole('button', { name: 'Create and start' }).click()
  await page.getByRole('heading', { name: 'Farewell' }).waitFor()
  await expect
    .poll(async () => (await ui.api<{ loops: Loop[] }>('GET', '/api/loops')).loops[0]?.status, { timeout: 30_000 })
    .not.toBe('draft')
  const { loops } = await ui.api<{ loops: Loop[] }>('GET', '/api/loops')
  for (const { id } of loops) await ui.api('DELETE', `/api/loops/${id}`)
})

test('a template asks for what it leaves open and becomes a loop', async () => {
  const page = await ui.open('/loops')
  await page.getByText('No loops yet').waitFor()
  await page.getByRole('link', { name: 'Use example: Do it until I am content' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'loops-empty')
  await page.getByRole('link', { name: 'Use example: Do it until I am content' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('What to do').fill('Write "Dear guests" to invitation.md')
  await expectAccessible(page)
  await screenshot(page, 'loop-template')
  await form.getByRole('button', { name: 'Create loop' }).click()
  await page.getByRole('heading', { name: 'Do it until I am content' }).waitFor()
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByRole('region', { name: 'Needs you' }).getByRole('button', { name: 'Accept' }).click()
  await page.getByText('Goal reached').waitFor()
  const { loops } = await ui.api<{ loops: Loop[] }>('GET', '/api/loops')
  expect(loops).toMatchObject([{ goal: 'Write "Dear guests" to invitation.md', status: 'completed' }])

  await page.goto(`${ui.daemon.url}/loops/new`)
  await form.getByLabel('Start from').selectOption({ label: 'Wait until a site answers' })
  await form.getByLabel('Address').fill('nonsense')
  await form.getByRole('button', { name: 'Create loop' }).click()
  await form.getByRole('alert').waitFor()
  expect(ui.complaints).toEqual([])
})

test('a loop is created, runs until its check is satisfied, and is duplicated', async () => {
  const page = await ui.open('/loops')
  await page.getByRole('link', { name: 'New loop' }).click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Goal').fill(goal)
  await form.getByLabel('Name').fill('Greeting')
  await form.getByLabel('Success criteria').fill('hello.txt says Hello')
  await form.getByRole('radio', { name: 'A URL responds' }).click()
  await form.getByRole('textbox', { name: 'URL' }).fill('nonsense')
  await form.getByRole('button', { name: 'Create loop' }).click()
  await form.getByRole('radio', { name: 'A check decides' }).click()
  await form.getByLabel('JavaScript check').fill('return input.files["hello.txt"] === "Hello"')
  await form.getByLabel('Tokens').fill('50000')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create loop' }).click()
  await page.getByRole('heading', { name: 'Greeting' }).waitFor()
  await page.getByText('No iterations yet').waitFor()
  await page.getByText('Takes effect in the first iteration').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('Goal reached').waitFor()
  const iteration = page.getByRole('article', { name: 'Iteration 1' })
  await iteration.getByText('100 of 100').waitFor()
  await iteration.getByRole('button', { name: '1 action' }).click()
  await iteration.getByText('files', { exact: true }).waitFor()
  await page.getByText('1 of 20').waitFor()
  expect(await page.getByRole('region', { name: 'Steer' }).count()).toBe(0)
  await expectAccessible(page)
  await screenshot(page, 'loop-completed')

  for (const view of ['Log', 'Details']) {
    await page.getByRole('link', { name: view, exact: true }).click()
    await page.getByText(goal).nth(1).waitFor()
    await expectAccessible(page)
  }
  await page.getByRole('link', { name: 'Runs', exact: true }).click()
  await page.getByRole('link', { name: /^Iterations of the run of/ }).click()
  await page.getByRole('article', { name: 'Iteration 1' }).waitFor()
  await menu(page, 'Greeting', 'Duplicate…')
  expect(await form.getByLabel('Name').inputValue()).toBe('Greeting (copy)')
  expect(await form.getByLabel('JavaScript check').inputValue()).toContain('hello.txt')
  await form.getByRole('button', { name: 'Create loop' }).click()
  await page.getByRole('heading', { name: 'Greeting (copy)' }).waitFor()
  expect(ui.complaints).toEqual([])
})

test('the owner verifies on the page and on Home, and steers in between', async () => {
  const spec = { question: 'Is the letter friendly enough?' }
  const { id } = await newLoop({ name: 'Friendly letter', verification: { kind: 'human', spec } })
  const page = await ui.open(`/loops/${id}`)
  await page.getByRole('button', { name: 'Start' }).click()
  const needs = page.getByRole('region', { name: 'Needs you' })
  await needs.getByText(spec.question).waitFor()
  await expectAccessible(page)
  await page.getByText('Needs your answer').waitFor()
  await screenshot(page, 'loop-question')
  await page.getByLabel('What should the agent do differently?').fill('Write "Hi" to hi.txt')
  await page.getByRole('button', { name: 'Send' }).click()
  await page.getByText('For the next iteration:').waitFor()
  expect(await loop(id)).toMatchObject({ steering: ['Write "Hi" to hi.txt'] })
  await needs.getByLabel('Or say what is missing').fill('It needs a greeting')
  await needs.getByRole('button', { name: 'Answer' }).click()
  await page.getByRole('article', { name: 'Iteration 1' }).getByText('It needs a greeting', { exact: true }).waitFor()
  await reaches(id, { status: 'blocked', iteration: 2, steering: [] })

  await page.goto(`${ui.daemon.url}/`)
  const asked = page.getByRole('article', { name: 'Question of Friendly letter' })
  await asked.getByText(spec.question).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'home-loop-question')
  await asked.getByRole('button', { name: 'Accept' }).click()
  await asked.waitFor({ state: 'detached' })
  await reaches(id, { status: 'completed', stop_reason: 'complete' })
  expect(ui.complaints).toEqual([])
})

test('a loop waits, pauses, resumes, stops, is edited and deleted by name', async () => {
  const { id } = await newLoop({
    name: 'Patience',
    verification: check('return { complete: false, score: 30, missing: ["A second page"] }'),
    interval_seconds: 3_600,
  })
  const page = await ui.open(`/loops/${id}`)
  await page.getByRole('button', { name: 'Start' }).click()
  await page.getByText('which starts').waitFor()
  await page.getByRole('article', { name: 'Iteration 1' }).getByText('A second page').waitFor()
  await page.getByRole('button', { name: 'Pause' }).click()
  await page.getByText('after you resume the loop').waitFor()
  await page.getByRole('button', { name: 'Resume' }).click()
  await reaches(id, { status: 'waiting', iteration: 2 })
  await page.getByRole('button', { name: 'Stop' }).click()
  await page.getByRole('button', { name: 'Stop loop' }).click()
  await page.getByRole('status').getByText('Stopped', { exact: true }).waitFor()
  await page.goto(`${ui.daemon.url}/loops`)
  const row = page.getByRole('article', { name: 'Patience' })
  await row.getByText('Not complete, 30 of 100, 1 thing missing').waitFor()
  await row.getByText('Iteration 2 of 20').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'loops')
  await page.getByLabel('Search loops').fill('patience')
  await page.getByText('Stopped 1', { exact: true }).click()
  await menu(page, 'Patience', 'Edit')
  await page.getByLabel('Maximum iterations').fill('5')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 of 5').waitFor()
  expect(await loop(id)).toMatchObject({ max_iterations: 5, interval_seconds: 3_600, status: 'cancelled' })
  await menu(page, 'Patience', 'Delete…')
  await page.getByLabel('Type “Patience” to confirm').fill('Patience')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Patience was deleted').waitFor()
  await page.waitForURL('**/loops')
})

test('a loop that fails says why, on a phone too', async () => {
  const { id } = await newLoop({
    name: 'Two tries',
    goal: 'Tell the time',
    verification: check('return { complete: false, score: input.iteration * 20, missing: ["More"] }'),
    max_iterations: 3,
    budget: { tokens: 50_000, usd: 1, minutes: 10 },
  })
  await ui.api('POST', `/api/loops/${id}/start`)
  await reaches(id, { status: 'failed', stop_reason: 'max_iterations' })
  const page = await ui.open(`/loops/${id}`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('alert').getByText('Raise the maximum under Edit').waitFor()
  await page.getByRole('list').filter({ hasText: '3' }).first().waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await expectAccessible(page)
  await screenshot(page, 'loop-phone')
  const home = await ui.open('/')
  await home
    .getByRole('region', { name: 'Failures' })
    .getByRole('link', { name: /Two tries/ })
    .waitFor()
  await home.keyboard.press('Control+k')
  await home.getByLabel('Find or do anything').fill('two tries')
  await home.getByRole('button', { name: 'Two tries', exact: true }).click()
  await home.getByRole('heading', { name: 'Two tries' }).waitFor()
  for (const path of [`/loops/${id}/log`, `/loops/${id}/runs`, `/loops/${id}/details`, '/loops', '/loops/new']) {
    await page.goto(ui.daemon.url + path)
    const ready = path === '/loops/new' ? page.getByLabel('Goal') : page.getByText(/Two tries|hello\.txt/)
    await ready.first().waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
  }
  await screenshot(page, 'loop-new-phone')
})

test('an iteration is followed while it runs, and the judge says what is missing', async () => {
  await using wire = await startWire()
  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  const agent = await ui.api<Agent>('POST', '/api/agents', {
    name: 'Poet',
    model: { provider: 'openai', model: 'model-a' },
  })
  const { id } = await newLoop({
    name: 'A poem',
    goal: 'Write a poem to poem.md',
    agent_id: agent.id,
    execution_mode: 'autonomous',
  })
  const write = (content: string) => toolCall('files', { action: 'write', path: 'poem.md', content })
  const verdict = (more: object) =>
    toolCall('submit_verdict', { score: 40, complete: false, missing: [], evidence: 'poem.md', ...more })
  wire.script(
    write('Roses are red'),
    slow(['The first line ', 'stands.']),
    verdict({ missing: ['A second line'] }),
    write('Roses are red, violets are blue'),
    text('Both lines stand.'),
    verdict({ score: 95, complete: true, evidence: 'poem.md has two lines' }),
  )
  const page = await ui.open(`/loops/${id}`)
  await page.getByRole('button', { name: 'Start' }).click()
  const first = page.getByRole('article', { name: 'Iteration 1' })
  await first.getByText('Running', { exact: true }).waitFor()
  await first.getByRole('list', { name: 'Actions' }).getByText('poem.md').first().waitFor()
  await expectAccessible(page)
  await screenshot(page, 'loop-running')
  const home = await ui.open('/')
  await home.getByRole('region', { name: 'Running now' }).getByText('Iteration 1 of 20').waitFor()
  wire.release(1_000)
  await page.getByText('Goal reached').waitFor()
  await first.getByText('A second line').waitFor()
  await page.getByRole('article', { name: 'Iteration 2' }).getByText('poem.md has two lines').waitFor()
  await home.getByRole('region', { name: 'Running now' }).getByText('Nothing is running.').waitFor()
  expect(ui.complaints).toEqual([])
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ProjectDetails } from '../../runtime/projects/schema.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

const letters = '1. Write "Hello" to hello.txt\n2. Write "Bye" to bye.txt'

/** A project with its plan, made through the API. */
async function planned(name: string, more: object = {}): Promise<ProjectDetails> {
  const body = { name, description: letters, ...more }
  const { id } = await ui.api<{ id: string }>('POST', '/api/projects', body)
  await ui.api('POST', `/api/projects/${id}/generate-plan`)
  return expect
    .poll(() => ui.api<ProjectDetails>('GET', `/api/projects/${id}`), { timeout: 30_000 })
    .toMatchObject({ planning: false, plan: { version: 1 } })
    .then(() => ui.api<ProjectDetails>('GET', `/api/projects/${id}`))
}

test('from an example to a finished output: plan, approval, board, files and timeline', async () => {
  const page = await ui.open('/projects')
  await page.getByText('No projects yet').waitFor()
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Use example: Try it offline' }).click()
  await page.getByLabel('Name').fill('Two letters')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create and plan' }).click()
  const needs = page.getByRole('region', { name: 'Needs you' })
  await needs.getByText('The plan waits for your approval').waitFor()
  await page.getByRole('link', { name: 'Write "Bye" to bye.txt' }).waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Approve and start' }).click()
  await page.getByText('2 of 2 tasks').waitFor()
  await page.getByRole('main').getByText('Completed').first().waitFor()
  expect(await needs.count()).toBe(0)

  await page.getByRole('link', { name: /Write "Hello" to hello.txt/ }).click()
  const task = page.getByRole('dialog')
  await task.getByRole('button', { name: 'hello.txt' }).click()
  await page.getByLabel('Content').getByText('Hello').waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Escape')
  await task.getByRole('log').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Files', exact: true }).last().click()
  await page.getByRole('article', { name: 'bye.txt' }).waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download all files as a zip' }).click()
  expect((await downloading).suggestedFilename()).toBe('Two letters.zip')
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Timeline' }).click()
  await page
    .getByText(/, completed$/)
    .first()
    .waitFor()
  await page.getByRole('link', { name: 'Graph' }).click()
  await page.getByRole('region', { name: 'Task graph' }).getByText('Write "Bye"').waitFor()
  expect(ui.complaints).toEqual([])
})

test('a plan waits, is edited and compared, and its project is cancelled and deleted by name', async () => {
  const { id } = await planned('Waiting letters')
  const page = await ui.open('/')
  const needs = page.getByRole('region', { name: 'Needs you' })
  await needs.getByRole('link', { name: /Waiting letters.*Its plan waits for your approval/ }).waitFor()
  await page.goto(`${ui.daemon.url}/projects`)
  await page.getByRole('article', { name: 'Waiting letters' }).getByText('Needs you').waitFor()
  await page.getByLabel('Search projects').fill('waiting')
  await page.getByText('Not started 1', { exact: true }).click()
  await page.getByRole('link', { name: 'Waiting letters' }).click()
  await page.getByRole('link', { name: /Write "Bye"/ }).click()
  await page.getByRole('button', { name: 'Edit' }).click()
  await page.getByLabel('Title').fill('Write "Goodbye" to bye.txt')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog', { name: 'Write "Goodbye" to bye.txt' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add phase' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add phase' })
  await dialog.getByLabel('Name').fill('Tasting')
  await dialog.getByRole('button', { name: 'Add' }).click()
  await page.getByRole('region', { name: 'Tasting' }).waitFor()
  await page
    .getByRole('link', { name: /^Add task/ })
    .first()
    .click()
  await page.getByLabel('Title').fill('Read both letters')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add task' }).click()
  await page.getByRole('link', { name: 'Read both letters' }).waitFor()

  await page.getByRole('button', { name: 'More actions for Waiting letters' }).click()
  await page.getByRole('menuitem', { name: 'Regenerate plan…' }).click()
  await page.getByRole('button', { name: 'Regenerate', exact: true }).click()
  await expect.poll(async () => (await project(id)).plan?.version, { timeout: 30_000 }).toBe(2)
  await page.getByRole('link', { name: 'Plan', exact: true }).click()
  await page.getByLabel('Compare with').selectOption({ label: 'Version 1' })
  await page.getByText('Version 1 to 2: nothing changes').waitFor()

  await page.getByRole('button', { name: 'Cancel', exact: true }).click()
  await page.getByRole('button', { name: 'Cancel project' }).click()
  await page.getByRole('main').getByText('Cancelled').first().waitFor()
  expect((await project(id)).status).toBe('cancelled')
  await page.getByRole('button', { name: 'More actions for Waiting letters' }).click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await page.getByLabel('Type “Waiting letters” to confirm').fill('Waiting letters')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.waitForURL('**/projects')
  await page.getByText('Waiting letters was deleted').waitFor()
})

const project = (id: string) => ui.api<ProjectDetails>('GET', `/api/projects/${id}`)

test('a failed task says why and can be skipped, on a phone too', async () => {
  const description = '1. Write "Hello" to hello.txt\n2. Compose a symphony'
  const { id } = await planned('Music', { description, auto_approve_plan: true })
  await expect.poll(async () => (await project(id)).status, { timeout: 30_000 }).toBe('failed')
  const page = await ui.open(`/projects/${id}`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('alert').getByRole('link', { name: 'Compose a symphony' }).waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await expectAccessible(page)
  await page.getByRole('alert').getByRole('link', { name: 'Compose a symphony' }).click()
  await page.getByRole('dialog').getByText('The last attempt failed').waitFor()
  await page.getByRole('button', { name: 'Skip', exact: true }).click()
  await page.getByRole('button', { name: 'Skip task' }).click()
  await expect.poll(async () => (await project(id)).status, { timeout: 30_000 }).toBe('completed')
  await page.getByRole('dialog').getByText('Skipped').first().waitFor()
  for (const view of ['graph', 'timeline', 'files', 'plan', 'audit']) {
    await page.goto(`${ui.daemon.url}/projects/${id}/${view}`)
    await page.getByRole('navigation', { name: 'Project views' }).waitFor()
    expect(await sidewaysOverflow(page)).toBe(0)
  }
})

test('several projects are selected and deleted together', async () => {
  const names = ['Batch one', 'Batch two', 'Batch kept']
  for (const name of names) await ui.api('POST', '/api/projects', { name, description: letters })
  const page = await ui.open('/projects?search=Batch', { viewport: { width: 390, height: 844 } })
  await page.getByRole('button', { name: 'Select', exact: true }).click()
  await page.getByText('Select projects to delete').waitFor()
  expect(await page.getByRole('button', { name: 'Delete…' }).isDisabled()).toBe(true)
  for (const name of names.slice(0, 2)) await page.getByLabel(`Select ${name}`).check()
  await page.getByText('2 projects selected').waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Delete…' }).click()
  await page.getByText('2 projects and their tasks and files are deleted').waitFor()
  await page.getByLabel('Type “2” to confirm').fill('2')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('2 projects deleted').waitFor()
  await page.getByRole('article', { name: 'Batch kept' }).waitFor()
  expect(await page.getByRole('article').count()).toBe(1)
  expect(await page.getByText('Select projects to delete').count()).toBe(0)
})

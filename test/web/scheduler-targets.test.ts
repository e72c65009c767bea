import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Loop } from '../../runtime/loops/schema.ts'
import type { Project } from '../../runtime/projects/schema.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

test('a job repeats a project, and its run opens the new one', async () => {
  const body = { name: 'Letters', description: '1. Write "Hello" to hello.txt', auto_approve_plan: true }
  const { id } = await ui.api<Project>('POST', '/api/projects', body)
  await ui.api('POST', `/api/projects/${id}/generate-plan`)
  await expect
    .poll(() => ui.api<Project>('GET', `/api/projects/${id}`), { timeout: 30_000 })
    .toMatchObject({ status: 'completed' })
  const page = await ui.open('/scheduler/new?when=every%20Friday%20at%204pm')
  const form = page.getByRole('dialog')
  await form.getByRole('combobox', { name: 'Starts' }).click()
  await page.getByRole('option', { name: 'A project' }).click()
  await form.getByText('its plan waits for your approval').waitFor()
  await form.getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'Letters' }).click()
  await form.getByText('carries out its approved plan').waitFor()
  expect(await form.getByLabel('Task').count()).toBe(0)
  await expectAccessible(page)
  await form.getByRole('list', { name: 'Next five times' }).waitFor()
  await form.getByRole('button', { name: 'Create job' }).click()
  await page.getByRole('link', { name: 'Repeat the project Letters' }).click()
  await page.getByRole('link', { name: 'Project: Letters' }).waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('dialog').getByText('Succeeded').first().waitFor()
  await page.getByRole('dialog').getByRole('link', { name: 'Open project' }).click()
  await page.getByText('1 of 1 task', { exact: false }).waitFor()
  expect(page.url()).not.toContain(id)
  expect(ui.complaints).toEqual([])
})

test('a job runs a loop, which must be chosen, and its run opens the iterations', async () => {
  const code = 'return input.files["hello.txt"] === "Hello"'
  await ui.api<Loop>('POST', '/api/loops', {
    name: 'Greeting',
    goal: 'Write "Hello" to hello.txt',
    verification: { kind: 'command', spec: { language: 'javascript', code } },
  })
  const page = await ui.open('/scheduler/new?when=every%20Friday%20at%204pm')
  const form = page.getByRole('dialog')
  await form.getByRole('list', { name: 'Next five times' }).waitFor()
  await form.getByRole('combobox', { name: 'Starts' }).click()
  await page.getByRole('option', { name: 'A loop' }).click()
  await form.getByRole('button', { name: 'Create job' }).click()
  await form.getByText('must be the id of a loop').waitFor()
  await form.getByRole('combobox', { name: 'Starts' }).click()
  await page.getByRole('option', { name: 'A project' }).click()
  await form.getByRole('combobox', { name: 'Project' }).click()
  await page.getByRole('option', { name: 'Letters' }).first().waitFor()
  expect(await page.getByRole('option', { name: 'Greeting' }).count()).toBe(0)
  await form.getByRole('combobox', { name: 'Starts' }).click()
  await page.getByRole('option', { name: 'A loop' }).click()
  await form.getByRole('combobox', { name: 'Loop' }).click()
  await page.getByRole('option', { name: 'Greeting' }).click()
  await form.getByRole('button', { name: 'Create job' }).click()
  await page.getByRole('link', { name: 'Run the loop Greeting' }).click()
  await page.getByRole('link', { name: 'Loop: Greeting' }).waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('dialog').getByText('Succeeded').first().waitFor()
  await page.getByRole('dialog').getByRole('link', { name: 'Open loop' }).click()
  await page.getByRole('article', { name: 'Iteration 1' }).getByText('100 of 100').waitFor()
  expect(ui.complaints).toEqual([])
})

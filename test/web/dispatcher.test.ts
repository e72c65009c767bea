import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

async function say(text: string) {
  const page = await ui.open('/')
  await page.getByLabel('Message').fill(text)
  await page.getByLabel('Message').press('Enter')
  return page
}

test('a plain question on Home goes straight into a chat', async () => {
  const page = await say('What time is it in Tokyo?')
  await page.waitForURL(/\/chat\/conv_/)
  await page.getByText('What time is it in Tokyo?').first().waitFor()
})

test('a project is not started in silence: buttons ask what to do', async () => {
  const page = await say('Build a website for my choir')
  const choices = page.getByRole('group', { name: 'What to do' })
  await choices.getByRole('button', { name: 'Plan a project' }).waitFor()
  await expectAccessible(page)
  await choices.getByRole('button', { name: 'Just answer' }).click()
  await page.waitForURL(/\/chat\/conv_/)

  const { decisions } = await ui.api<{ decisions: object[] }>('GET', '/api/dispatcher/decisions')
  expect(decisions[0]).toMatchObject({ intent: 'question', method: 'override', status: 'routed' })
})

test('a setting offers its page', async () => {
  const page = await say('Switch to the dark theme')
  await page.getByRole('group', { name: 'What to do' }).getByRole('button', { name: 'Open settings' }).click()
  await page.waitForURL(/\/settings\/profile/)
})

test('decisions are listed with how they were made, and one click corrects them', async () => {
  const text = 'Summarise the news about solar power'
  await ui.api('POST', '/api/dispatcher/inject', { text })
  const page = await ui.open('/settings/dispatcher')
  const row = page.getByRole('article', { name: text })
  await row.getByText('By a rule').waitFor()
  await expectAccessible(page)
  await page.setViewportSize({ width: 390, height: 800 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await row.getByRole('button', { name: 'Change to…' }).click()
  await page.getByRole('menuitem', { name: 'Browser' }).click()
  await row.getByText('Corrected').waitFor()

  const { decision } = await ui.api<{ decision: object }>('POST', '/api/dispatcher/inject', {
    text: 'Summarise the news about wind power',
    dry_run: true,
  })
  expect(decision).toMatchObject({ intent: 'browser', method: 'override' })
  expect(ui.complaints).toEqual([])
})

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, password, sidewaysOverflow, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

test("a section's form saves each change at once, and shows errors at the field", async () => {
  await ui.api('POST', '/api/settings/reset')
  const page = await ui.open('/settings/security')
  const hours = page.getByRole('textbox', { name: 'Session length' })
  await hours.fill('8')
  await hours.blur()
  await page.getByText('Saved', { exact: true }).first().waitFor()
  const patterns = page.getByRole('textbox', { name: 'Redaction patterns' })
  await patterns.fill('project-\\w+\n(a+)\\1')
  await patterns.blur()
  await page.getByText('must not refer back to a group').waitFor()
  await expectAccessible(page)
  await patterns.fill('project-\\w+')
  await patterns.blur()
  await page.getByText('must not refer back to a group').waitFor({ state: 'detached' })

  // The message leaves as soon as the change is sent.
  await expect
    .poll(() => ui.api('GET', '/api/settings/security'))
    .toMatchObject({
      session_hours: 8,
      redact_patterns: ['project-\\w+'],
    })
  await page.getByRole('button', { name: 'Reset' }).click()
  await page.getByLabel('Type “security” to confirm').fill('security')
  await page.getByRole('button', { name: 'Reset' }).last().click()
  await page.getByText('were reset').waitFor()
  expect(await ui.api('GET', '/api/settings/security')).toMatchObject({
    session_hours: 24,
    redact_patterns: [],
  })
})

test('a search finds sections and fields by title, help and value; users see no sections of administrators', async () => {
  const page = await ui.open('/settings')
  const found = page.getByRole('region', { name: 'Found' })
  const search = page.getByLabel('Search settings')
  await search.fill('older sessions')
  await found.getByRole('link', { name: /^Session length/ }).waitFor()
  await search.fill('comfortable')
  await found.getByRole('link', { name: /^Density/ }).click()
  await page.getByRole('combobox', { name: 'Density' }).waitFor()
  const sections = page.getByRole('navigation', { name: 'Settings sections' })
  expect(await sections.locator('[aria-current]').allTextContents()).toEqual(['Interface'])
  await sections.getByRole('link', { name: 'Users' }).waitFor()
  await expectAccessible(page)

  await ui.api('POST', '/api/auth/register', { username: 'grace', password })
  const body = JSON.stringify({ username: 'grace', password })
  const headers = { 'content-type': 'application/json' }
  const login = await fetch(`${ui.daemon.url}/api/auth/login`, { method: 'POST', headers, body })
  const session = await login.json()
  await page.evaluate((value) => localStorage.setItem('hearthd.session', JSON.stringify(value)), session)
  await page.reload()
  await sections.getByRole('link', { name: 'Interface' }).waitFor()
  await page.getByText('grace').first().waitFor()
  expect(await sections.getByRole('link', { name: 'Users' }).count()).toBe(0)
  await search.fill('session length')
  await page.getByText('No setting matches.').waitFor()
})

test('quiet hours are switched on with a default night, and each end can be changed', async () => {
  const page = await ui.open('/settings/proactive')
  await page.getByRole('switch', { name: 'Quiet hours' }).click({ force: true })
  const from = page.getByLabel('From')
  await from.fill('23:30')
  await from.blur()
  await page.getByText('Saved', { exact: true }).nth(1).waitFor()
  expect(await ui.api('GET', '/api/settings/proactive')).toMatchObject({
    quiet_hours: { start: '23:30', end: '07:00' },
  })
})

test('the interface settings change how pages look and where hearthd opens', async () => {
  const page = await ui.open('/settings/interface')
  await page.getByRole('combobox', { name: 'Density' }).selectOption('Compact')
  await page.locator('html[data-density=compact]').waitFor()
  await page.getByRole('combobox', { name: 'Start page' }).selectOption('Agents')
  await page.getByText('Saved', { exact: true }).nth(1).waitFor()
  await page.goto(`${ui.daemon.url}/`)
  await page.waitForURL('**/agents')
  await ui.api('POST', '/api/settings/reset')
})

test('the password of the mail server is entered once and never shown', async () => {
  const page = await ui.open('/settings/email')
  const host = page.getByRole('textbox', { name: 'SMTP server' })
  await host.fill('127.0.0.1')
  await host.blur()
  const sender = page.getByRole('textbox', { name: 'Sender' })
  await sender.fill('hearth@example.com')
  await sender.blur()
  const port = page.getByRole('textbox', { name: 'Port' })
  await port.fill('1')
  await port.blur()
  const password = page.getByRole('textbox', { name: 'Password' })
  await password.fill('the-mail-password')
  await password.blur()
  await page.getByText('A value is stored').waitFor()
  expect(await ui.api('GET', '/api/settings/email')).toMatchObject({
    password: { configured: true, hint: '…word' },
  })
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('The email was not sent').waitFor()
  await page.getByText('cannot be reached').waitFor()
  await expectAccessible(page)
})

test('an import shows a preview first', async () => {
  const page = await ui.open('/settings/transfer')
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download' }).click()
  const path = join(mkdtempSync(join(tmpdir(), 'hearthd-')), 'settings.json')
  await (await downloading).saveAs(path)
  const file = JSON.parse(readFileSync(path, 'utf8'))
  expect(JSON.stringify(file)).not.toContain('the-mail-password')
  file.sections.interface.density = 'compact'
  file.sections.future = { a: 1 }
  writeFileSync(path, JSON.stringify(file))
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose a file' }).click()
  await (await choosing).setFiles(path)
  await page.getByText('Will be changed').waitFor()
  await page.getByText('Skipped').click()
  await page.getByText('sections.future: This release has no such section').waitFor()
  await expectAccessible(page)
  expect(await ui.api('GET', '/api/settings/interface')).toMatchObject({ density: 'comfortable' })
  await page.getByRole('button', { name: 'Import', exact: true }).click()
  await page.getByText(/settings imported/).waitFor()
  expect(await ui.api('GET', '/api/settings/interface')).toMatchObject({ density: 'compact' })
})

const pages = ['interface', 'agent', 'proactive', 'strategy', 'email', 'security', 'transfer']

test.each(pages)('%s fits on a phone', async (name) => {
  const page = await ui.open(`/settings/${name}`, { viewport: { width: 390, height: 844 } })
  await page.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor()
  await page.getByRole('main').locator('input:not([type=hidden]), button').last().waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  expect(ui.complaints).toEqual([])
  if (!process.env.SCREENSHOTS) return
  await page.screenshot({ path: `${process.env.SCREENSHOTS}/settings-${name}-390.png`, fullPage: true })
  const wide = await ui.open(`/settings/${name}`, { colorScheme: 'dark' })
  await wide.getByRole('main').getByRole('heading', { level: 2 }).first().waitFor()
  await wide.screenshot({ path: `${process.env.SCREENSHOTS}/settings-${name}-dark.png`, fullPage: true })
})

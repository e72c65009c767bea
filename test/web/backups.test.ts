import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

test('a backup is made, looked into, verified and deleted, and the schedule is set', async () => {
  const page = await ui.open('/settings/backup')
  await page.getByText('No backups yet').waitFor()
  await page.getByLabel('Include the master key', { exact: true }).first().check()
  await page.getByRole('button', { name: 'Back up now' }).click()
  await page.getByText('The backup is complete and verified.').waitFor()
  const row = page.getByRole('article', { name: /^Backup of/ })
  await row.getByText('With master key').waitFor()
  await row.getByRole('button', { name: 'Look inside' }).click()
  await row.getByRole('cell', { name: 'agents' }).waitFor()
  await row.getByRole('button', { name: 'Restore', exact: true }).click()
  const question = page.getByRole('dialog', { name: 'Restore this backup?' })
  await question.getByLabel('Type “restore” to confirm').fill('restor')
  expect(await question.getByRole('button', { name: 'Restore' }).isDisabled()).toBe(true)
  await page.screenshot({ path: join(folder, 'backup-restore-light.png') })
  await question.getByRole('button', { name: 'Cancel' }).click()

  await row.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Verify' }).click()
  await page.getByText('The backup is intact').waitFor()
  await page.getByRole('switch', { name: 'Back up every day' }).click()
  await page.getByText('Next backup').waitFor()
  await page.screenshot({ path: join(folder, 'backup-light.png'), fullPage: true })
  await expectAccessible(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.screenshot({ path: join(folder, 'backup-dark.png'), fullPage: true })
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, 'backup-phone.png'), fullPage: true })

  await row.getByRole('button', { name: /^More for/ }).click()
  await page.getByRole('menuitem', { name: 'Delete' }).click()
  await page.getByLabel('Type “delete” to confirm').fill('delete')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No backups yet').waitFor()
  expect(ui.complaints).toEqual([])
})

test('a change of the settings is listed with its values, and undone', async () => {
  await ui.api('PUT', '/api/settings/interface', { density: 'compact' })
  await ui.api('PUT', '/api/settings/email', { host: 'mail.example.com', password: 'a canary' })
  const page = await ui.open('/settings/history')
  await page.getByText('a secret was changed').first().waitFor()
  const row = page.getByRole('article', { name: 'Interface: density' })
  await row.getByText('comfortable → compact').waitFor()
  await row.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Undo' }).click()
  await page.getByText('The change was undone').waitFor()
  await page.getByText('compact → comfortable').waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'history-light.png'), fullPage: true })
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.reload()
  await row.first().waitFor()
  await page.screenshot({ path: join(folder, 'history-phone.png'), fullPage: true })
})

import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

const cell = (column: string, row: number) => new RegExp(`^${column} of row ${row}: `)

test('a table is made, filled in place, sorted, searched and put back', async () => {
  const page = await ui.open('/tables')
  await page.getByRole('button', { name: 'New table' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).first().fill('People')
  await form.getByRole('button', { name: /^Add/ }).click()
  await form.getByLabel('Name', { exact: true }).nth(2).fill('Age')
  await form.getByLabel('Type').nth(1).selectOption('Number')
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create table' }).click()
  await page.getByRole('heading', { name: 'People' }).waitFor()

  for (const [row, name, age] of [
    [1, 'Zoe', '8'],
    [2, 'Ada', '36'],
  ] as const) {
    await page.getByRole('button', { name: 'Add row' }).click()
    await page.getByRole('button', { name: cell('Name', row) }).click()
    await page.getByLabel(`Name of row ${row}`, { exact: true }).fill(name)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Name of row ${row}: ${name}` }).waitFor()
    await page.getByRole('button', { name: cell('Age', row) }).click()
    await page.getByLabel(`Age of row ${row}`, { exact: true }).fill(age)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: `Age of row ${row}: ${age}` }).waitFor()
  }
  await expectAccessible(page)

  const first = page.getByRole('table').getByRole('row').nth(1)
  await page.getByRole('button', { name: 'Name', exact: true }).click()
  await first.getByText('Ada').waitFor()
  await page.getByLabel('Search the rows').fill('36')
  await page.getByText('1 row contains “36”').waitFor()
  await page.getByLabel('Search the rows').fill('')

  await page.getByLabel('Choose row 1').click()
  await page.getByRole('button', { name: 'Delete 1 row' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  const history = page.getByRole('region', { name: 'History' })
  await history.getByRole('article', { name: '1 row deleted' }).getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Name of row 1: Zoe' }).waitFor()
  await history.getByText('Undone').waitFor()
  expect(ui.complaints).toEqual([])
})

test('CSV comes in and goes out', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/tables', { name: 'Prices' })
  const page = await ui.open(`/tables/${id}`)
  const path = join(tmpdir(), `hearthd-${id}.csv`)
  writeFileSync(path, 'Name,Price\nTea,2.5\n"Coffee, black",3\n')
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Import CSV' }).click(),
  ])
  await chooser.setFiles(path)
  await page.getByRole('button', { name: 'Price of row 2: 3' }).waitFor()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ])
  expect(readFileSync(await download.path(), 'utf8')).toBe('Name,Price\r\nTea,2.5\r\n"Coffee, black",3\r\n')
})

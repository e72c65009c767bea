import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { SandboxStatus } from '../../runtime/sandbox/schema.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let status: SandboxStatus
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ui = await startUi()
  status = await ui.api('GET', '/api/sandbox/status')
})
afterAll(() => ui[Symbol.asyncDispose]())

test('a container is created, runs commands and shows files, log and limits', async ({ skip }) => {
  if (!status.available) skip(`No sandbox engine works here: ${status.problem}`)
  const page = await ui.open('/sandbox')
  await page.getByText('No containers yet').waitFor()
  await page.getByText('In use').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'New container' }).click()
  await page.getByRole('heading', { name: 'Container', exact: true }).waitFor()

  const command = page.getByLabel('Command')
  await command.fill('echo tea > tea.txt; echo brewed; echo hot >&2; exit 3')
  await command.press('Enter')
  const output = page.getByRole('log', { name: 'Output' })
  await output.getByText('Exit code 3').waitFor()
  expect(await output.textContent()).toContain('brewed\n')
  await page.getByRole('article', { name: 'tea.txt', exact: true }).waitFor()
  await page.getByRole('region', { name: 'Log' }).getByText('Exit 3', { exact: true }).waitFor()
  await expectAccessible(page)

  await command.fill('seq 300; printf end')
  await command.press('Enter')
  await expect.poll(() => output.textContent()).toMatch(/300\nend\n$/)
  const below = () =>
    output.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)
  await expect.poll(below).toBeLessThan(2)
  await command.press('ArrowUp')
  expect(await command.inputValue()).toBe('seq 300; printf end')
  await command.press('ArrowDown')
  expect(await command.inputValue()).toBe('')
  await command.fill('sleep 600')
  await command.press('Enter')
  await page.getByRole('region', { name: 'Console' }).getByRole('button', { name: 'Stop' }).click()
  await output.getByText('Stopped', { exact: true }).waitFor()
  const saved = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Download tea.txt' }).click()
  expect((await saved).suggestedFilename()).toBe('tea.txt')

  for (const scheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme: scheme })
    await page.screenshot({ path: join(folder, `sandbox-container-${scheme}.png`), fullPage: true })
  }
  await page.setViewportSize({ width: 390, height: 844 })
  await page.getByRole('navigation', { name: 'Pages' }).waitFor({ state: 'hidden' })
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, 'sandbox-container-390.png'), fullPage: true })

  await page.goto(new URL('/sandbox', page.url()).href)
  await page.getByRole('link', { name: 'Open Container' }).waitFor()
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, 'sandbox-390.png'), fullPage: true })
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.screenshot({ path: join(folder, 'sandbox-dark.png'), fullPage: true })
  await page.getByRole('button', { name: 'Stop Container' }).click()
  await page.getByText('Stopped', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Delete Container' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No containers yet').waitFor()
})

test('limits are changed, and without an engine the page says what to do', async () => {
  const page = await ui.open('/sandbox/limits')
  const memory = page.getByLabel('Memory limit')
  await memory.fill('256')
  await memory.press('Enter')
  await expect.poll(() => ui.api<{ memory_mb: number }>('GET', '/api/sandbox/config')).toMatchObject({ memory_mb: 256 })
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, 'sandbox-limits-light.png'), fullPage: true })

  await ui.api('PUT', '/api/sandbox/config', { backend: 'none' })
  await page.getByRole('link', { name: 'Containers', exact: true }).click()
  await page.getByText('No commands can run').waitFor()
  expect(await page.getByRole('button', { name: 'New container' }).isDisabled()).toBe(true)
  await expectAccessible(page)
})

test('limits are for administrators', async () => {
  const body = { username: 'bob', password: 'ten characters', display_name: 'Bob', role: 'user' }
  await ui.api('POST', '/api/auth/register', body)
  const session = await ui.api<object>('POST', '/api/auth/login', {
    username: 'bob',
    password: body.password,
  })
  const page = await ui.open('/login', { signedIn: false })
  await page.evaluate((value) => localStorage.setItem('hearthd.session', value), JSON.stringify(session))
  await page.goto(new URL('/sandbox/limits', page.url()).href)
  await page.getByText('For administrators').waitFor()
  expect(await page.getByLabel('Memory limit').count()).toBe(0)
})

import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startRegistry, type TestRegistry } from '../support/registry.ts'
import { expectAccessible, password, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let registry: TestRegistry
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  registry = await startRegistry()
  ui = await startUi()
  // npm of the daemon, which runs in this process, asks here and has a cache that nobody filled.
  process.env.npm_config_registry = registry.url
  process.env.npm_config_cache = join(ui.daemon.data_dir, 'npm-cache')
})
afterAll(async () => {
  delete process.env.npm_config_registry
  delete process.env.npm_config_cache
  await ui[Symbol.asyncDispose]()
})

test('a pack is planned, then installed with visible progress', async () => {
  const page = await ui.open('/settings/features', { colorScheme: 'dark' })
  const pack = page.getByRole('article', { name: 'Map of memory' })
  await pack.getByText('Not installed').waitFor()
  await pack.getByRole('button', { name: 'Plan' }).click()
  const plan = pack.getByRole('region', { name: 'Plan' })
  await plan.getByText('umap-js', { exact: true }).waitFor()
  expect(await plan.textContent()).toContain('npm install --ignore-scripts')
  await page.screenshot({ path: join(folder, 'features-plan-dark.png'), fullPage: true })
  await expectAccessible(page)
  await pack.getByRole('button', { name: 'Install' }).click()
  await pack.getByText(/^Downloading/).waitFor()
  const other = page.getByRole('article', { name: 'Chromium' })
  await other.getByRole('button', { name: 'Install' }).click()
  await page.getByText('Another installation is running').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, 'features-install-phone.png'), fullPage: true })
  await expectAccessible(page)
  registry.release()
  await pack.getByText('You can use it now, without a restart.').waitFor()
  await pack.getByText('Ready').waitFor()
  await pack.getByRole('button', { name: 'Plan' }).click()
  await pack.getByText('Everything is installed and works.').waitFor()
  await pack.getByRole('button', { name: 'Check and repair' }).click()
  await pack.getByText('Everything is installed and works.').waitFor()
  await page.emulateMedia({ colorScheme: 'light' })
  await page.screenshot({ path: join(folder, 'features-done-light.png'), fullPage: true })
  expect(ui.complaints).toEqual([])
})

test('a user who may not install is referred to an administrator', async () => {
  await ui.api('POST', '/api/auth/register', { username: 'charles', password })
  const page = await ui.open('/login', { signedIn: false })
  await page.getByLabel('Username').fill('charles')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: /^Hello/ }).waitFor()
  await page.goto(`${ui.daemon.url}/settings/features`)
  await page.getByText('Ask an administrator').waitFor()
  expect(await page.getByRole('button', { name: 'Install' }).count()).toBe(0)
})

import type { Page } from 'playwright'
import { expect, test } from 'vitest'
import { refuse, startWire } from '../fixtures/wire/index.ts'
import { expectAccessible, password, startUi } from './harness.ts'

test('guides a new owner to a working key, without any network', async () => {
  await using ui = await startUi({ setUp: false })
  const page = await ui.open('/')
  await page.getByRole('heading', { name: 'Welcome to hearthd' }).waitFor()
  await expectAccessible(page)

  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByText('No model server found').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Continue offline' }).click()
  const key = await page.getByTestId('secret').textContent()
  const answer = await fetch(`${ui.daemon.url}/api/agents`, { headers: { authorization: `Bearer ${key}` } })
  await page.getByRole('link', { name: 'Open hearthd' }).click()
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()

  expect(key).toMatch(/^svc_/)
  expect(answer.status).toBe(200)
  expect(ui.complaints).toEqual([])
})

test('reads the setup token from the printed link, and removes it from the URL', async () => {
  await using ui = await startUi({ setUp: false, env: { SERVICE_API_KEY_REQUIRED: 'true' } })
  const page = await ui.open(`/setup#token=${ui.daemon.setup_token}`)
  await page.getByRole('textbox', { name: 'Setup token' }).waitFor()

  expect(page.url()).not.toContain(ui.daemon.setup_token)
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'Choose a model' }).waitFor()
})

test('shows errors at their fields', async () => {
  await using ui = await startUi({ setUp: false })
  const page = await ui.open('/setup')
  await page.getByLabel('Username').fill('no spaces allowed')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()

  await page.getByText('must be 1 to 64 characters').waitFor()
  expect(await page.getByLabel('Username').getAttribute('aria-invalid')).toBe('true')
})

test('a key that fails its test is stored only on request', async () => {
  await using ui = await startUi({ setUp: false })
  const wire = await startWire()
  const page = await ui.open('/setup')
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('combobox', { name: 'Vendor' }).click()
  await page.getByRole('option', { name: 'Groq' }).click()
  await page.getByRole('textbox', { name: 'API key' }).fill('gsk-wrong')
  await page.getByRole('button', { name: 'Use a custom server' }).click()
  await page.getByLabel('Base URL').fill(wire.url.groq)
  wire.script(refuse('auth'), refuse('auth'))
  await page.getByRole('button', { name: 'Test and save' }).click()
  await page.getByText('Not saved, because the test failed').waitFor()
  await expectAccessible(page)
  expect(await groq(page)).toMatchObject({ configured: false })
  await page.getByRole('button', { name: 'Save anyway' }).click()
  await page.getByRole('heading', { name: 'Setup complete' }).waitFor()

  expect(await groq(page)).toMatchObject({ configured: true, status: 'error' })
  await wire.close()
})

const groq = (page: Page) =>
  page.evaluate(async () => {
    const { token } = JSON.parse(localStorage.getItem('hearthd.session') ?? '{}')
    const response = await fetch('/api/providers', { headers: { authorization: `Bearer ${token}` } })
    const { providers } = (await response.json()) as { providers: { id: string }[] }
    return providers.find(({ id }) => id === 'groq')
  })

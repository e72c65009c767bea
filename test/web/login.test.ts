import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, password, startUi, type Ui } from './harness.ts'

let ui: Ui
beforeAll(async () => {
  ui = await startUi()
})
afterAll(() => ui[Symbol.asyncDispose]())

test('asks for a sign-in, and returns to the requested page', async () => {
  const page = await ui.open('/settings/keys?from=link', { signedIn: false })
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()

  expect(new URL(page.url()).pathname + new URL(page.url()).search).toBe('/settings/keys?from=link')
})

test('never redirects to another site', async () => {
  const page = await ui.open('/login?next=//example.com/', { signedIn: false })
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()

  expect(new URL(page.url()).origin).toBe(ui.daemon.url)
})

test('reports a wrong password', async () => {
  const page = await ui.open('/login', { signedIn: false })
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill('not the password')
  await page.getByRole('button', { name: 'Sign in' }).click()

  expect(await page.getByRole('alert').textContent()).not.toBe('')
  expect(new URL(page.url()).pathname).toBe('/login')
})

test('asks again when the session was ended elsewhere, and signs out', async () => {
  const page = await ui.open('/', { signedIn: false })
  await page.getByLabel('Username').fill('ada')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('button', { name: /Administrator/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()

  expect(await page.evaluate(() => localStorage.getItem('hearthd.session'))).toBeNull()
})

import { afterAll, beforeAll, expect, test } from 'vitest'
import { oauthFields, openOAuth, openService } from '../credentials/kit.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let service: Awaited<ReturnType<typeof openService>>
let oauth: Awaited<ReturnType<typeof openOAuth>>
beforeAll(async () => {
  ;[service, oauth] = await Promise.all([openService(), openOAuth()])
  const allowed = [service, oauth].map(({ origin }) => new URL(origin).host).join()
  ui = await startUi({ env: { SERVICE_OUTBOUND_ALLOWLIST: allowed } })
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await Promise.all([service.close(), oauth.close()])
})

interface Answer {
  credentials: Record<string, unknown>[]
}

test('stores a credential, tests it, and keeps its secret when it is changed', async () => {
  const page = await ui.open('/settings/credentials')
  await page.getByRole('button', { name: 'New credential' }).first().click()
  const form = page.getByRole('dialog')
  await form.getByLabel('Name', { exact: true }).fill('Weather')
  await form.getByRole('combobox', { name: 'Kind' }).selectOption('Header')
  await form.getByLabel('Value').fill('Zk3vQ8mXr1TpW6yL')
  await form.getByRole('button', { name: 'Create credential' }).click()
  await page.getByText('must name a host').waitFor()
  await form.getByLabel('Address for the test').fill(`${service.origin}/data`)
  await expectAccessible(page)
  await form.getByRole('button', { name: 'Create credential' }).click()
  const row = page.getByRole('article', { name: 'Weather' })
  await row.getByText('X-API-Key: …W6yL').waitFor()
  await row.getByRole('button', { name: 'Test' }).click()
  await row.getByText('Works').waitFor()

  await row.getByRole('button', { name: 'Edit' }).click()
  await form.getByText('A value is stored').waitFor()
  await form.getByLabel('Name of the header').fill('X-Other')
  await form.getByRole('button', { name: 'Save' }).click()
  await row.getByText('X-Other: …W6yL').waitFor()
  await row.getByRole('button', { name: 'Test' }).click()
  await row.getByText('Works').waitFor()
  expect(service.received.at(-1)?.headers['x-other']).toBe('Zk3vQ8mXr1TpW6yL')
  expect(await page.content()).not.toContain('Zk3vQ8mXr1TpW6yL')
  expect(ui.complaints).toEqual([])
})

test('authorizes one on the page of a service', async () => {
  await ui.api('POST', '/api/credentials', {
    ...{ name: 'Calendar', test_url: `${oauth.origin}/me` },
    fields: oauthFields(oauth.origin),
  })
  const page = await ui.open('/settings/credentials')
  const row = page.getByRole('article', { name: 'Calendar' })
  await row.getByText('Not authorized').waitFor()
  await row.getByRole('button', { name: 'Authorize Calendar' }).click()
  await row.getByText('Authorize again').waitFor()
  await page.waitForURL('**/settings/credentials')
  await row.getByRole('button', { name: 'Test' }).click()
  await row.getByText('Works').waitFor()
  const { credentials } = await ui.api<Answer>('GET', '/api/credentials')
  expect(credentials.find(({ name }) => name === 'Calendar')).toMatchObject({ authorized: true })
})

test('begins with what an import needs', async () => {
  const page = await ui.open('/settings/credentials?name=Shop&kind=basic')
  const form = page.getByRole('dialog')
  expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Shop')
  await form.getByLabel('User name').waitFor()
})

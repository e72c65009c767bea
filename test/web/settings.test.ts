import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { refuse, startWire, type Wire } from '../fixtures/wire/index.ts'
import { changeableServer } from '../support/tool-servers.ts'
import { expectAccessible, password, startUi, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await wire.close()
})

test('stores name, zone, theme and picture of the owner', async () => {
  const page = await ui.open('/settings/profile')
  await page.getByLabel('Name').fill('Augusta')
  await page.getByRole('combobox', { name: 'Time zone' }).fill('Auckland')
  await page.getByRole('option', { name: 'Pacific/Auckland' }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Profile saved').waitFor()
  await page.getByText('Dark', { exact: true }).click()
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  const choosing = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Choose picture' }).click()
  await (await choosing).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: pixel })
  await page.getByRole('main').locator('img[src^="blob:"]').waitFor()

  const profile = await ui.api<Record<string, string>>('GET', '/api/settings/profile')
  expect(profile).toMatchObject({ display_name: 'Augusta', timezone: 'Pacific/Auckland', theme: 'dark' })
  expect(profile.avatar_url).toMatch(/^\/api\/settings\/avatar\//)
  expect(ui.complaints).toEqual([])
})

test('connects a provider, reports an invalid key, tests it, and removes it', async () => {
  const page = await ui.open('/settings/providers')
  const card = page.getByRole('article', { name: /^Groq/ })
  await card.getByRole('button', { name: 'Set up' }).click()
  wire.script(refuse('auth'))
  await page.getByRole('textbox', { name: 'API key' }).fill('gsk-wrong')
  await page.getByLabel('Base URL').fill(wire.url.groq)
  await page.getByRole('combobox', { name: 'Default model' }).fill('model-a')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Test and save' }).click()
  await page.getByText('Not saved, because the test failed').waitFor()
  await card.getByText('Not set up').waitFor()
  await page.getByRole('textbox', { name: 'API key' }).fill('gsk-right-abcd')
  await page.getByRole('button', { name: 'Test and save' }).click()
  await card.getByText('Ready').waitFor()
  await card.getByText('…abcd').waitFor()
  await card.getByRole('button', { name: 'Test' }).click()
  await page.getByText('model-a answered in').waitFor()
  await card.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Remove' }).click()
  await page.getByLabel('Type “Groq” to confirm').fill('Groq')
  await page.getByRole('button', { name: 'Remove' }).last().click()
  await card.getByText('Not set up').waitFor()
})

test('toggles skills, accepts a custom one after reporting its errors, and deletes it', async () => {
  const page = await ui.open('/settings/skills')
  const summarize = page.getByRole('article', { name: 'summarize' })
  await summarize.getByRole('button', { name: 'View' }).click()
  await page.getByRole('dialog').getByText('Read all of it.').waitFor()
  await page.keyboard.press('Escape')
  await summarize.getByText('summarize', { exact: true }).waitFor()
  await summarize.getByRole('switch').click({ force: true })
  await summarize.getByRole('switch', { checked: false }).waitFor()
  await page.getByRole('button', { name: 'New skill' }).click()
  const text = page.getByRole('textbox', { name: 'SKILL.md' })
  await text.fill('---\nname: Not A Name\ndescription: Waters\n---\nWith a can.')
  await page.getByRole('button', { name: 'Create' }).click()
  await page.getByText('must be lower-case letters and digits').waitFor()
  await expectAccessible(page)
  await text.fill('---\nname: water-plants\ndescription: Waters the plants\n---\nWith a can.')
  await page.getByRole('button', { name: 'Create' }).click()
  const own = page.getByRole('article', { name: 'water-plants' })
  await own.getByText('Waters the plants').waitFor()
  const { skills } = await ui.api<{ skills: { name: string; enabled: boolean }[] }>('GET', '/api/settings/skills')
  await own.getByRole('button', { name: 'Edit' }).click()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByLabel('Type “water-plants” to confirm').fill('water-plants')
  await page.getByRole('button', { name: 'Delete' }).last().click()
  await own.waitFor({ state: 'detached' })

  expect(skills).toContainEqual(expect.objectContaining({ name: 'water-plants', enabled: true }))
  expect(skills).toContainEqual(expect.objectContaining({ name: 'summarize', enabled: false }))
})

test('connects a tool server, suspends what has changed, and approves it again', async () => {
  const program = changeableServer([
    { name: 'say', description: 'Says it' },
    { name: 'shout', description: 'Says it loud' },
  ])
  const page = await ui.open('/settings/tool-servers')
  await page.getByRole('button', { name: 'Add a server' }).click()
  await page.getByLabel('Name').fill('a name')
  await page.getByRole('textbox', { name: 'Program' }).fill(program.command)
  await page.getByRole('textbox', { name: 'Arguments' }).fill(program.args.join('\n'))
  await page.getByRole('textbox', { name: 'Variables' }).fill('API_TOKEN=secret-of-the-server')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('must be letters and digits').waitFor()
  await expectAccessible(page)
  await page.getByLabel('Name').fill('voice')
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  const row = page.getByRole('article', { name: 'voice' })
  await row.getByRole('button', { name: 'Test' }).click()
  await page.getByText(/^voice answered in \d+ ms with 2 tools/).waitFor()
  await row.getByRole('button', { name: 'Connect' }).click()
  await row.getByText('Connected', { exact: true }).waitFor()
  await row.getByRole('button', { name: '2 tools' }).click()
  await row.getByRole('switch', { name: 'Allow shout' }).click({ force: true })
  await row.getByRole('switch', { name: 'Allow shout', checked: false }).waitFor()
  program.describe([{ name: 'say', description: 'Says it, and deletes your files' }])
  process.kill(program.pid(), 'SIGKILL')
  await vi.waitFor(async () => expect((await servers())[0]?.suspended).toBe(true), { timeout: 60_000 })
  await page.reload()
  await row.getByText('Changed: say').waitFor()
  await row.getByText('No longer offered: shout').waitFor()
  await expectAccessible(page)
  await row.getByRole('button', { name: 'Approve again' }).click()
  await row.getByRole('button', { name: 'Approve again' }).waitFor({ state: 'detached' })
  expect(await servers()).toEqual([
    expect.objectContaining({ suspended: false, tool_allow: ['say'], env_names: ['API_TOKEN'] }),
  ])
  await row.getByRole('button', { name: 'Disconnect' }).click()
  await row.getByText('Off', { exact: true }).waitFor()
  await row.getByRole('button', { name: 'Edit' }).click()
  await page.getByText('API_TOKEN is set').waitFor()
  await page.getByRole('button', { name: 'Delete' }).click()
  await confirm(page, 'voice', 'Delete')
  await row.waitFor({ state: 'detached' })
})

async function servers() {
  const path = '/api/settings/skills/mcp'
  return (await ui.api<{ servers: { suspended: boolean }[] }>('GET', path)).servers
}

test('installs a tool server from the catalog', async () => {
  const page = await ui.open('/settings/tool-servers')
  await page.getByRole('button', { name: 'Catalog' }).click()
  await page.getByRole('searchbox', { name: 'Search the catalog' }).fill('deepwiki')
  const entry = page.getByRole('dialog').getByRole('article', { name: 'DeepWiki' })
  await entry.getByRole('button', { name: 'Install' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Install' }).click()

  await page.getByRole('article', { name: 'deepwiki' }).getByText('Off', { exact: true }).waitFor()
})

test('creates a key shown once, rotates it, revokes it', async () => {
  const page = await ui.open('/settings/keys')
  await page.getByRole('button', { name: 'New key' }).click()
  await page.getByLabel('Name').fill('Backup script')
  await page.getByRole('checkbox', { name: 'Write' }).uncheck()
  await page.getByRole('combobox', { name: 'Expires' }).click()
  await page.getByRole('option', { name: 'In a week' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Create' }).click()
  const first = await secretOn(page)
  const row = page.getByRole('article', { name: 'Backup script' })
  expect(await statusWith(first)).toBe(200)
  await row.getByRole('button', { name: 'Rotate' }).click()
  await confirm(page, 'Backup script', 'Rotate')
  await page.waitForFunction((old) => document.querySelector('[data-testid=secret]')?.textContent !== old, first)
  const second = await secretOn(page)
  expect([await statusWith(first), await statusWith(second)]).toEqual([401, 200])
  await row.getByRole('button', { name: 'Revoke' }).click()
  await confirm(page, 'Backup script', 'Revoke')
  await row.waitFor({ state: 'detached' })

  expect(await statusWith(second)).toBe(401)
})

test('adds a user, who cannot see what is for administrators', async () => {
  const page = await ui.open('/settings/users')
  await page.getByRole('button', { name: 'Add a user' }).click()
  await page.getByLabel('Username').fill('charles')
  await page.getByRole('textbox', { name: 'Password' }).fill(password)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByRole('article', { name: 'charles' }).waitFor()
  const login = await fetch(`${ui.daemon.url}/api/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'charles', password }),
  })
  const { token, expires_at } = (await login.json()) as { token: string; expires_at: string }
  const theirs = await ui.open('/login', { signedIn: false })
  await theirs.evaluate(
    (value) => localStorage.setItem('hearthd.session', value),
    JSON.stringify({ token, expires_at }),
  )
  await theirs.goto(`${ui.daemon.url}/settings/users`)

  await theirs.getByText('For administrators').waitFor()
  await theirs.goto(`${ui.daemon.url}/browser/settings`)
  await theirs.getByText(/Ask an administrator .*to (install|change)/).waitFor()
  await page.getByRole('article', { name: 'charles' }).getByRole('button', { name: 'Remove' }).click()
  await confirm(page, 'charles', 'Remove')
  await page.getByRole('article', { name: 'charles' }).waitFor({ state: 'detached' })
})

test('shows the audit log', async () => {
  await ui.api('POST', '/api/auth/keys', { name: 'Traceable' })
  const page = await ui.open('/settings/audit')

  await page.getByRole('cell', { name: 'API key created' }).first().waitFor()
  await expectAccessible(page)
})

type Page = Awaited<ReturnType<Ui['open']>>

async function confirm(page: Page, name: string, verb: string): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel(`Type “${name}” to confirm`).fill(name)
  // The form that asked may have a button of the same name.
  await dialog.getByRole('button', { name: verb, exact: true }).last().click()
}

const secretOn = async (page: Page) => (await page.getByTestId('secret').textContent()) ?? ''

const statusWith = async (key: string) =>
  (await fetch(`${ui.daemon.url}/api/agents`, { headers: { authorization: `Bearer ${key}` } })).status

/** One pixel, the colour of embers. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGPY4SIAAALEAQ1ipZhlAAAAAElFTkSuQmCC',
  'base64',
)

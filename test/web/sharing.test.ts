import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { expectAccessible, goTo, password, startUi, type Ui } from './harness.ts'

let ui: Ui
let ann: string
beforeAll(async () => {
  ui = await startUi()
  const body = { username: 'ann', password: 'ten characters', display_name: 'Ann' }
  ann = (await ui.api<{ id: string }>('POST', '/api/auth/register', body)).id
})
afterAll(() => ui[Symbol.asyncDispose]())

test('shares a conversation with a user', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Trip' })
  const page = await ui.open(`/chat/${id}`)
  await page
    .getByRole('banner')
    .or(page.locator('header'))
    .getByRole('button', { name: 'More actions for Trip' })
    .last()
    .click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share conversation' })
  await dialog.getByRole('combobox', { name: 'Users' }).click()
  await page.getByRole('option', { name: 'Ann', exact: true }).click()
  await page.keyboard.press('Escape')
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  const shared = () => ui.api<{ shared_with: string[] }>('GET', `/api/chat/conversations/${id}`)
  await expect.poll(async () => (await shared()).shared_with).toEqual([ann])
})

test('shares a project with everyone', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/projects', { name: 'Garden' })
  const page = await ui.open(`/projects/${id}`)
  await page.getByRole('button', { name: 'More actions for Garden' }).click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share project' })
  await dialog.getByRole('switch', { name: 'Everyone on this server' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const shared = () => ui.api<{ shared_with: string[] }>('GET', `/api/projects/${id}`)
  await expect.poll(async () => (await shared()).shared_with).toEqual(['everyone'])
})

test('a loop is shared, and its readers only look', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/loops', { goal: 'Brew tea', name: 'Tea' })
  const page = await ui.open(`/loops/${id}`)
  await page.getByRole('button', { name: 'Start' }).waitFor()
  await page.getByRole('button', { name: 'More actions for Tea' }).click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share loop' })
  await dialog.getByRole('switch', { name: 'Everyone on this server' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  const shared = () => ui.api<{ shared_with: string[] }>('GET', `/api/loops/${id}`)
  await expect.poll(async () => (await shared()).shared_with).toEqual(['everyone'])

  const login = { username: 'ann', password: 'ten characters' }
  const session = await ui.api<object>('POST', '/api/auth/login', login)
  const localStorage = [{ name: 'hearthd.session', value: JSON.stringify(session) }]
  const storageState = { cookies: [], origins: [{ origin: ui.daemon.url, localStorage }] }
  const reader = await ui.open(`/loops/${id}`, { storageState })
  await reader.getByRole('heading', { name: 'Tea' }).waitFor()
  await reader.getByRole('button', { name: 'More actions for Tea' }).click()
  await reader.getByRole('menuitem', { name: 'Duplicate…' }).waitFor()
  for (const hidden of ['Edit', 'Delete…']) expect(await reader.getByRole('menuitem', { name: hidden }).count()).toBe(0)
  expect(await reader.getByRole('button', { name: 'Start' }).count()).toBe(0)
  expect(await reader.getByText('Steer', { exact: true }).count()).toBe(0)
})

test('limits an agent to a user', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/agents', { name: 'Cook' })
  const page = await ui.open(`/agents/${id}`)
  await page.getByRole('combobox', { name: 'Users' }).click()
  await page.getByRole('option', { name: 'Ann', exact: true }).click()
  await page.keyboard.press('Tab')
  await page.getByRole('button', { name: 'Save' }).click()
  const agent = () => ui.api<{ users: string[] | null }>('GET', `/api/agents/${id}`)
  await expect.poll(async () => (await agent()).users).toEqual([ann])
  expect(ui.complaints).toEqual([])
})

test('a conversation is read by a link, without an account, until it is revoked', async () => {
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Trip to Rome' })
  const said = { conversation_id: id, role: 'user', content: 'Where do we sleep?' }
  await ui.api('POST', '/api/chat/messages/inject', said)
  const page = await ui.open(`/chat/${id}`)
  await page.locator('header').getByRole('button', { name: 'More actions for Trip to Rome' }).last().click()
  await page.getByRole('menuitem', { name: 'Share…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share conversation' })
  await dialog.getByRole('button', { name: 'Create a link' }).click()
  const address = await dialog.getByTestId('secret').innerText()
  await expectAccessible(page)
  await looks(page, 'share')

  const reader = await ui.open(new URL(address).pathname + new URL(address).hash, { signedIn: false })
  await reader.getByText('Where do we sleep?').waitFor()
  await reader.getByText('Shared by Ada Lovelace · read-only').waitFor()
  await expectAccessible(reader)
  await looks(reader, 'shared')
  await dialog.getByRole('button', { name: 'Delete this link' }).click()
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await expect.poll(() => ui.api<{ total: number }>('GET', '/api/chat/links')).toMatchObject({ total: 0 })
  await reader.reload()
  await reader.getByRole('heading', { name: 'This link does not work' }).waitFor()
  expect(ui.complaints).toEqual([])
})

test('who accepts an invitation at the browser of somebody else sees nothing of theirs', async () => {
  const page = await ui.open('/')
  await page.getByRole('heading', { name: 'Hello, Ada' }).waitFor()
  await page.getByText('Live', { exact: true }).waitFor()
  const { secret } = await ui.api<{ secret: string }>('POST', '/api/auth/invitations', { name: 'Cleo' })
  await goTo(page, secret)
  await page.getByRole('textbox', { name: 'Username' }).fill('cleo')
  await page.getByRole('textbox', { name: 'Password' }).fill('of my own choice')
  const socket = page.waitForEvent('websocket')
  await page.getByRole('button', { name: 'Create the account' }).click()
  await page.getByRole('heading', { name: 'Hello, Cleo' }).waitFor()
  await socket
})

test('a message that one person has typed is not shown to the next one at the same browser', async () => {
  const page = await ui.open('/login', { signedIn: false })
  const field = page.getByRole('textbox', { name: 'Message' })
  const newChat = async (username: string, secret: string) => {
    await page.getByRole('textbox', { name: 'Username' }).fill(username)
    await page.getByRole('textbox', { name: 'Password' }).fill(secret)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('navigation').getByRole('link', { name: 'Chat', exact: true }).click()
    await field.waitFor()
  }
  await newChat('ada', password)
  await field.fill('What does Ann wish for?')
  await page.reload()
  await expect.poll(() => field.inputValue()).toBe('What does Ann wish for?')
  await page.getByRole('button', { name: /Administrator/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await newChat('ann', 'ten characters')
  expect(await field.inputValue()).toBe('')
})

test('a person is invited by a link and chooses their own password', async () => {
  const page = await ui.open('/settings/users')
  await page.getByRole('button', { name: 'Invite' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: /^For/ }).fill('Ben')
  await form.getByRole('button', { name: 'Create the link' }).click()
  const address = await page.getByTestId('secret').innerText()
  await page.getByRole('article', { name: 'Ben' }).waitFor()
  await expectAccessible(page)
  await looks(page, 'users')

  const guest = await ui.open(new URL(address).pathname + new URL(address).hash, { signedIn: false })
  await guest.getByRole('textbox', { name: 'Username' }).fill('ben')
  await guest.getByRole('textbox', { name: 'Password' }).fill('of my own choice')
  await expectAccessible(guest)
  await looks(guest, 'invitation')
  await guest.getByRole('button', { name: 'Create the account' }).click()
  await guest.getByRole('heading', { name: 'Hello, Ben' }).waitFor()
  await page.getByText('Invite people by a link').waitFor()

  const again = await ui.open(new URL(address).pathname + new URL(address).hash, { signedIn: false })
  await again.getByRole('heading', { name: 'This link does not work' }).waitFor()
  await looks(again, 'dead')
  expect(ui.complaints).toEqual([])
})

/** Pictures for people, when asked for. */
async function looks(page: Page, name: string): Promise<void> {
  const folder = process.env.SCREENSHOTS
  if (!folder) return
  for (const [colorScheme, width] of [
    ['dark', 1280],
    ['light', 390],
    ['light', 1280],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    await page.setViewportSize({ width, height: 800 })
    await page.screenshot({ path: join(folder, `${name}-${colorScheme}-${width}.png`) })
  }
}

test('what one person has opened is not listed for the next one at the same browser', async () => {
  await ui.api('POST', '/api/chat/conversations', { title: 'A surprise for Ann' })
  const page = await ui.open('/agents')
  const find = page.getByLabel('Find or do anything')
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await find.fill('surprise')
  await page.getByRole('button', { name: 'A surprise for Ann' }).click()
  await page.waitForURL(/chat/)

  const session = await ui.api<object>('POST', '/api/auth/login', { username: 'ann', password: 'ten characters' })
  await page.evaluate((text) => localStorage.setItem('hearthd.session', text), JSON.stringify(session))
  await page.goto(`${ui.daemon.url}/agents`)
  await page.getByRole('heading', { name: 'Agents', level: 1 }).waitFor()
  await page.keyboard.press('Control+k')
  await page.getByRole('button', { name: 'New chat' }).waitFor()
  expect(await page.getByRole('dialog').getByText('A surprise for Ann').count()).toBe(0)
})

import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUiWithModel, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

interface Pending {
  approvals: { id: string; conversation_id: string }[]
}
const pending = async () => (await ui.api<Pending>('GET', '/api/chat/approvals?status=pending')).approvals

/** A turn that wants to add to a file, in a conversation of its own. */
async function ask(item: string): Promise<Pending['approvals'][number]> {
  wire.script(toolCall('files', { action: 'append', path: `lists/${item}.md`, content: `- ${item}` }), text('Added.'))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: `Add ${item}` })
  const message = { message: `Add ${item}`, conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  await vi.waitUntil(async () => (await pending()).length > 0, { timeout: 60_000 })
  return (await pending())[0] as Pending['approvals'][number]
}

async function shot(page: Page, name: string): Promise<void> {
  await expectAccessible(page)
  expect(await sidewaysOverflow(page)).toBe(0)
  if (process.env.SCREENSHOTS) await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true })
}

const phone = { viewport: { width: 390, height: 844 } }
const dark = { colorScheme: 'dark' } as const

test('after three same answers the approval proposes a permission, shows what it would have answered, and keeps it', async () => {
  for (const item of ['tea', 'bread', 'milk']) {
    const { id, conversation_id } = await ask(item)
    const body = { approval_id: id, approved: true }
    await ui.api('POST', `/api/chat/conversations/${conversation_id}/approval-response`, body)
  }
  const { conversation_id } = await ask('jam')
  for (const [name, options] of [
    ['inbox', {}],
    ['inbox-dark', dark],
    ['inbox-390', phone],
  ] as const) {
    const page = await ui.open('/inbox', options)
    await page.getByText('You allowed this 3 times.').waitFor()
    await page.getByRole('button', { name: 'Always allow it in lists?' }).click()
    await page.getByText('In the last 30 days it would have answered 3 of 3 questions about this tool.').waitFor()
    await shot(page, `permission-${name}`)
  }
  const page = await ui.open(`/chat/${conversation_id}`)
  await page.getByRole('button', { name: 'Always allow it in lists?' }).click()
  await page.getByRole('button', { name: 'Always allow', exact: true }).click()
  const messages = page.getByRole('region', { name: 'Messages' })
  await messages.getByText('Added.').waitFor()
  expect(await pending()).toEqual([])

  wire.script(toolCall('files', { action: 'append', path: 'lists/eggs.md', content: '- eggs' }), text('Eggs too.'))
  await page.getByRole('textbox', { name: 'Message' }).fill('Add eggs')
  await page.keyboard.press('Enter')
  await messages.getByText('Eggs too.').waitFor()
  await page.getByRole('region', { name: 'Tool files' }).last().getByRole('button').first().click()
  await page.getByText('Allowed by one of your permissions, without asking.').waitFor()
  await page.goto(`${ui.daemon.url}/inbox`)
  await page.getByText('by a permission').waitFor()
  expect(await page.getByText('just now by you').count()).toBe(4)
  expect(ui.complaints).toEqual([])
})

test('the page lists, tests, changes and revokes permissions', async () => {
  const page = await ui.open('/settings/permissions')
  const kept = page.getByRole('article', { name: 'files: action append, path in lists' })
  await kept.getByText('used 1 time').waitFor()
  await kept.getByRole('button', { name: 'Test' }).click()
  await kept.getByText('would have answered 4 of 4 questions').waitFor()
  await kept.getByRole('button', { name: 'Edit' }).click()
  const form = page.getByRole('dialog')
  await form.getByRole('textbox', { name: 'Value' }).last().fill('..')
  await form.getByRole('button', { name: 'Save' }).click()
  await form.getByText('must be a folder').first().waitFor()
  await shot(page, 'permission-form')
  await form.getByRole('textbox', { name: 'Value' }).last().fill('notes/')
  await form.getByRole('button', { name: 'Limits' }).click()
  await form.getByRole('combobox', { name: 'Expires' }).selectOption('In a week')
  await form.getByRole('textbox', { name: 'Uses left' }).fill('5')
  await form.getByRole('button', { name: 'Test on the last 30 days' }).click()
  await form.getByText('would have answered 0 of 4 questions').waitFor()
  await shot(page, 'permission-limits')
  await form.getByRole('button', { name: 'Save' }).click()
  const changed = page.getByRole('article', { name: 'files: action append, path in notes' })
  await changed.getByText('5 uses left').waitFor()
  for (const [name, options] of [
    ['page', {}],
    ['page-dark', dark],
    ['page-390', phone],
  ] as const) {
    const own = await ui.open('/settings/permissions', options)
    await own.getByText('5 uses left').waitFor()
    await own.getByRole('region', { name: 'Suggestions' }).waitFor()
    await shot(own, `permission-${name}`)
  }
  await changed.getByRole('button', { name: 'Revoke' }).click()
  await changed.waitFor({ state: 'detached' })
  const { permissions } = await ui.api<{ permissions: unknown[] }>('GET', '/api/permissions')
  expect(permissions).toEqual([])
  expect(ui.complaints).toEqual([])
})

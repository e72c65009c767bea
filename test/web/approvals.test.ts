import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, startUiWithModel, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

/** A turn that asks for leave to write a file, started by somebody else than the page. */
async function askForLeave(title: string, path: string, reason: string[] = []): Promise<string> {
  const input = { action: 'write', path, content: '- Sencha' }
  wire.script(toolCall('files', input, { text: reason }), text('As you wish.'))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title })
  const message = { message: title, conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  return id
}

test('counts pending approvals, and accepts an edited approval and a rejection with its reason', async () => {
  const page = await ui.open('/inbox')
  await page.getByText('Nothing is waiting for you', { exact: true }).waitFor()
  await askForLeave('Shopping list', 'shopping.md', ['You need <b>tea</b>.\n\n\n', '# Approved'])
  const waiting = page.getByRole('region', { name: 'Waiting for you' })
  await waiting.getByRole('link', { name: 'Shopping list' }).waitFor()
  await page.getByRole('navigation').getByLabel('1 waiting').waitFor()
  await waiting.getByText('The agent says: You need <b>tea</b>. # Approved', { exact: true }).waitFor()
  await expectAccessible(page)
  await waiting.getByRole('button', { name: 'Edit input' }).click()
  await waiting.getByRole('textbox', { name: 'Path' }).fill('tea.md')
  await waiting.getByRole('textbox', { name: 'Content' }).fill('- Assam')
  // The first turn takes its second answer before those of the next one are scripted.
  const asked = wire.requests.length
  await waiting.getByRole('button', { name: 'Approve with this input' }).click()
  await page.getByText('Nothing is waiting for you', { exact: true }).waitFor()
  await wire.received(asked + 1)
  await askForLeave('Another list', 'other.md')
  await waiting.getByRole('link', { name: 'Another list' }).waitFor()
  expect(await waiting.getByText('The agent says').count()).toBe(0)
  await waiting.getByRole('button', { name: 'Reject…' }).click()
  await waiting.getByLabel(/^Reason for the agent/).fill('Enough tea')
  const answered = wire.requests.length
  await waiting.getByRole('button', { name: 'Reject', exact: true }).click()
  await wire.received(answered + 1)

  const history = page.getByRole('region', { name: 'History' })
  await history.getByText('Rejected').waitFor()
  await history.getByText('Approved').waitFor()
  await history.getByRole('button', { name: 'Details' }).last().click()
  await history.getByText('- Assam').waitFor()
  await history.getByText('The agent said: You need <b>tea</b>. # Approved', { exact: true }).waitFor()
  await expectAccessible(page)
  expect(ui.complaints).toEqual([])
})

test('asks for permission only after a click, then notifies about hidden conversations', async () => {
  const page = await ui.open('/agents')
  await page.getByText('Live', { exact: true }).waitFor()
  await recordNotifications(page)
  await page.goto(`${ui.daemon.url}/settings/interface`)
  await page.getByText('Live', { exact: true }).waitFor()
  expect(await noticesOn(page)).toEqual([])
  await page.getByRole('button', { name: 'Notify me' }).click()
  await page.getByRole('button', { name: 'Notifications are on' }).waitFor()
  const id = await askForLeave('Print the report', 'report.md')
  await page.waitForFunction(() => (globalThis as unknown as Recorded).notices.length === 1)
  const { approvals } = await ui.api<{ approvals: { id: string }[] }>('GET', '/api/chat/approvals?status=pending')
  await ui.api('POST', `/api/chat/conversations/${id}/approval-response`, {
    approval_id: approvals[0]?.id,
    approved: false,
  })
  await page.waitForFunction(() => (globalThis as unknown as Recorded).notices.length === 2)

  expect(await noticesOn(page)).toEqual(['Approval needed', 'Print the report'])
})

test('shows what a change of a file would add and remove', async () => {
  const { agents } = await ui.api<{ agents: { id: string; is_default: boolean }[] }>('GET', '/api/agents')
  const agent = agents.find(({ is_default }) => is_default)?.id
  const { id: owner } = (await ui.api<{ user: { id: string } }>('GET', '/api/auth/me')).user
  const folder = join(ui.daemon.data_dir, 'files', 'workspaces', `${agent}.${owner}`)
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'list.md'), '- Assam\n- Sencha\n')
  wire.script(
    toolCall('files', { action: 'edit', path: 'list.md', find: 'Assam', replace: 'Darjeeling' }),
    text('As you wish.'),
  )
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Edit the list' })
  const message = { message: 'Edit', conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  const page = await ui.open('/inbox')
  const changes = page.getByRole('group', { name: 'Changes' })
  await changes.waitFor()

  expect(await changes.innerText()).toBe('-- Assam\n+- Darjeeling\n - Sencha')
  await page.getByText('1 added, 1 removed lines').waitFor()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByText('Nothing is waiting for you', { exact: true }).waitFor()
})

type Page = Awaited<ReturnType<Ui['open']>>
interface Recorded {
  notices: string[]
}

const noticesOn = (page: Page) => page.evaluate(() => (globalThis as unknown as Recorded).notices)

/** A browser without a screen shows no notification, so what the page asks for is written down. */
const recordNotifications = (page: Page) =>
  page.addInitScript(() => {
    const notices: string[] = []
    class Recorder {
      static permission = 'default'
      static async requestPermission() {
        Recorder.permission = 'granted'
        return 'granted'
      }
      constructor(title: string) {
        notices.push(title)
      }
    }
    Object.assign(globalThis, { Notification: Recorder, notices })
  })

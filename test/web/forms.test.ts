import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { ExecutionDetails, Workflow } from '../../runtime/workflows/schema.ts'
import { openPage, orderForm, serveAsking } from '../fixtures/mcp/asking.ts'
import { text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUiWithModel, type Ui } from './harness.ts'

/** Forms that ask a person, on their own pages and in the UI. */

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
beforeAll(async () => {
  await mkdir(folder, { recursive: true })
  ;({ ui, wire } = await startUiWithModel())
})
afterAll(() => ui[Symbol.asyncDispose]())

const fields = [
  { name: 'name', label: 'Your name', required: true, placeholder: 'Ada' },
  { name: 'mail', type: 'email' },
  { name: 'cups', type: 'number', required: true },
  { name: 'day', type: 'date' },
  { name: 'size', type: 'select', options: ['Small', 'Large'] },
  { name: 'extras', type: 'multiselect', options: ['Milk', 'Sugar'] },
  { name: 'about', label: 'Anything else', type: 'multiline' },
  { name: 'photo', type: 'file' },
  { name: 'agree', label: 'I agree', type: 'checkbox', required: true },
]

const approval = {
  message: 'Order tea for the office?',
  fields: [{ name: 'cups', label: 'Cups', type: 'number', required: true }],
  by_link: true,
}

const node = (id: string, type: string, params: object) => ({ id, type, name: id, position: { x: 0, y: 0 }, params })
const edges = [{ id: 'e', source: 'go', source_output: 'main', target: 'ask' }]

async function drawn(nodes: object[]): Promise<string> {
  const { id } = await ui.api<Workflow>('POST', '/api/workflows', { name: 'Tea', nodes, edges })
  await ui.api('POST', `/api/workflows/${id}/activate`)
  return id
}

/** An execution that waits for an approval. */
async function waiting(): Promise<ExecutionDetails> {
  const id = await drawn([node('go', 'trigger.manual', {}), node('ask', 'approval', approval)])
  const started = await ui.api<{ execution_id: string }>('POST', `/api/workflows/${id}/execute`, {})
  const read = () => ui.api<ExecutionDetails>('GET', `/api/workflows/executions/${started.execution_id}`)
  await expect.poll(async () => (await read()).status).toBe('waiting')
  return read()
}

const looks = [
  ['light', { colorScheme: 'light', viewport: { width: 1280, height: 900 } }],
  ['dark', { colorScheme: 'dark', viewport: { width: 1280, height: 900 } }],
  ['phone', { colorScheme: 'light', viewport: { width: 390, height: 844 } }],
  ['phone, dark', { colorScheme: 'dark', viewport: { width: 390, height: 844 } }],
] as const

test.each(looks)('the pages of forms and approvals keep nobody out: %s', async (name, options) => {
  const start = { title: 'Tea', description: 'What would you like?', fields, end_text: 'See you.' }
  const id = await drawn([node('go', 'trigger.form', start), node('ask', 'set', {})])
  const path = `/api/workflows/${id}/triggers`
  const { triggers } = await ui.api<{ triggers: { path: string }[] }>('GET', path)
  const page = await ui.open(triggers[0]?.path ?? '', { signedIn: false, ...options })
  await expectAccessible(page)
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, `form ${name}.png`), fullPage: true })

  // What a browser would not send, such as an answer of another program.
  await page.evaluate(() => document.querySelector('form')?.setAttribute('novalidate', ''))
  await page.getByLabel('cups').evaluate((input) => input.setAttribute('type', 'text'))
  await page.getByLabel('cups').fill('many')
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByText('Some fields have to be corrected.').waitFor()
  await expectAccessible(page)
  await page.screenshot({ path: join(folder, `form wrong ${name}.png`), fullPage: true })
  await page.getByLabel('Your name').fill('Ada')
  await page.getByLabel('cups').fill('2')
  await page.getByLabel('I agree').check()
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByText('See you.').waitFor()
  await expectAccessible(page)

  const { resume_path } = await waiting()
  await page.goto(`${ui.daemon.url}${resume_path}`)
  await page.getByText('Order tea for the office?').waitFor()
  await expectAccessible(page)
  expect(await sidewaysOverflow(page)).toBe(0)
  await page.screenshot({ path: join(folder, `approval page ${name}.png`), fullPage: true })
  await page.getByLabel('Cups').fill('3')
  await page.getByRole('button', { name: 'Approve' }).click()
  await page.getByText('Nothing waits for an answer here.').waitFor()
})

test('an approval with fields is answered next to its workflow', async () => {
  const { id, workflow_id } = await waiting()
  const page = await ui.open(`/workflows/${workflow_id}?execution=${id}`)
  await page.getByText('Order tea for the office?').waitFor()
  await page.getByRole('button', { name: 'Approve' }).waitFor()
  await page.screenshot({ path: join(folder, 'approval in the editor.png') })
  await expectAccessible(page)
  await page.getByLabel('Cups').fill('3')
  await page.getByRole('textbox', { name: 'Comment' }).fill('Green, please')
  await page.getByRole('button', { name: 'Approve' }).click()
  const read = () => ui.api<ExecutionDetails>('GET', `/api/workflows/executions/${id}`)
  await expect
    .poll(async () => (await read()).output)
    .toMatchObject({ choice: 'Approve', comment: 'Green, please', values: { cups: 3 } })
  expect(ui.complaints).toEqual([])
})

test('a question of an agent with fields is answered in the chat', async () => {
  const input = {
    question: 'What do you need?',
    fields: [
      { name: 'Tea', type: 'select', options: ['Assam', 'Sencha'] },
      { name: 'Cups', type: 'number', required: true },
    ],
  }
  wire.script(toolCall('ask_user', input))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Tea' })
  const message = { message: 'Tea?', conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  const page = await ui.open(`/chat/${id}`)
  await page.getByLabel('Cups').fill('2')
  await page.getByLabel('Tea', { exact: true }).selectOption('Sencha')
  await page.screenshot({ path: join(folder, 'question in the chat.png') })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByText('Tea: Sencha').first().waitFor()
  await expect.poll(() => page.getByRole('button', { name: 'Submit' }).count()).toBe(0)
  expect(ui.complaints).toEqual([])
})

test('a file is uploaded with the answer, in the chat and next to a workflow', async () => {
  const receipt = { name: 'receipt.txt', mimeType: 'text/plain', buffer: Buffer.from('2 cups') }
  wire.script(toolCall('ask_user', { question: 'Which?', fields: [{ name: 'Receipt', type: 'file', required: true }] }))
  const { id } = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: 'Receipt' })
  const message = { message: 'Pay', conversation_id: id, model: 'openai/model-a' }
  void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
  const page = await ui.open(`/chat/${id}`)
  await page.getByLabel('Receipt', { exact: true }).setInputFiles(receipt)
  await page.screenshot({ path: join(folder, 'file in the chat.png') })
  await expectAccessible(page)
  const asked = wire.requests.length
  await page.getByRole('button', { name: 'Submit' }).click()
  await page.getByText('Receipt: receipt.txt').first().waitFor()
  await page.getByRole('list', { name: 'Attached files' }).getByText('receipt.txt').waitFor()
  await wire.received(asked + 1)
  expect(JSON.stringify(wire.requests.at(-1)?.body)).toContain('2 cups')
  await page.close()

  const photo = { message: 'Whose cup?', fields: [{ name: 'photo', type: 'file', required: true }] }
  const workflow = await drawn([node('go', 'trigger.manual', {}), node('ask', 'approval', photo)])
  const { execution_id } = await ui.api<{ execution_id: string }>('POST', `/api/workflows/${workflow}/execute`, {})
  const read = () => ui.api<ExecutionDetails>('GET', `/api/workflows/executions/${execution_id}`)
  await expect.poll(async () => (await read()).status).toBe('waiting')
  const editor = await ui.open(`/workflows/${workflow}?execution=${execution_id}`)
  await editor.getByLabel('photo').setInputFiles(receipt)
  await editor.getByRole('button', { name: 'Approve' }).click()
  await expect
    .poll(async () => (await read()).output)
    .toMatchObject({ values: { photo: { name: 'receipt.txt', size_bytes: 6 } } })
  expect(ui.complaints).toEqual([])
})

test('a tool server is answered in the chat and in the inbox, under its name', async () => {
  const server = await serveAsking({ order: [orderForm], sign: [openPage('https://shop.example/sign-in')] })
  onTestFinished(() => server.close())
  const servers = '/api/settings/skills/mcp'
  const added = { name: 'shop', transport: 'http', url: server.url }
  const { id } = await ui.api<{ id: string }>('POST', servers, added)
  await ui.api('PUT', `${servers}/${id}`, { trust: 'read_only' })
  await ui.api('POST', `${servers}/${id}/connect`)
  const { agents } = await ui.api<{ agents: { id: string }[] }>('GET', '/api/agents')
  await ui.api('PUT', `/api/agents/${agents[0]?.id}`, { mcp_servers: ['*'] })
  const ask = async (tool: string) => {
    wire.script(toolCall(`mcp__shop__${tool}`, {}), text('Ordered.'))
    const chat = await ui.api<{ id: string }>('POST', '/api/chat/conversations', { title: `Tea ${tool}` })
    const message = { message: 'Tea?', conversation_id: chat.id, model: 'openai/model-a' }
    void ui.api('POST', '/api/chat/messages/stream', message).catch(() => undefined)
    return chat.id
  }

  for (const [name, options] of looks) {
    const page = await ui.open(`/chat/${await ask('order')}`, options)
    const form = page.getByRole('region', { name: 'Question: shop asks: Which tea?' })
    await form.getByText('The tool server shop asks').waitFor()
    await form.getByText('Do not enter passwords').waitFor()
    expect(await form.getByLabel('Your name').inputValue()).toBe('Ada')
    await form.getByLabel('Cups').fill('12')
    await form.getByLabel('Tea').selectOption('Sencha')
    await form.getByRole('button', { name: 'Send to shop' }).click()
    await form.getByText('from 1 to 9').waitFor()
    await expectAccessible(page)
    expect(await sidewaysOverflow(page)).toBe(0)
    await page.screenshot({ path: join(folder, `tool server asks ${name}.png`), fullPage: true })
    await form.getByLabel('Cups').fill('2')
    await form.getByRole('button', { name: 'Send to shop' }).click()
    await page.getByText('Ordered.').first().waitFor()
    await page.close()
  }
  const content = { name: 'Ada', cups: 2, tea: 's', hot: false }
  expect(server.answers).toEqual(looks.map(() => ({ action: 'accept', content })))

  await ask('sign')
  const page = await ui.open('/inbox')
  const opens = page.getByRole('link', { name: 'Open shop.example' })
  await opens.waitFor()
  expect(await opens.getAttribute('href')).toBe('https://shop.example/sign-in')
  await page.screenshot({ path: join(folder, 'tool server asks to open a page.png') })
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Decline' }).click()
  await expect.poll(() => server.answers.at(-1)).toEqual({ action: 'decline' })
  expect(ui.complaints).toEqual([])
})

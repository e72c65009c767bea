import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Conversation } from '../../runtime/chat/schema.ts'
import { fail, reasoning, slow, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, goTo, sidewaysOverflow, startUiWithModel, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
const ids = { talk: '', asks: '', fails: '', streams: '', wrote: '' }
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;({ ui, wire } = await startUiWithModel())
  await ui.api('POST', '/api/agents', { name: 'Marie', description: 'Finds, reads and compares sources.' })
  await fillConversations()
})
afterAll(() => ui[Symbol.asyncDispose]())

const tea = [
  '## Green tea\n\nLeaves like water **below the boil**. For one pot:',
  '1. Let the kettle rest for three minutes\n2. 2 g of leaves for `100 ml`\n3. Pour, and wait',
  '| tea | °C | minutes |\n|---|---|---|\n| Sencha | 70 | 2 |\n| Assam | 95 | 4 |',
  '```ts\n// how long it takes\nexport const brew = (tea: "green" | "black") => (tea === "green" ? 2 : 4)\n```',
  '> Bitter? Cooler water, not less time.\n\nMore in [the guide](https://example.com/tea).',
].join('\n\n')

async function begin(title: string): Promise<string> {
  const { id } = await ui.api<Conversation>('POST', '/api/chat/conversations', {
    title,
    model: 'openai/model-a',
  })
  return id
}

/** Sends as somebody who does not stay for the answer, which takes so many calls of the model. */
async function say(conversation_id: string, message: string, calls = 1): Promise<void> {
  const before = wire.requests.length
  void ui.api('POST', '/api/chat/messages/stream', { conversation_id, message }).catch(() => undefined)
  await wire.received(before + calls)
}

async function fillConversations(): Promise<void> {
  for (const title of ['Holiday in Portugal', 'Tax return: what is missing?']) await begin(title)
  ids.fails = await begin('Heating schedule for the winter')
  wire.script(fail(401))
  await say(ids.fails, 'When does the heating start?')
  ids.talk = await begin('How to make green tea')
  wire.script(reasoning('They ask about green tea. Temperature matters most.', tea))
  await say(ids.talk, 'How do I make green tea that is not bitter?')
  ids.asks = await begin('Shopping list')
  wire.script(toolCall('time', {}), toolCall('files', { action: 'write', path: 'shopping.md', content: '- Sencha' }))
  await say(ids.asks, 'Put sencha on my list', 2)
  ids.wrote = await begin('Tea notes')
  await ui.api('PUT', `/api/chat/conversations/${ids.wrote}/execution-mode`, { execution_mode: 'auto' })
  wire.script(
    toolCall('files', { action: 'write', path: 'tea.md', content: '- Sencha\n- Assam\n' }),
    text('I wrote tea.md.'),
  )
  await say(ids.wrote, 'Write my teas down', 2)
  ids.streams = await begin('A story')
  wire.script(slow(['Once upon a time there was a kettle ', 'that never sang.']))
  await say(ids.streams, 'Tell me a story')
  wire.release(1)
}

const scenes = [
  { name: 'chat-new', path: () => '/chat', ready: 'What can I do for you?' },
  { name: 'chat-answer', path: () => `/chat/${ids.talk}`, ready: 'Bitter? Cooler water, not less time.' },
  { name: 'chat-approval', path: () => `/chat/${ids.asks}`, ready: 'Needs your approval' },
  { name: 'chat-error', path: () => `/chat/${ids.fails}`, ready: 'The key was rejected' },
  {
    name: 'chat-streaming',
    path: () => `/chat/${ids.streams}`,
    ready: 'Once upon a time there was a kettle',
  },
] as const

const desktop = { viewport: { width: 1280, height: 800 } }
const phone = { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }
// The dark looks are the same elements in other colours.
const looks = [
  { look: 'light', colorScheme: 'light', rules: [], ...desktop },
  { look: 'dark', colorScheme: 'dark', rules: ['color-contrast'], ...desktop },
  { look: 'phone', colorScheme: 'light', rules: [], ...phone },
  { look: 'phone-dark', colorScheme: 'dark', rules: ['color-contrast'], ...phone },
] as const

describe.each(looks)('$look', ({ look, rules, ...options }) => {
  let page: Page
  beforeAll(async () => {
    page = await ui.open('/nowhere', options)
  })
  afterAll(() => page.context().close())

  test.for(scenes)('$name can be used by everybody', async ({ name, path, ready }) => {
    await goTo(page, path())
    await page.getByRole('main').getByText(ready).first().waitFor()
    if (name === 'chat-answer') await page.locator('.hljs-keyword').first().waitFor()
    await page.screenshot({ path: join(folder, `${name}-${look}.png`) })

    await expectAccessible(page, [...rules])
    expect(await sidewaysOverflow(page)).toBe(0)
  })

  test('what an answer changed in files is shown before it is undone', async () => {
    await goTo(page, `/chat/${ids.wrote}`)
    await page.getByRole('button', { name: 'Undo changes' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('+- Sencha').waitFor()
    await page.screenshot({ path: join(folder, `chat-undo-${look}.png`) })
    await expectAccessible(page, [...rules])
    expect(await sidewaysOverflow(page)).toBe(0)
    await dialog.getByRole('button', { name: 'Cancel' }).click()
  })
})

test('/undo undoes the latest answer that changed files', async () => {
  const page = await ui.open(`/chat/${ids.wrote}`)
  const field = page.getByRole('textbox', { name: 'Message' })
  await field.fill('/undo')
  await page.getByText('undoes what the latest answer changed in files').waitFor()
  await field.press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Undo changes' }).click()
  await page.getByText('Changes undone').waitFor()
  await page.getByText('The person undid what the last answer had changed, in 1 file.').first().waitFor()
  await field.fill('/undo')
  await field.press('Enter')
  await page.getByText('There are no changes of files to undo').waitFor()
  expect(ui.complaints).toEqual([])
})

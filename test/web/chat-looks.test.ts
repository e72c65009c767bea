import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Conversation } from '../../runtime/chat/schema.ts'
import { fail, reasoning, slow, startWire, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, sidewaysOverflow, startUi, type Ui } from './harness.ts'

const folder = join(import.meta.dirname, '..', '.output', 'screenshots')

let ui: Ui
let wire: Wire
const ids = { talk: '', asks: '', fails: '', streams: '' }
beforeAll(async () => {
  mkdirSync(folder, { recursive: true })
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
  const access = { api_key: 'sk-test', base_url: wire.url.openai, default_model: 'model-a' }
  await ui.api('PUT', '/api/providers/openai/key', access)
  await ui.api('POST', '/api/agents', { name: 'Marie', description: 'Finds, reads and compares sources.' })
  await fillConversations()
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await wire.close()
})

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
  wire.script(
    toolCall('time', {}),
    toolCall('files', { action: 'write', path: 'shopping.md', content: '- Sencha' }),
  )
  await say(ids.asks, 'Put sencha on my list', 2)
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

const looks = [
  { look: 'light', colorScheme: 'light', viewport: { width: 1280, height: 800 } },
  { look: 'dark', colorScheme: 'dark', viewport: { width: 1280, height: 800 } },
  {
    look: 'phone',
    colorScheme: 'light',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  },
  {
    look: 'phone-dark',
    colorScheme: 'dark',
    viewport: { width: 390, height: 844 },
    isMobile: true,
    hasTouch: true,
  },
] as const

for (const { look, ...options } of looks) {
  test.for(scenes)(`$name can be used by everybody, ${look}`, async ({ name, path, ready }) => {
    const page = await ui.open(path(), options)
    await page.getByRole('main').getByText(ready).first().waitFor()
    if (name === 'chat-answer') await page.locator('.hljs-keyword').first().waitFor()
    await page.screenshot({ path: join(folder, `${name}-${look}.png`) })

    await expectAccessible(page)
    expect(await sidewaysOverflow(page)).toBe(0)
    await page.context().close()
  })
}

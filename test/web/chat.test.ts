import type { Locator, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Conversation, Message } from '../../runtime/chat/schema.ts'
import { fail, reasoning, slow, startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { expectAccessible, startUi, type Ui } from './harness.ts'

let ui: Ui
let wire: Wire
beforeAll(async () => {
  ;[ui, wire] = await Promise.all([startUi(), startWire()])
  await ui.api('PUT', '/api/providers/openai/key', {
    api_key: 'sk-test',
    base_url: wire.url.openai,
    default_model: 'model-a',
  })
})
afterAll(async () => {
  await ui[Symbol.asyncDispose]()
  await wire.close()
})

type Whole = Conversation & { messages: Message[] }

const conversation = (body: object = {}) =>
  ui.api<Conversation>('POST', '/api/chat/conversations', { model: 'openai/model-a', ...body })
const stored = (id: string) => ui.api<Whole>('GET', `/api/chat/conversations/${id}`)
const field = (page: Page) => page.getByRole('textbox', { name: 'Message' })
const answer = (page: Page) => page.getByRole('article').last()

/** Whether the middle of it is inside the messages, as the eye sees them. */
const inView = (line: Locator) =>
  line.evaluate((element) => {
    const { top, bottom } = element.getBoundingClientRect()
    const box = element.closest('section')?.getBoundingClientRect()
    return box !== undefined && (top + bottom) / 2 > box.top && (top + bottom) / 2 < box.bottom
  })

async function say(page: Page, words: string): Promise<void> {
  await field(page).fill(words)
  await field(page).press('Enter')
}

async function openConversation(body: object = {}): Promise<{ page: Page; id: string }> {
  const { id } = await conversation(body)
  const page = await ui.open(`/chat/${id}`)
  await page.getByRole('combobox', { name: /^Model:/ }).waitFor()
  return { page, id }
}

test('a first message creates a conversation, and the offline model is never mistaken for a real one', async () => {
  const page = await ui.open('/chat')
  await page.getByRole('combobox', { name: /^Model:/ }).click()
  await page.getByRole('option', { name: 'Offline model' }).click()
  await page.getByRole('button', { name: 'How much is 15 % of 240?' }).click()
  expect(await field(page).inputValue()).toBe('How much is 15 % of 240?')
  await field(page).press('Enter')

  await page.waitForURL('**/chat/conv_*')
  await answer(page).getByText('36').first().waitFor()
  await answer(page).getByText('Offline model', { exact: true }).waitFor()
  await page.getByRole('navigation', { name: 'Conversations' }).getByText('How much is 15 % of 240?').waitFor()
  await expectAccessible(page)
  expect(ui.complaints).toEqual([])
})

test('an answer is shown while it streams, and continues after a reload', async () => {
  const { page } = await openConversation()
  wire.script(slow(['The kettle ', 'is **on**', ', tea in ', 'five minutes.']))
  await say(page, 'Tea?')
  wire.release(2)
  await answer(page).getByText('The kettle is on').waitFor()
  await page.getByRole('button', { name: 'Stop the answer' }).waitFor()

  await page.reload()
  await answer(page).getByText('The kettle is on').waitFor()
  wire.release(2)
  await answer(page).getByText('The kettle is on, tea in five minutes.').waitFor()
  await page.getByRole('button', { name: 'Regenerate' }).waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
})

test('stop ends an answer, keeps its text and offers ways to continue', async () => {
  const { page, id } = await openConversation()
  wire.script(slow(['It began ', 'and never ended']), text('Now it has ended.'))
  await say(page, 'Tell me a story')
  wire.release(1)
  await answer(page).getByText('It began').waitFor()
  await page.getByRole('button', { name: 'Stop the answer' }).click()

  await answer(page).getByText('Stopped', { exact: true }).waitFor()
  await answer(page).getByText('It began').waitFor()
  expect((await stored(id)).messages.at(-1)).toMatchObject({ status: 'interrupted', content: 'It began ' })
  await answer(page).getByRole('button', { name: 'Regenerate' }).click()
  await answer(page).getByText('Now it has ended.').waitFor()
  await expect.poll(() => page.getByRole('article').count()).toBe(1)
})

test('an action waits for approval, and runs with the input that the person has edited', async () => {
  const { page, id } = await openConversation()
  wire.script(toolCall('files', { action: 'write', path: 'tea.md', content: 'green' }), text('Written.'))
  await say(page, 'Note my tea')
  const card = page.getByRole('region', { name: 'Tool files' })
  await card.getByText('Needs your approval').waitFor()
  await card.getByText('green').first().waitFor()
  await expectAccessible(page)

  await card.getByRole('button', { name: 'Edit input' }).click()
  await card.getByRole('button', { name: 'Edit as JSON' }).click()
  const input = card.getByRole('textbox', { name: 'Input (JSON)' })
  await input.fill('{"action": "write"')
  await card.getByText(/^Not valid JSON/).waitFor()
  expect(await card.getByRole('button', { name: 'Approve with this input' }).isDisabled()).toBe(true)
  await input.fill('{"action": "write", "path": "tea.md", "content": "black"}')
  await card.getByRole('button', { name: 'Approve with this input' }).click()

  await answer(page).getByText('Written.').waitFor()
  await card.getByText('Done').waitFor()
  await card.getByRole('button', { expanded: false }).click()
  await card.getByText('"content": "black"').waitFor()
  await expectAccessible(page)
  expect((await stored(id)).messages.at(-1)?.parts).toContainEqual(
    expect.objectContaining({
      type: 'tool_use',
      state: 'done',
      input: expect.objectContaining({ content: 'black' }),
    }),
  )
})

test('a refused action never runs, and the agent gets the reason', async () => {
  const { page, id } = await openConversation()
  wire.script(toolCall('files', { action: 'write', path: 'a.md', content: 'x' }), text('As you wish.'))
  await say(page, 'Write it')
  const card = page.getByRole('region', { name: 'Tool files' })
  await card.getByRole('button', { name: 'Reject…' }).click()
  await card.getByRole('textbox', { name: /^Reason for the agent/ }).fill('not on my machine')
  await card.getByRole('button', { name: 'Reject', exact: true }).click()

  await answer(page).getByText('As you wish.').waitFor()
  await card.getByText('Not allowed').waitFor()
  expect(JSON.stringify((await stored(id)).messages.at(-1)?.parts)).toContain('not on my machine')
})

test('an action that is always allowed does not ask again, and an approval survives a reload', async () => {
  const { page } = await openConversation()
  const write = (path: string) => toolCall('files', { action: 'write', path, content: 'x' })
  wire.script(write('a.md'), write('b.md'), text('Both written.'))
  await say(page, 'Write both')
  await page.getByText('Needs your approval').waitFor()
  await page.reload()
  await page.getByRole('button', { name: 'Always in this conversation' }).click()

  await answer(page).getByText('Both written.').waitFor()
  await expect.poll(() => page.getByRole('region', { name: 'Tool files' }).count()).toBe(2)
})

test('a message to a busy agent is queued and answered in turn', async () => {
  const { page } = await openConversation()
  wire.script(slow(['first ', 'answer']), text('second answer'))
  await say(page, 'One')
  wire.release(1)
  await answer(page).getByText('first').waitFor()
  await say(page, 'Two')
  await page.getByText('Queued', { exact: true }).waitFor()

  wire.release(1)
  await answer(page).getByText('second answer').waitFor()
  const spoken = await page
    .getByRole('listitem')
    .locator('[data-role]')
    .or(page.locator('li[data-role]'))
    .allInnerTexts()
  expect(spoken.map((words) => /One|first answer|Two|second answer/.exec(words)?.[0])).toEqual([
    'One',
    'first answer',
    'Two',
    'second answer',
  ])
})

test('an interrupting message stops the answer and is answered at once', async () => {
  const { page } = await openConversation()
  wire.script(slow(['a long ', 'story']), text('Here I am.'))
  await say(page, 'Tell me a story')
  wire.release(1)
  await answer(page).getByText('a long').waitFor()
  await field(page).fill('Stop that')
  await page.getByRole('button', { name: 'More ways to send' }).click()
  await page.getByRole('menuitem', { name: /^Interrupt/ }).click()

  await answer(page).getByText('Here I am.').waitFor()
  await page.getByText('Stopped', { exact: true }).waitFor()
})

test('an error is explained in plain English, and can be retried', async () => {
  const { page } = await openConversation()
  wire.script(fail(401))
  await say(page, 'Hello?')
  const trouble = answer(page).getByRole('alert')
  await trouble.getByText('The key was rejected').waitFor()
  await expectAccessible(page)
  wire.script(text('Hello!'))
  await trouble.getByRole('button', { name: 'Try again' }).click()
  await answer(page).getByText('Hello!').waitFor()
})

test('the offline model answers if the provider cannot', async () => {
  const { page, id } = await openConversation()
  wire.script(fail(401))
  await say(page, 'How much is 15 % of 240?')
  await answer(page).getByRole('button', { name: 'Answer offline' }).click()
  await answer(page).getByText('36').first().waitFor()
  await answer(page).getByText('Offline model', { exact: true }).waitFor()
  await page.getByRole('combobox', { name: 'Model: Offline model' }).waitFor()
  expect(await stored(id)).toMatchObject({ model: 'offline', message_count: 2 })
})

test('reasoning is collapsed until it is opened', async () => {
  const { page } = await openConversation()
  wire.script(reasoning('They like it green.', 'Green tea.'))
  await say(page, 'Which tea?')
  await answer(page).getByText('Green tea.').waitFor()
  expect(await page.getByText('They like it green.').isVisible()).toBe(false)
  await page.getByRole('button', { name: 'Reasoning' }).click()
  expect(await page.getByText('They like it green.').isVisible()).toBe(true)
})

test('open check-ins are shown, and can be cancelled', async () => {
  const { page, id } = await openConversation()
  const promise = { delay_minutes: 30, waiting_on: 'the kettle', estimate_basis: 'It takes that long' }
  wire.script(toolCall('arm_check_in', promise), text('I look again in half an hour.'))
  await say(page, 'Tell me when the kettle sings')
  await answer(page).getByText('I look again in half an hour.').waitFor()
  await page.getByRole('button', { name: '1 check-in' }).click()
  await page.getByText('the kettle ·').waitFor()
  await page.getByRole('button', { name: 'Cancel this check-in' }).click()

  await page.getByRole('button', { name: '1 check-in' }).waitFor({ state: 'detached' })
  expect(await ui.api('GET', `/api/chat/conversations/${id}/check-ins`)).toEqual({ check_ins: [] })
})

test('Markdown from a model fetches nothing, and its code can be copied', async () => {
  const { page } = await openConversation()
  const asked: string[] = []
  page.on('request', (request) => {
    if (!request.url().startsWith(ui.daemon.url)) asked.push(request.url())
  })
  const words = [
    '![plan](https://tracker.example/p.png?secret=1)',
    '<img src="https://tracker.example/raw.png">',
    '[x](javascript:alert(1))',
    '```js\nconst tea = "green"\n```',
    '| a | b |\n|---|---|\n| 1 | 2 |',
    'the end',
  ]
  wire.script(text(words.join('\n\n')))
  await say(page, 'Show me')
  await answer(page).getByText('the end').waitFor()
  await answer(page).locator('.hljs-keyword').waitFor()

  expect(await answer(page).locator('img').count()).toBe(0)
  expect(await answer(page).locator('a[href^="javascript"]').count()).toBe(0)
  expect(await answer(page).getByRole('link', { name: 'Picture: plan' }).getAttribute('href')).toContain('tracker')
  await expect.poll(() => answer(page).getByRole('table').count()).toBe(1)
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await answer(page).getByRole('button', { name: 'Copy code' }).click()
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe('const tea = "green"')
  await expectAccessible(page)
  expect(asked).toEqual([])
})

test('an edited message replaces the old one and everything after it', async () => {
  const { page, id } = await openConversation()
  wire.script(text('Green.'), text('Black.'))
  await say(page, 'Green tea?')
  await answer(page).getByText('Green.').waitFor()
  await page.getByText('Green tea?', { exact: true }).last().hover()
  await page.getByRole('button', { name: 'Edit and send again' }).click()
  await page.getByRole('textbox', { name: 'Your message' }).fill('Black tea?')
  await page.getByRole('button', { name: 'Send', exact: true }).first().click()

  await answer(page).getByText('Black.').waitFor()
  expect((await stored(id)).messages.map(({ content }) => content)).toEqual(['Black tea?', 'Black.'])
})

test('conversations are renamed, pinned, archived, searched and deleted', async () => {
  const { page, id } = await openConversation({ title: 'Kettles' })
  await ui.api('POST', '/api/chat/messages/inject', {
    conversation_id: id,
    role: 'user',
    content: 'The whistling one is a Fellow Stagg',
  })
  const list = page.getByRole('navigation', { name: 'Conversations' })
  await page.getByRole('heading', { name: 'Kettles' }).click()
  await page.getByRole('textbox', { name: 'Conversation name' }).fill('Tea kettles')
  await page.getByRole('textbox', { name: 'Conversation name' }).press('Enter')
  await list.getByRole('link', { name: 'Tea kettles' }).waitFor()

  const more = list.getByRole('button', { name: 'More actions for Tea kettles' })
  await list.getByRole('link', { name: 'Tea kettles' }).hover()
  await more.click()
  await page.getByRole('menuitem', { name: 'Pin' }).click()
  await list.getByRole('heading', { name: 'Pinned' }).waitFor()

  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('stagg')
  await list.getByRole('heading', { name: 'In messages' }).waitFor()
  await page.getByRole('searchbox', { name: 'Search conversations' }).fill('')

  await more.click()
  await page.getByRole('menuitem', { name: 'Archive' }).click()
  await list.getByRole('link', { name: 'Tea kettles' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Archive', exact: true }).click()
  await list.getByRole('link', { name: 'Tea kettles' }).hover()
  await more.click()
  await page.getByRole('menuitem', { name: 'Delete…' }).click()
  await expectAccessible(page)
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()

  await page.waitForURL((url) => url.pathname === '/chat')
  await expect(stored(id)).rejects.toThrow('404')
})

test('a conversation is exported as a file', async () => {
  const { page, id } = await openConversation({ title: 'To keep' })
  await ui.api('POST', '/api/chat/messages/inject', {
    conversation_id: id,
    role: 'user',
    content: 'kept words',
  })
  await page
    .getByRole('banner')
    .getByRole('button', { name: 'More actions for To keep' })
    .or(page.locator('header').getByRole('button', { name: 'More actions for To keep' }))
    .first()
    .click()
  const downloading = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Export as Markdown' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('To keep.md')
  const chunks = await Array.fromAsync(await download.createReadStream())
  expect(Buffer.concat(chunks).toString()).toContain('kept words')
})

test('a link with a message fills it in, and its agent asks before it acts', async () => {
  const page = await ui.open('/chat?message=what%20time%20is%20it%3F')
  await expect.poll(() => field(page).inputValue()).toBe('what time is it?')
  expect(new URL(page.url()).pathname).toBe('/chat')
  await field(page).press('Enter')
  await page.waitForURL('**/chat/conv_*')
  await page.getByText('what time is it?', { exact: true }).last().waitFor()
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? ''
  expect(await stored(id)).toMatchObject({ execution_mode: 'approval_required', message_count: 2 })
})

test('an unsent draft survives a reload, in its own conversation', async () => {
  const { page } = await openConversation()
  await field(page).fill('half a thought')
  await page.reload()
  await field(page).waitFor()
  expect(await field(page).inputValue()).toBe('half a thought')
  await page.getByRole('link', { name: 'New chat' }).click()
  expect(await field(page).inputValue()).toBe('')
})

test('a message that the daemon has not stored yet is kept by the browser', async () => {
  const { page } = await openConversation()
  const hanging = '**/api/chat/messages/stream'
  await page.route(hanging, () => undefined)
  await say(page, 'Are you there?')
  await page.getByText('Are you there?', { exact: true }).first().waitFor()
  expect(await field(page).inputValue()).toBe('')
  await page.reload()
  await field(page).waitFor()
  expect(await field(page).inputValue()).toBe('Are you there?')

  await page.unroute(hanging)
  await page.route(hanging, (route) => setTimeout(() => route.abort(), 500))
  const failed = page.waitForEvent('requestfailed')
  await field(page).press('Enter')
  await page.getByRole('link', { name: 'New chat' }).click()
  await failed
  await page.goBack()
  await expect.poll(() => field(page).inputValue()).toBe('Are you there?')

  await page.unroute(hanging)
  wire.script(text('I am.'))
  await field(page).press('Enter')
  await answer(page).getByText('I am.').waitFor()
  await page.reload()
  await answer(page).getByText('I am.').waitFor()
  expect(await field(page).inputValue()).toBe('')
})

test('modes are stored by the daemon', async () => {
  const { page, id } = await openConversation()
  await page.getByRole('combobox', { name: 'Mode: Agent' }).click()
  await page.getByRole('option', { name: /^Plan/ }).click()
  await page.getByRole('combobox', { name: 'Mode: Plan' }).waitFor()
  await page.getByRole('combobox', { name: /^Permission:/ }).click()
  await page.getByRole('option', { name: /^Acts on its own/ }).click()
  await page.getByRole('combobox', { name: 'Permission: Acts on its own' }).waitFor()
  await page.reload()
  await page.getByRole('combobox', { name: 'Mode: Plan' }).waitFor()
  expect(await stored(id)).toMatchObject({ mode: 'plan', execution_mode: 'autonomous' })
})

test('a long conversation opens at its end, and loading earlier messages does not move the visible ones', async () => {
  const { id } = await conversation({ title: 'Long' })
  for (let number = 1; number <= 130; number++) {
    const role = number % 2 ? 'user' : 'assistant'
    await ui.api('POST', '/api/chat/messages/inject', {
      conversation_id: id,
      role,
      content: `Line ${number}.\n\nMore of it.`,
    })
  }
  const page = await ui.open(`/chat/${id}`)
  const messages = page.getByRole('region', { name: 'Messages' })
  const line = (number: number) => messages.getByText(new RegExp(`^Line ${number}\\.`))
  await line(130).waitFor()
  await expect.poll(() => inView(line(130))).toBe(true)
  expect(await line(20).count()).toBe(0)

  for (let turns = 0; turns < 60 && (await line(1).count()) === 0; turns++) {
    await messages.hover()
    await page.mouse.wheel(0, -1_500)
    await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve))))
  }
  await line(1).waitFor()
  await page.getByRole('button', { name: 'Jump to latest' }).click()
  await expect.poll(() => inView(line(130))).toBe(true)
  await expect.poll(() => page.locator('li[data-role]').count()).toBe(130)
})

test('on a phone the conversations are behind a button', async () => {
  const { id } = await conversation({ title: 'Pocket' })
  const page = await ui.open(`/chat/${id}`, {
    viewport: { width: 390, height: 844 },
    hasTouch: true,
    isMobile: true,
  })
  await page.getByRole('button', { name: 'Conversations' }).click()
  const drawer = page.getByRole('dialog', { name: 'Conversations' })
  await drawer.getByRole('link', { name: 'New chat' }).click()
  await page.waitForURL((url) => url.pathname === '/chat')
  await drawer.waitFor({ state: 'hidden' })
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
})

test('an unknown conversation is reported', async () => {
  const page = await ui.open('/chat/conv_nothing')
  await page.getByText('This conversation does not exist').waitFor()
  await expectAccessible(page)
})

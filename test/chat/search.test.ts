import { expect, test } from 'vitest'
import { create, list as listConversations, remove } from '../../handlers/chat/conversations.ts'
import { inject, list, search, truncate } from '../../handlers/chat/messages.ts'
import { send } from '../../handlers/chat/stream.ts'
import type { Conversation, Message } from '../../runtime/chat/schema.ts'
import type { FoundMessage } from '../../runtime/chat/search.ts'
import type { Host } from '../../runtime/host.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

interface Found {
  results: FoundMessage[]
  total: number
}

async function conversation(host: Host, ...contents: string[]): Promise<string> {
  const { id }: Conversation = await (await call(create, host, { body: { title: 'Notes' } })).json()
  for (const content of contents) await call(inject, host, { body: { conversation_id: id, role: 'user', content } })
  return id
}

async function find(host: Host, q: string, page: Record<string, string> = {}): Promise<Found> {
  const response = await call(search, host, { query: { q, ...page } })
  expect(response.status, q.slice(0, 40)).toBe(200)
  return response.json()
}

const excerpts = async (host: Host, q: string) => (await find(host, q)).results.map(({ excerpt }) => excerpt)

test('finds the messages that contain all words, also as prefixes, newest first', async () => {
  const host = await testHost()
  const id = await conversation(host, 'The kettle is old', 'A new kettle was bought', 'Nothing here')
  const { results, total } = await find(host, 'KETT')
  expect(total).toBe(2)
  expect(results.map(({ excerpt }) => excerpt)).toEqual([
    'A new <mark>kettle</mark> was bought',
    'The <mark>kettle</mark> is old',
  ])
  expect(results[0]).toMatchObject({ conversation_id: id, conversation_title: 'Notes', role: 'user' })
  expect(results[0]?.message_id).toMatch(/^msg_/)
  expect(await excerpts(host, 'old kettle')).toEqual(['The <mark>kettle</mark> is <mark>old</mark>'])
})

test('accents and case do not matter, and markup in a message stays text', async () => {
  const host = await testHost()
  await conversation(host, 'Ein Café & <b>Tee</b>')
  expect(await excerpts(host, 'cafe')).toEqual(['Ein <mark>Café</mark> &amp; &lt;b&gt;Tee&lt;/b&gt;'])
})

test.each([
  ['Japanese', '明日は東京へ行きます', '東京', '明日は<mark>東京</mark>へ行きます'],
  ['Japanese at the end', '私は東京', '東京', '私は<mark>東京</mark>'],
  ['one character', '私は茶が好き', '茶', '私は<mark>茶</mark>が好き'],
  ['Chinese', '我们明天去上海博物馆', '上海博物馆', '我们明天去<mark>上海博物馆</mark>'],
  ['Thai', 'ฉันชอบดื่มชาร้อน', 'ดื่มชา', 'ฉันชอบ<mark>ดื่มชา</mark>ร้อน'],
  ['with other words', 'Meeting 東京 tomorrow', '東京 meet', '<mark>Meeting</mark> <mark>東京</mark> tomorrow'],
  ['emoji', 'Well done 🎉', '🎉', 'Well done <mark>🎉</mark>'],
])('finds scripts without spaces: %s', async (_, content, q, excerpt) => {
  const host = await testHost()
  await conversation(host, content, 'something else 別の文 🙈')
  expect(await excerpts(host, q)).toEqual([excerpt])
})

test.each([
  ["what's up", 1],
  ['C++', 1],
  ['*', 0],
  ['"', 0],
  ['"kettle', 1],
  ['kettle"', 1],
  ['NEAR(', 0],
  ['kettle AND NOT up', 0],
  ['content:kettle', 0],
  ['kettle OR', 0],
  ['-kettle', 1],
  ['(kettle)', 1],
  ["'; DROP TABLE messages; --", 0],
  ['%', 0],
  ['🙈🙉', 0],
  ['\uD83D', 0],
])('a hostile query is answered like any other: %s', async (q, total) => {
  const host = await testHost()
  await conversation(host, "what's up with the kettle", 'I write C++ daily', 'C is older')
  expect((await find(host, q)).total).toBe(total)
})

test('of 10,000 characters only the first words are searched', async () => {
  const host = await testHost()
  await conversation(host, "what's up with the kettle")
  const totals = ['kettle '.repeat(1_428), 'a'.repeat(10_000), '東京'.repeat(5_000)].map((q) => find(host, q))
  expect((await Promise.all(totals)).map(({ total }) => total)).toEqual([1, 0, 0])
})

test('follows changes of messages: a streaming answer, a truncation, a deletion', async () => {
  const host = await testHost({ models: scriptedModels(text('A samovar ', 'boils')) })
  const events = await chat(host, { message: 'Which pot?' })
  const id = events[0]?.data.conversation_id ?? ''
  expect(await excerpts(host, 'samovar boils')).toEqual(['A <mark>samovar</mark> <mark>boils</mark>'])

  await call(truncate, host, { body: { conversation_id: id, keep_last: 0 } })
  expect(await excerpts(host, 'samovar')).toEqual([])
  await call(inject, host, { body: { conversation_id: id, role: 'user', content: 'Another samovar 東京都' } })
  expect((await find(host, 'samovar')).total).toBe(1)
  await call(remove, host, { params: { id } })
  expect((await find(host, 'samovar')).total).toBe(0)
  expect((await find(host, '東京')).total).toBe(0)
  await host.sql.write([
    { sql: `INSERT INTO message_words (message_words) VALUES ('integrity-check')` },
    { sql: `INSERT INTO message_pieces (message_pieces) VALUES ('integrity-check')` },
  ])
})

test('pages through many matches, each once', async () => {
  const host = await testHost()
  await conversation(host, ...Array.from({ length: 25 }, (_, index) => `kettle ${index}`))
  const pages = await Promise.all(['0', '10', '20'].map((offset) => find(host, 'kettle', { limit: '10', offset })))
  expect(pages.map(({ results }) => results.length)).toEqual([10, 10, 5])
  expect(new Set(pages.flatMap(({ results }) => results.map((one) => one.message_id))).size).toBe(25)
  expect(pages[0]?.total).toBe(25)
})

interface Page {
  messages: Message[]
  has_older: boolean
  has_newer: boolean
}

test('returns the messages around one, and pages in both directions', async () => {
  const host = await testHost()
  const id = await conversation(host, ...Array.from({ length: 30 }, (_, index) => `number ${index}`))
  const read = async (query: Record<string, string>): Promise<Page> =>
    (await call(list, host, { params: { id }, query })).json()
  const contents = ({ messages }: Page) => messages.map(({ content }) => Number(content.split(' ')[1]))
  const [found] = (await find(host, 'number 12')).results
  const around = await read({ around: found?.message_id ?? '', limit: '6' })
  expect(contents(around)).toEqual([10, 11, 12, 13, 14, 15])
  expect(around).toMatchObject({ has_older: true, has_newer: true })

  const newer = await read({ after: around.messages.at(-1)?.id ?? '', limit: '20' })
  expect(contents(newer)).toEqual([16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])
  expect(newer).toMatchObject({ has_older: true, has_newer: false })
  const older = await read({ before: around.messages[0]?.id ?? '', limit: '20' })
  expect(contents(older)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect(older).toMatchObject({ has_older: false, has_newer: true })
  expect(await read({ limit: '6' })).toMatchObject({ has_older: true, has_newer: false })

  const other = await conversation(host, 'elsewhere')
  const lost = await call(list, host, {
    params: { id: other },
    query: { around: found?.message_id ?? '' },
  })
  expect(lost.status).toBe(404)
  const both = await call(list, host, { params: { id }, query: { around: 'a', before: 'b' } })
  expect(both.status).toBe(400)
})

test('conversations can be listed by status', async () => {
  const host = await testHost({
    models: scriptedModels(toolCall('files', { action: 'write', path: 'a', content: 'b' })),
  })
  await conversation(host, 'quiet')
  const response = await call(send, host, { body: { message: 'Write it' } })
  await workOff(host)
  const statuses = async (status: string) => {
    const { conversations } = await (await call(listConversations, host, { query: { status } })).json()
    return conversations.map((one: Conversation) => one.title)
  }
  expect(await statuses('waiting_approval')).toEqual(['Write it'])
  expect(await statuses('idle')).toEqual(['Notes'])
  expect(await statuses('running')).toEqual([])
  expect((await call(listConversations, host, { query: { status: 'asleep' } })).status).toBe(400)
  await response.body?.cancel()
})

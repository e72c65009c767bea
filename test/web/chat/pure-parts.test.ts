import fc from 'fast-check'
import { expect, test } from 'vitest'
import { StreamErrorCode } from '../../../runtime/chat/schema.ts'
import { blocksOf } from '../../../web/pages/chat/state/blocks.ts'
import { conversationGroups } from '../../../web/pages/chat/state/conversation-groups.ts'
import { Drafts } from '../../../web/pages/chat/state/drafts.ts'
import { errorText, recalledLabel } from '../../../web/pages/chat/state/labels.ts'
import { chatEvent } from '../../../web/pages/chat/state/stream.ts'
import { parseObject, pretty } from '../../../web/parts/json.ts'
import { markdownBlocks } from '../../../web/parts/markdown/markdown-blocks.ts'
import { conversation, message } from './fixtures.ts'

test('every error code of the stream has its own title', () => {
  const titles = StreamErrorCode.options.map((code) => errorText(code).title)
  expect(new Set(titles).size).toBe(titles.length)
  expect(errorText('of_a_newer_daemon').title).toBe(errorText('internal_error').title)
  expect(errorText('toString').title).toBe(errorText('internal_error').title)
})

test('an event from a newer daemon, or an unreadable one, is ignored', () => {
  expect(chatEvent({ id: '1', event: 'token', data: '{"content":"x"}' })).toEqual({
    id: '1',
    event: 'token',
    data: { content: 'x' },
  })
  expect(chatEvent({ id: '1', event: 'hologram', data: '{}' })).toBeNull()
  expect(chatEvent({ id: '1', event: 'constructor', data: '{}' })).toBeNull()
  expect(chatEvent({ id: '1', event: 'token', data: '{' })).toBeNull()
})

test('Markdown is split between paragraphs, and joined it is the same text', () => {
  expect(markdownBlocks('# Title\n\nOne\ntwo\n\nThree')).toEqual(['# Title\n', 'One\ntwo\n', 'Three'])
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('a', '', '- x', '1. y', '```', '```ts', '~~~', '    code', '| t |', '> q', '[a]: b')),
      (lines) => {
        expect(markdownBlocks(lines.join('\n')).join('\n')).toBe(lines.join('\n'))
      },
    ),
  )
})

test('fenced code, lists with gaps and definitions are never split', () => {
  expect(markdownBlocks('```ts\na\n\n\nb\n```\n\nafter')).toEqual(['```ts\na\n\n\nb\n```\n', 'after'])
  expect(markdownBlocks('````\n```\n\n````\n\nafter')).toHaveLength(2)
  expect(markdownBlocks('1. a\n\n2. b\n\n   more\n\nafter')).toEqual(['1. a\n\n2. b\n\n   more\n', 'after'])
  expect(markdownBlocks('see [x]\n\n[x]: /there')).toHaveLength(1)
})

test('an open fence keeps growing as one piece', () => {
  expect(markdownBlocks('text\n\n```py\nx = 1\n\ny = 2')).toEqual(['text\n', '```py\nx = 1\n\ny = 2'])
})

test('the input of a tool must be a JSON object', () => {
  expect(parseObject('{"a": 1}')).toEqual({ ok: true, value: { a: 1 } })
  expect(parseObject('[1]')).toMatchObject({ ok: false })
  expect(parseObject('null')).toMatchObject({ ok: false })
  expect(parseObject('{a: 1}')).toMatchObject({
    ok: false,
    reason: expect.stringContaining('Not valid JSON'),
  })
})

test('values are shown indented, also JSON in text; other text is unchanged', () => {
  expect(pretty({ a: 1 })).toBe('{\n  "a": 1\n}')
  expect(pretty('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(pretty('[not json')).toBe('[not json')
  expect(pretty(undefined)).toBe('')
})

const of = (conversation: string | null, user = 'user_1') => ({ user, conversation })

test('drafts are kept per person and conversation, and unavailable storage does no harm', () => {
  const kept = new Map<string, string>()
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const drafts = new Drafts(shelf)
  const typed = (text: string) => ({ text, files: [] })
  drafts.keep(of('conv_1'), typed('half a th'))
  drafts.keep(of(null), typed('new one'))
  expect(['conv_1', null, 'conv_2'].map((id) => drafts.take(of(id)).text)).toEqual(['half a th', 'new one', ''])
  expect(['conv_1', null].map((id) => drafts.take(of(id, 'user_2')).text)).toEqual(['', ''])
  drafts.keep(of('conv_1'), typed(''))
  expect(kept.size).toBe(1)

  const refuse = () => {
    throw new Error('QuotaExceededError')
  }
  const full = new Drafts({ getItem: refuse, setItem: refuse, removeItem: refuse })
  full.keep(of('conv_1'), typed('x'))
  expect(full.take(of('conv_1')).text).toBe('')
})

test('a message is kept until it is sent, and comes back if sending fails or the page closes', async () => {
  const kept = new Map<string, string>()
  const shelf = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  }
  const drafts = new Drafts(shelf)
  const message = (text: string) => ({ text, files: [] })
  const sent = Promise.withResolvers<void>()
  const sending = drafts.send(of('conv_1'), message('slow'), () => sent.promise)
  const failing = drafts.send(of('conv_1'), message('lost'), () => Promise.reject(new Error('offline')))
  await expect(failing).rejects.toThrow('offline')
  drafts.keep(of('conv_1'), message('next'))
  expect(drafts.take(of('conv_1')).text).toBe('lost\nnext')
  expect(new Drafts(shelf).take(of('conv_1')).text).toBe('slow\nnext')
  expect(new Drafts(shelf).take(of('conv_1', 'user_2')).text).toBe('')
  sent.resolve()
  await sending
  expect(new Drafts(shelf).takeUnsent(of('conv_1'))).toEqual([])
})

test('an answer that a limit stopped says which', () => {
  expect(errorText('tool_error', 'steps').title).toBe('The limit of steps is reached')
  expect(errorText('budget_exceeded', 'money').title).toBe(errorText('budget_exceeded').title)
})

test.each(['provider_unavailable', 'timeout', 'overloaded', 'rate_limit', 'auth', 'billing'])(
  'the offline model is offered after %s',
  (code) => {
    expect(errorText(code).offline).toBe(true)
  },
)

test("conversations are grouped under Pinned, then by day in the reader's zone", () => {
  const now = Date.parse('2026-03-10T02:00:00Z')
  const at = (id: string, last_message_at: string, pinned = false) => conversation({ id, last_message_at, pinned })
  const list = [
    at('old', '2025-12-01T00:00:00Z'),
    at('yesterday_there', '2026-03-10T01:00:00Z'),
    at('pinned', '2025-01-01T00:00:00Z', true),
    at('week', '2026-03-06T00:00:00Z'),
  ]
  const names = (zone: string) =>
    conversationGroups(list, { now, zone }).map((group) => `${group.label}: ${group.conversations.map(({ id }) => id)}`)
  expect(names('UTC')).toEqual(['Pinned: pinned', 'Today: yesterday_there', 'Last 7 days: week', 'December 2025: old'])
  const german = conversationGroups(list.slice(0, 1), { now, zone: 'UTC', language: 'de' })
  expect(german[0]?.label).toBe('Dezember 2025')
  expect(conversationGroups([at('late', '2026-03-09T23:00:00Z')], { now, zone: 'UTC' })[0]?.label).toBe('Yesterday')
  expect(conversationGroups([at('late', '2026-03-09T23:00:00Z')], { now, zone: 'America/New_York' })[0]?.label).toBe(
    'Today',
  )
})

test('a call without a result is unknown if it had started, and otherwise not run', () => {
  const use = (state: 'proposed' | 'started' | 'waiting') =>
    message('msg_2', {
      status: 'interrupted',
      parts: [{ type: 'tool_use', id: 'c', tool: 'shell', input: {}, summary: '', state }],
    })
  expect(blocksOf(use('started'), {})).toMatchObject([{ state: 'unknown' }])
  expect(blocksOf(use('proposed'), {})).toMatchObject([{ state: 'not_run' }])
  expect(blocksOf(use('waiting'), {})).toMatchObject([{ state: 'not_run' }])
})

test('a message without parts is rendered from its content', () => {
  expect(blocksOf(message('msg_1', { content: 'plain' }), {})).toEqual([{ type: 'text', text: 'plain' }])
})

test.each([
  [[null, null], 'Read 2 memories'],
  [[true], 'Used 1 memory'],
  [[true, false, true], 'Used 2 memories'],
  [[false], 'Read 1 memory, used none'],
])('labels the memories of an answer: %j', (used, label) => {
  const episodes = used.map((one, index) => ({ id: `ep_${index}`, score: 0.5, used: one }))
  expect(recalledLabel(episodes)).toBe(label)
})

import { expect, test } from 'vitest'
import { applyEvent } from '../../../web/pages/chat/state/apply-event.ts'
import {
  cutFrom,
  maxLoaded,
  pageSize,
  withNewer,
  withOlder,
  withOutgoing,
  withPending,
  withStored,
  withStretch,
} from '../../../web/pages/chat/state/stored.ts'
import { approval, conversation, event, message, start, thread } from './fixtures.ts'

const said = (id: string, content: string) => message(id, { role: 'user', content })
const numbered = (from: number, count: number) =>
  Array.from({ length: count }, (_, index) => message(`msg_${String(from + index).padStart(5, '0')}`))
const ids = (from: ReturnType<typeof thread>) => from.messages.map((item) => item.message.id)

test('a stored message replaces the sent one and keeps its key', () => {
  const sent = withOutgoing(thread(), { key: 'local_1', text: 'hello', queued: false })
  const stored = withStored(sent, conversation(), [said('msg_1', 'hello')])
  expect(stored.messages).toMatchObject([{ key: 'local_1', message: { id: 'msg_1' } }])
})

test('two equal messages are matched one by one', () => {
  const once = withOutgoing(thread(), { key: 'local_1', text: 'again', queued: false })
  const twice = withOutgoing(once, { key: 'local_2', text: 'again', queued: true })
  const stored = withStored(twice, conversation(), [said('msg_1', 'again'), said('msg_3', 'again')])
  expect(stored.messages.map((item) => item.key)).toEqual(['local_1', 'local_2'])
})

test('unstored messages stay at the end', () => {
  const sent = withOutgoing(thread(), { key: 'local_1', text: 'later', queued: true })
  expect(ids(withStored(sent, conversation(), [said('msg_1', 'first')]))).toEqual(['msg_1', 'local_1'])
})

test('a streaming answer is not reset to its stored copy', () => {
  const live = [start(), event(2, 'token', { content: 'far ahead' })].reduce(applyEvent, thread())
  const behind = message('msg_2', { status: 'streaming', parts: [{ type: 'text', text: 'far' }] })
  const merged = withStored(live, conversation({ status: 'idle' }), [behind])
  expect(merged.messages[0]?.message.parts).toEqual([{ type: 'text', text: 'far ahead' }])
  expect(merged.conversation?.status).toBe('running')
})

test('the final row replaces the streamed copy', () => {
  const live = [start(), event(2, 'token', { content: 'x' })].reduce(applyEvent, thread())
  const final = message('msg_2', { cost_usd: 0.01, parts: [{ type: 'text', text: 'x' }] })
  expect(withStored(live, conversation(), [final]).messages[0]?.message.cost_usd).toBe(0.01)
})

test('messages removed elsewhere disappear, older pages remain', () => {
  const paged = withOlder(withStored(thread(), conversation(), numbered(100, pageSize)), {
    messages: numbered(50, pageSize),
    has_older: true,
    has_newer: true,
  })
  expect(paged.messages).toHaveLength(2 * pageSize)
  const fewer = withStored(paged, conversation(), numbered(99, pageSize))
  expect(fewer.messages).toHaveLength(2 * pageSize - 1)
  expect(fewer.has_older).toBe(true)
  expect(withStored(fewer, conversation(), numbered(100, 3)).messages).toHaveLength(3)
})

test('older pages are added at the top, once, until the first message', () => {
  const latest = withStored(thread(), conversation(), numbered(100, pageSize))
  expect(latest.has_older).toBe(true)
  const older = withOlder(latest, {
    messages: [...numbered(97, 3), ...numbered(100, 1)],
    has_older: false,
    has_newer: true,
  })
  expect(ids(older).slice(0, 4)).toEqual(['msg_00097', 'msg_00098', 'msg_00099', 'msg_00100'])
  expect(older.has_older).toBe(false)
})

test('old messages replace the latest, and grow until they meet them', () => {
  const latest = withStored(thread(), conversation(), numbered(1_000, pageSize))
  const old = withStretch(latest, { messages: numbered(100, 5), has_older: true, has_newer: true })
  expect(ids(old)).toEqual(['msg_00100', 'msg_00101', 'msg_00102', 'msg_00103', 'msg_00104'])
  const heard = withStored(old, conversation({ title: 'Renamed' }), numbered(1_001, pageSize))
  expect(heard.conversation?.title).toBe('Renamed')
  expect(ids(heard)).toEqual(ids(old))
  const met = withNewer(heard, { messages: numbered(104, 900), has_older: true, has_newer: false })
  expect(withStored(met, conversation(), numbered(1_001, pageSize)).messages).toHaveLength(maxLoaded)
})

test('loading more removes messages at the other end, and the running turn with the latest ones', () => {
  const loaded = { messages: numbered(1_000, maxLoaded), has_older: true, has_newer: false }
  const full = withStretch(thread({ turn: { message_id: 'msg_01199', cursor: '' } }), loaded)
  const up = withOlder(full, { messages: numbered(950, pageSize), has_older: true, has_newer: true })
  expect([up.messages.length, ids(up)[0], ids(up).at(-1)]).toEqual([maxLoaded, 'msg_00950', 'msg_01149'])
  expect(up).toMatchObject({ turn: null, has_older: true, has_newer: true })
  const down = withNewer(up, { messages: numbered(1_150, pageSize), has_older: true, has_newer: false })
  expect([down.messages.length, ids(down)[0], ids(down).at(-1)]).toEqual([maxLoaded, 'msg_01000', 'msg_01199'])
  expect(down).toMatchObject({ has_older: true, has_newer: false })
  const sent = withOutgoing(down, { key: 'local_1', text: 'next', queued: false })
  expect([sent.messages.length, ids(sent)[0], ids(sent).at(-1)]).toEqual([maxLoaded, 'msg_01001', 'local_1'])
})

test('only the approvals of this conversation are used', () => {
  const own = approval()
  const foreign = approval({ id: 'apr_2', conversation_id: 'conv_2' })
  expect(Object.keys(withPending(thread(), [own, foreign]).approvals)).toEqual(['apr_1'])
})

test('truncating removes a message and all later ones', () => {
  const three = withStored(thread(), conversation(), numbered(1, 3))
  expect(ids(cutFrom(three, 'msg_00002'))).toEqual(['msg_00001'])
  expect(cutFrom(three, 'msg_unknown')).toBe(three)
})

import { expect, test } from 'vitest'
import type { Message } from '../../../runtime/chat/schema.ts'
import { applyEvent } from '../../../web/pages/chat/state/apply-event.ts'
import { blocksOf } from '../../../web/pages/chat/state/blocks.ts'
import { withOutgoing } from '../../../web/pages/chat/state/stored.ts'
import type { ChatEvent } from '../../../web/pages/chat/state/stream.ts'
import { isBusy, type Thread, textOf } from '../../../web/pages/chat/state/thread.ts'
import { approval, event, message, start, thread } from './fixtures.ts'

const apply = (from: Thread, ...events: ChatEvent[]) => events.reduce(applyEvent, from)
function answer(from: Thread): Message {
  const last = from.messages.at(-1)
  if (!last) throw new Error('there is no message')
  return last.message
}
const call = { id: 'call_1', tool: 'shell', input: { command: 'ls' }, summary: 'Run ls' }
const result = {
  state: 'done' as const,
  id: 'call_1',
  tool: 'shell',
  output: 'notes.md',
  is_error: false,
  duration_ms: 12,
}

test('an answer starts, grows and ends', () => {
  const running = apply(thread(), start(), event(2, 'token', { content: 'Hel' }), event(3, 'token', { content: 'lo' }))
  expect(isBusy(running)).toBe(true)
  expect(answer(running)).toMatchObject({
    id: 'msg_2',
    status: 'streaming',
    parts: [{ type: 'text', text: 'Hello' }],
  })

  const ended = apply(
    running,
    event(4, 'done', { message_id: 'msg_2', input_tokens: 3, output_tokens: 2, total_tokens: 5 }),
  )
  expect(isBusy(ended)).toBe(false)
  expect(answer(ended)).toMatchObject({ status: 'complete', input_tokens: 3, output_tokens: 2 })
})

test('an event applies once, however often it is replayed', () => {
  const events = [start(), event(2, 'token', { content: 'a' }), event(3, 'token', { content: 'b' })]
  const replayed = apply(
    thread(),
    ...events,
    ...events,
    event(3, 'token', { content: 'b' }),
    event(4, 'token', { content: 'c' }),
  )
  expect(textOf(answer(replayed))).toBe('abc')
})

test('a replay from the start replaces the stored partial answer', () => {
  const stored = message('msg_2', { status: 'streaming', parts: [{ type: 'text', text: 'stored so f' }] })
  const reloaded = thread({ messages: [{ key: 'msg_2', message: stored, notices: [] }] })
  const followed = apply(reloaded, start(), event(2, 'token', { content: 'stored so far' }))
  expect(followed.messages).toHaveLength(1)
  expect(textOf(answer(followed))).toBe('stored so far')
})

test('after a restart the daemon starts a new numbering, and the answer is rebuilt', () => {
  const before = apply(thread(), start(), event(2, 'token', { content: 'one' }), event(3, 'token', { content: ' two' }))
  const after = apply(before, start(1, 'msg_2.b'), event(2, 'token', { content: 'one' }, 'msg_2.b'))
  expect(textOf(answer(after))).toBe('one')
})

test('text after a tool call is a separate part', () => {
  const turn = apply(thread(), start(), event(2, 'token', { content: 'Let me look.' }), event(3, 'tool_use', call))
  const done = apply(turn, event(4, 'tool_result', result), event(5, 'token', { content: 'Found it.' }))
  expect(answer(done).parts.map((part) => part.type)).toEqual(['text', 'tool_use', 'tool_result', 'text'])
  expect(textOf(answer(done))).toBe('Let me look.\n\nFound it.')
})

test('a tool call runs, then is done with its result', () => {
  const running = apply(thread(), start(), event(2, 'tool_use', call))
  expect(blocksOf(answer(running), {})).toMatchObject([{ type: 'tool', state: 'running' }])
  const done = apply(running, event(3, 'tool_result', result))
  expect(blocksOf(answer(done), {})).toMatchObject([{ state: 'done', result: { output: 'notes.md', duration_ms: 12 } }])
})

test('a failed tool shows as an error', () => {
  const failed = apply(
    thread(),
    start(),
    event(2, 'tool_use', call),
    event(3, 'tool_result', { ...result, is_error: true, state: 'error' }),
  )
  expect(blocksOf(answer(failed), {})).toMatchObject([{ state: 'error' }])
})

test('an approval belongs to its own call, even if another call uses the same tool', () => {
  const other = { ...call, id: 'call_0', input: { command: 'pwd' } }
  const asked = apply(
    thread(),
    start(),
    event(2, 'tool_use', other),
    event(3, 'tool_use', call),
    event(4, 'approval_required', { approval: approval(), call_id: 'call_1' }),
  )
  expect(asked.conversation?.status).toBe('waiting_approval')
  expect(blocksOf(answer(asked), asked.approvals)).toMatchObject([
    { id: 'call_0', state: 'running', approval: null },
    { id: 'call_1', state: 'waiting', approval: { id: 'apr_1', status: 'pending' } },
  ])
})

test('an approved action runs, a rejected or expired one never does', () => {
  const asked = apply(
    thread(),
    start(),
    event(2, 'tool_use', call),
    event(3, 'approval_required', { approval: approval(), call_id: 'call_1' }),
  )
  const resolved = (status: 'approved' | 'rejected' | 'expired') =>
    apply(asked, event(4, 'approval_resolved', { approval: approval({ status }) }))
  const stateOf = (from: Thread) => blocksOf(answer(from), from.approvals)[0]
  expect(stateOf(resolved('approved'))).toMatchObject({ state: 'running' })
  expect(stateOf(resolved('rejected'))).toMatchObject({ state: 'denied' })
  expect(
    stateOf(apply(resolved('expired'), event(5, 'tool_result', { ...result, is_error: true, state: 'expired' }))),
  ).toMatchObject({ state: 'expired' })
  expect(resolved('approved').conversation?.status).toBe('running')
})

test('a stopped or interrupted answer keeps its text and its status; any other error is an error', () => {
  const running = apply(thread(), start(), event(2, 'token', { content: 'half' }))
  const endedBy = (code: 'cancelled' | 'interrupted' | 'rate_limit') =>
    answer(apply(running, event(3, 'error', { code, message: 'x' })))
  expect(endedBy('cancelled')).toMatchObject({ status: 'interrupted', parts: [{ text: 'half' }] })
  expect(endedBy('interrupted')).toMatchObject({ status: 'interrupted' })
  expect(endedBy('rate_limit')).toMatchObject({ status: 'error', error: { code: 'rate_limit' } })
})

test('an answer cut short by a budget keeps its text and is not a failure, as on the daemon', () => {
  const running = apply(thread(), start(), event(2, 'token', { content: 'half' }))
  const cut = apply(running, event(3, 'error', { code: 'budget_exceeded', message: 'x' }))
  expect(answer(cut)).toMatchObject({ status: 'interrupted', content: 'half' })
})

test('an error before the answer starts is shown next to the messages', () => {
  const failed = applyEvent(thread(), event(1, 'error', { code: 'budget_exceeded', message: 'used up' }))
  expect(failed.failure).toEqual({ code: 'budget_exceeded', message: 'used up' })
  expect(failed.messages).toEqual([])
})

test('a wait before a retry is shown until the next event', () => {
  const retry = { model: 'openai/a', reason: 'rate_limit', seconds: 12, asked: true }
  const waiting = apply(thread(), start(), event(2, 'retry', retry))
  expect(waiting.messages.at(-1)?.retry).toEqual(retry)
  expect(applyEvent(waiting, event(3, 'token', { content: 'Hi' })).messages.at(-1)?.retry).toBeUndefined()
})

test('a fallback and a compaction are shown at the answer', () => {
  const noted = apply(
    thread(),
    start(),
    event(2, 'fallback', { from: 'openai/a', to: 'groq/b', reason: 'overloaded' }),
    event(3, 'compaction', { before_tokens: 900, after_tokens: 100 }),
  )
  expect(noted.messages.at(-1)?.notices.map((notice) => notice.event)).toEqual(['fallback', 'compaction'])
})

test('an answer is placed after its question and before the waiting questions', () => {
  const first = withOutgoing(thread(), { key: 'local_1', text: 'first', queued: false })
  const both = withOutgoing(first, { key: 'local_2', text: 'second', queued: true })
  expect(apply(both, start()).messages.map((item) => item.message.id)).toEqual(['local_1', 'msg_2', 'local_2'])
})

test('other messages remain the same objects while one grows', () => {
  const first = { key: 'msg_1', message: message('msg_1'), notices: [] }
  const before = apply(thread({ messages: [first] }), start())
  const after = apply(before, event(2, 'token', { content: 'x' }))
  expect(after.messages[0]).toBe(first)
  expect(after.messages[1]).not.toBe(before.messages[1])
})

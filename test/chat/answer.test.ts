import { expect, test } from 'vitest'
import { applyEvent, eventsOf, lastEventOf } from '../../runtime/chat/answer.ts'
import type { Approval, Message, Part, StreamEvent } from '../../runtime/chat/schema.ts'
import { answerMessages } from '../../runtime/chat/turn/prompt.ts'

const empty: Message = {
  id: 'msg_1',
  conversation_id: 'conv_1',
  role: 'assistant',
  content: '',
  parts: [],
  attachments: [],
  model: 'm',
  provider: 'openai',
  input_tokens: 0,
  output_tokens: 0,
  cost_usd: 0,
  status: 'streaming',
  error: null,
  compacted: false,
  created_at: '2026-01-01T00:00:00.000Z',
}

const approval: Approval = {
  id: 'apr_1',
  conversation_id: 'conv_1',
  run_ref: 'msg_1',
  tool: 'files',
  summary: 'Write a.txt',
  agent_reason: null,
  input: { path: 'a.txt' },
  input_text: 'path: a.txt',
  risk: 'low',
  question: null,
  status: 'pending',
  requested_at: '',
  expires_at: '',
  resolved_at: null,
  resolved_by: null,
  permission_id: null,
}

const assemble = (events: readonly StreamEvent[], start = empty) => events.reduce(applyEvent, start)
const token = (content: string): StreamEvent => ({ event: 'token', data: { content } })
const use: StreamEvent = {
  event: 'tool_use',
  data: { id: 'c1', tool: 'files', input: { path: 'a.txt' }, summary: 'Write a.txt' },
}
const call = (answer: Message) => answer.parts.find((part) => part.type === 'tool_use')

test('the tokens of one passage form one part, and a tool call starts another', () => {
  const { parts } = assemble([token('Hel'), token('lo'), use, token('Done')])
  expect(parts.map(({ type }) => type)).toEqual(['text', 'tool_use', 'text'])
  expect(parts[0]).toEqual({ type: 'text', text: 'Hello' })
})

test('after an interruption a model reads which calls were never started and which may have taken effect', () => {
  const calls = (['proposed', 'started', 'unknown'] as const).map(
    (state): Part => ({ type: 'tool_use', id: state, tool: 'files', input: {}, summary: 's', state }),
  )
  const [, results] = answerMessages(calls)
  expect(results?.content).toMatchObject([
    { id: 'proposed', is_error: true, output: expect.stringContaining('never started') },
    { id: 'started', is_error: true, output: expect.stringContaining('may or may not') },
    { id: 'unknown', is_error: true, output: expect.stringContaining('may or may not') },
  ])
})

test('the parts of a stored answer are unchanged by their own replay', () => {
  const parts: Part[] = [
    { type: 'recall', episodes: [{ id: 'ep_1', score: 0.5, used: true }] },
    { type: 'reasoning', text: 'Hm' },
    { type: 'text', text: 'I write it' },
    { type: 'tool_use', id: 'c1', tool: 'files', input: {}, summary: 's', state: 'done' },
    {
      type: 'tool_result',
      id: 'c1',
      tool: 'files',
      output: 'full',
      is_error: true,
      state: 'error',
      untrusted: true,
      duration_ms: 5,
    },
    { type: 'steer', message_id: 'msg_0', text: 'faster' },
    { type: 'text', text: 'Done' },
  ]
  const stored: Message = { ...empty, parts, content: 'I write it\n\nDone', status: 'complete' }
  expect(assemble([...eventsOf(stored), lastEventOf(stored)])).toEqual(stored)
  expect(assemble(eventsOf(stored), { ...stored, parts: [{ type: 'text', text: 'old' }] }).parts).toEqual(parts)
})

test('a call waits for its approval and starts with the input that the person has edited', () => {
  const asked = assemble([use, { event: 'approval_required', data: { approval, call_id: 'c1' } }])
  expect(call(asked)).toMatchObject({ state: 'waiting' })

  const resolve = (changes: Partial<Approval>): StreamEvent => ({
    event: 'approval_resolved',
    data: { approval: { ...approval, ...changes } },
  })
  const approved = applyEvent(asked, resolve({ status: 'approved', input: { path: 'b.txt' } }))
  expect(call(approved)).toMatchObject({ state: 'started', input: { path: 'b.txt' } })
  expect(call(applyEvent(asked, resolve({ status: 'rejected' })))).toMatchObject({ state: 'denied' })
  expect(call(applyEvent(asked, resolve({ status: 'expired' })))).toMatchObject({ state: 'expired' })
})

test.each([
  ['cancelled', 'interrupted'],
  ['interrupted', 'interrupted'],
  ['budget_exceeded', 'interrupted'],
  ['rate_limit', 'error'],
] as const)('an answer that ends with %s is %s', (code, status) => {
  const started = { ...assemble([token('Well'), use]) }
  const parts = started.parts.map((part) => (part.type === 'tool_use' ? { ...part, state: 'started' as const } : part))
  const ended = applyEvent({ ...started, parts }, { event: 'error', data: { code, message: 'why' } })
  expect(ended).toMatchObject({ status, content: 'Well', error: { code } })
  expect(call(ended)).toMatchObject({ state: 'unknown' })
})

test('an answer refused by a budget before its start has failed', () => {
  const ended = applyEvent(empty, { event: 'error', data: { code: 'budget_exceeded', message: 'why' } })
  expect(ended.status).toBe('error')
})

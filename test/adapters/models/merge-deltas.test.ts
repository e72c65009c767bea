import { expect, test } from 'vitest'
import { mergeDeltas } from '../../../adapters/models/merge-deltas.ts'

const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`

const chunk = (delta: object, more: object = {}) =>
  event({ id: 'chatcmpl-1', created: 1, choices: [{ index: 0, delta, logprobs: null, finish_reason: null }], ...more })

const block = (delta: object, index = 0) =>
  `event: content_block_delta\n${event({ type: 'content_block_delta', index, delta })}`

const dataOf = (events: string): unknown[] =>
  events
    .split('\n\n')
    .filter(Boolean)
    .map((one) => JSON.parse(one.replace(/^(event: \w+\n)?data: /, '')))

test('joins the text of neighbouring chunks of chat completions', () => {
  const texts = ['He said "', 'hi"\\', '\n', '茶🍵', '']

  const merged = mergeDeltas(texts.map((content) => chunk({ content })).join(''))

  expect(dataOf(merged)).toEqual(dataOf(chunk({ content: 'He said "hi"\\\n茶🍵' })))
})

test('joins text and thoughts of Anthropic, each block apart', () => {
  const merged = mergeDeltas(
    [
      block({ type: 'thinking_delta', thinking: 'a' }),
      block({ type: 'thinking_delta', thinking: 'b' }),
      block({ type: 'signature_delta', signature: 's' }),
      block({ type: 'text_delta', text: 'c' }, 1),
      block({ type: 'text_delta', text: 'd' }, 1),
      block({ type: 'text_delta', text: 'e' }, 2),
    ].join(''),
  )

  expect(merged).toBe(
    [
      block({ type: 'thinking_delta', thinking: 'ab' }),
      block({ type: 'signature_delta', signature: 's' }),
      block({ type: 'text_delta', text: 'cd' }, 1),
      block({ type: 'text_delta', text: 'e' }, 2),
    ].join(''),
  )
})

test('joins thoughts beside an empty text, and keeps them apart from the text', () => {
  const thought = (reasoning_content: string) => chunk({ content: null, reasoning_content })
  const said = (content: string) => chunk({ content, reasoning_content: null })

  expect(mergeDeltas(thought('a') + thought('b') + said('c') + said('d'))).toBe(thought('ab') + said('cd'))
})

test.each([
  ['texts of two chunks with other fields', chunk({ content: 'a' }) + chunk({ content: 'b' }, { created: 2 })],
  ['pieces of a tool call', chunk({ tool_calls: [{ index: 0, function: { arguments: '{"a' } }] }).repeat(2)],
  ['two texts in one delta', chunk({ content: 'a', reasoning_content: 'b' }).repeat(2)],
  ['details beside a text', chunk({ reasoning: 'a', reasoning_details: [{ text: 'a' }] }).repeat(2)],
  ['counts of tokens', chunk({ content: 'a' }, { usage: { completion_tokens: 1 } }).repeat(2)],
  [
    'counts of tokens before a text',
    event({ usage: { completion_tokens: 1 }, choices: [{ delta: { content: 'a' } }] }).repeat(2),
  ],
  [
    'probabilities before a text',
    event({ choices: [{ logprobs: { content: [] }, delta: { content: 'a' } }] }).repeat(2),
  ],
  [
    'two answers to one request',
    event({ choices: [{ delta: { content: 'a' } }, { delta: { content: 'b' } }] }).repeat(2),
  ],
  ['the end', `${chunk({}, { usage: null })}data: [DONE]\n\n`],
  ['parts of events', `tent":"a"}}]}\n\n${chunk({ content: 'b' })}data: {"choices":[{"delta":{"con`],
  ['lines that end with a carriage return', chunk({ content: 'a' }).replaceAll('\n', '\r\n').repeat(2)],
  ['nothing', ''],
])('leaves %s as they came', (_, events) => {
  expect(mergeDeltas(events)).toBe(events)
})

test('leaves a text of many megabytes as it came', () => {
  const long = chunk({ content: 'a\n'.repeat(8_000_000) })

  expect(mergeDeltas(long) === long).toBe(true)
})

test('takes quotes in a text for text', () => {
  const merged = mergeDeltas(chunk({ content: 'a' }) + chunk({ content: '"},"finish_reason":"stop' }))

  expect(merged).toBe(chunk({ content: 'a"},"finish_reason":"stop' }))
})

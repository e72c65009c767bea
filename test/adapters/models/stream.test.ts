import { expect, test } from 'vitest'
import { brokenToolCall, drip, reasoning, slow, text, toolCall, toolCalls } from '../../fixtures/wire/index.ts'
import { addTool, apiKey, collect, drive, newCall, vendors } from './drive.ts'

test.each(vendors)('%s: streams a text and its usage in one request', async (provider) => {
  await using host = await drive()
  host.wire.script(text('Good morning to you', { usage: { input: 21, output: 4 } }))

  const { events, text: said, error } = await collect(host.models.stream(newCall({ provider })))

  expect(error).toBeUndefined()
  expect(said).toBe('Good morning to you')
  expect(events.filter(({ type }) => type !== 'text')).toEqual([
    { type: 'finish', reason: 'stop', input_tokens: 21, output_tokens: 4 },
  ])
  expect(host.wire.requests).toHaveLength(1)
})

test.each(vendors)('%s: streams reasoning separately from the text', async (provider) => {
  await using host = await drive()
  host.wire.script(reasoning('let me think', 'four'))

  expect(await collect(host.models.stream(newCall({ provider })))).toMatchObject({
    reasoning: 'let me think',
    text: 'four',
  })
})

test.each(vendors)('%s: returns tool calls with their input, then a matching finish', async (provider) => {
  await using host = await drive()
  host.wire.script(
    toolCalls(
      [
        ['add', { a: 1, b: 2 }],
        ['add', { a: 3, b: 4 }],
      ],
      { text: ['One moment.'] },
    ),
  )

  const { events } = await collect(host.models.stream(newCall({ provider, tools: [addTool] })))

  expect(events).toMatchObject([
    { type: 'text', text: 'One moment.' },
    { type: 'tool_call', id: expect.any(String), name: 'add', input: { a: 1, b: 2 } },
    { type: 'tool_call', id: expect.any(String), name: 'add', input: { a: 3, b: 4 } },
    { type: 'finish', reason: 'tool_calls' },
  ])
})

// The others send objects.
const writesArguments = vendors.filter((vendor) => vendor !== 'google' && vendor !== 'ollama')

test.each(writesArguments)('%s: keeps arguments that are not valid JSON unchanged', async (provider) => {
  await using host = await drive()
  host.wire.script(brokenToolCall('add', '{"a": 1, "b":'))

  const { events } = await collect(host.models.stream(newCall({ provider, tools: [addTool] })))

  expect(events[0]).toEqual({
    type: 'tool_call',
    id: 'call00001',
    name: 'add',
    input: {},
    invalid: '{"a": 1, "b":',
  })
})

test.each(writesArguments)('%s: treats missing arguments as an empty input', async (provider) => {
  await using host = await drive()
  host.wire.script(brokenToolCall('now', ''))

  const { events } = await collect(host.models.stream(newCall({ provider })))

  expect(events[0]).toEqual({ type: 'tool_call', id: 'call00001', name: 'now', input: {} })
})

test.each(vendors)('%s: reports that the answer reached its limit', async (provider) => {
  await using host = await drive()
  host.wire.script(text('and so', { finish: 'length' }))

  expect((await collect(host.models.stream(newCall({ provider })))).finish).toMatchObject({
    type: 'finish',
    reason: 'length',
  })
})

// Mistral and Ollama have no such finish.
test.each(vendors.filter((vendor) => vendor !== 'mistral' && vendor !== 'ollama'))(
  '%s: reports that the answer was filtered',
  async (provider) => {
    await using host = await drive()
    host.wire.script(text('well', { finish: 'content_filter' }))

    expect((await collect(host.models.stream(newCall({ provider })))).finish).toMatchObject({
      reason: 'content_filter',
    })
  },
)

test.each(vendors)('%s: estimates the usage if none is sent', async (provider) => {
  await using host = await drive()
  host.wire.script(text('x'.repeat(40), { usage: null }))
  const long = newCall({ provider, system: 'y'.repeat(4000) })

  const { finish } = await collect(host.models.stream(long))

  expect(finish).toMatchObject({ estimated: true, output_tokens: 10 })
  // 4,000 characters of system prompt, and a little more.
  const { input_tokens } = finish as { input_tokens: number }
  expect(input_tokens).toBeGreaterThan(1000)
  expect(input_tokens).toBeLessThan(1050)
})

test.each(vendors)('%s: assembles an answer that arrives byte by byte', async (provider) => {
  await using host = await drive()
  host.wire.script(drip('Grüße aus Köln ☀️'))

  expect((await collect(host.models.stream(newCall({ provider })))).text).toBe('Grüße aus Köln ☀️')
})

test.each(vendors)('%s: passes each chunk on as it arrives', async (provider) => {
  await using host = await drive()
  host.wire.script(slow(['one ', 'two ', 'three']))
  const events = host.models.stream(newCall({ provider }))[Symbol.asyncIterator]()

  for (const word of ['one ', 'two ', 'three']) {
    const next = events.next()
    host.wire.release()
    expect((await next).value).toEqual({ type: 'text', text: word })
  }
  expect((await events.next()).value).toMatchObject({ type: 'finish', reason: 'stop' })
})

test.each(vendors)('%s: passes on the rate-limit headers, and no others', async (provider) => {
  await using host = await drive()
  const limits = {
    'anthropic-ratelimit-unified-5h-utilization': '0.42',
    'x-ratelimit-remaining-requests': '59',
  }
  host.wire.script(text('hi', { headers: { ...limits, 'X-Request-Id': 'r1' } }))

  const { events } = await collect(host.models.stream(newCall({ provider })))

  expect(events[0]).toEqual({ type: 'limits', headers: limits })
})

test('a tool call and its result are sent with the next call', async () => {
  await using host = await drive()
  host.wire.script(toolCall('add', { a: 1, b: 2 }), text('three'))
  const first = await collect(host.models.stream(newCall({ tools: [addTool] })))
  const call = first.events.find((event) => event.type === 'tool_call')
  if (!call) throw new Error('no call came')

  const messages = newCall().messages
  const { id, name, input } = call
  const second = await collect(
    host.models.stream(
      newCall({
        tools: [addTool],
        messages: [
          ...messages,
          { role: 'assistant', content: [{ type: 'tool_call', id, name, input }] },
          { role: 'tool', content: [{ type: 'tool_result', id, name, output: { sum: 3 }, is_error: false }] },
        ],
      }),
    ),
  )

  expect(second.text).toBe('three')
  expect(host.wire.requests[1]?.body).toMatchObject({
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Good morning' }] },
      {
        role: 'assistant',
        content: [{ type: 'tool_use', id: 'call00001', name: 'add', input: { a: 1, b: 2 } }],
      },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call00001', content: '{"sum":3}' }] },
    ],
  })
})

test.each(vendors)('%s: the default answer of the fake vendor is the last user text', async (provider) => {
  await using host = await drive()

  expect((await collect(host.models.stream(newCall({ provider })))).text).toBe('Good morning')
  expect(host.wire.requests[0]).toMatchObject({ vendor: provider, last_user_text: 'Good morning' })
})

test('a step of the fake vendor may be computed from the request', async () => {
  await using host = await drive()
  host.wire.script((request) => text(`You said ${request.last_user_text} with ${request.headers['x-api-key']}`))

  expect((await collect(host.models.stream(newCall()))).text).toBe(`You said Good morning with ${apiKey}`)
})

// `fetch` itself alternates between two connections.
test.each(vendors)('%s: connections are reused after a complete answer', async (provider) => {
  await using host = await drive()

  for (let count = 0; count < 8; count++) await collect(host.models.stream(newCall({ provider })))

  expect(new Set(host.wire.requests.map(({ port }) => port)).size).toBeLessThanOrEqual(2)
})

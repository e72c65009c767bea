import { expect, test } from 'vitest'
import type { ModelMessage } from '../../../runtime/ports/models.ts'
import { text } from '../../fixtures/wire/index.ts'
import { addTool, collect, drive, newCall, vendors } from './drive.ts'

const asked: ModelMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'Add' }], notes: 'It is Monday, 10:00.' },
  { role: 'assistant', content: [{ type: 'tool_call', id: 'call00001', name: 'add', input: { a: 1 } }] },
  {
    role: 'tool',
    content: [{ type: 'tool_result', id: 'call00001', name: 'add', output: 'one', is_error: false }],
  },
]

const call = (provider: string, messages = asked) =>
  newCall({ provider, model: 'anthropic/claude', messages, cache_key: 'conv_1', tools: [addTool] })

/** The body that a call sends. */
async function sent(...given: Parameters<typeof call>): Promise<string> {
  await using host = await drive()
  await collect(host.models.stream(call(...given)))
  return JSON.stringify(host.wire.requests[0]?.body)
}

test.each(vendors)('%s: the notes follow the text of their message', async (provider) => {
  expect(await sent(provider)).toMatch(/Add(\\n|[^a-z])+It is Monday, 10:00\./)
})

const mark = { type: 'ephemeral' }

const answered: ModelMessage[] = [
  ...asked,
  { role: 'assistant', content: [{ type: 'text', text: 'One.' }] },
  { role: 'user', content: [{ type: 'text', text: 'And two?' }] },
]

test('Anthropic is asked to cache the instructions, what the last request ended with, and this one', async () => {
  const body = JSON.parse(await sent('anthropic', answered))
  expect(body.system.at(-1).cache_control).toEqual(mark)
  const marked = body.messages.flatMap(({ content }: { content: { cache_control?: unknown }[] }, index: number) =>
    content.some(({ cache_control }) => cache_control) ? [index] : [],
  )
  expect(marked).toEqual([2, 4])
  expect(body.messages[4].content.at(-1).cache_control).toEqual(mark)
})

test('within a turn the message of the person is marked too, and there are never more than four marks', async () => {
  const steps = Array.from({ length: 5 }, () => asked.slice(1)).flat()
  const body = JSON.parse(await sent('anthropic', [...answered, ...steps]))
  expect(body.messages[4].content.at(-1).cache_control).toEqual(mark)
  expect(body.messages.at(-3).content.at(-1).cache_control).toEqual(mark)
  expect(body.messages.at(-1).content.at(-1).cache_control).toEqual(mark)
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(4)
})

test("OpenRouter's Claude is cached by one option of the request", async () => {
  const body = JSON.parse(await sent('openrouter'))
  expect(body.cache_control).toEqual(mark)
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(1)
})

test('OpenAI gets the key of the conversation; compatible servers get none', async () => {
  expect(JSON.parse(await sent('openai'))).toMatchObject({ prompt_cache_key: 'conv_1' })
  expect(await sent('ollama')).not.toMatch(/conv_1|cache/)
})

test('a call without a key does not request caching', async () => {
  await using host = await drive()
  await collect(host.models.stream(newCall({ messages: asked })))
  expect(JSON.stringify(host.wire.requests[0]?.body)).not.toContain('cache_control')
})

test.each(vendors.filter((vendor) => vendor !== 'ollama'))('%s: cached tokens are counted', async (provider) => {
  await using host = await drive()
  host.wire.script(text('ok', { usage: { input: 1000, output: 5, cached: 800 } }))
  const { finish } = await collect(host.models.stream(newCall({ provider })))
  expect(finish).toMatchObject({ input_tokens: 1000, output_tokens: 5, cached_tokens: 800 })
})

test('tokens that Anthropic writes to its cache are counted', async () => {
  await using host = await drive()
  host.wire.script(text('ok', { usage: { input: 1000, output: 5, cached: 200, written: 700 } }))
  const { finish } = await collect(host.models.stream(newCall()))
  expect(finish).toMatchObject({ input_tokens: 1000, cached_tokens: 200, cache_write_tokens: 700 })
})

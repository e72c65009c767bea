import { expect, test } from 'vitest'
import type { ModelMessage } from '../../../runtime/ports/models.ts'
import { text } from '../../fixtures/wire/index.ts'
import { addTool, collect, drive, newCall, vendors } from './drive.ts'

const asked: ModelMessage[] = [
  { role: 'user', content: [{ type: 'text', text: 'Add' }] },
  { role: 'assistant', content: [{ type: 'tool_call', id: 'call00001', name: 'add', input: { a: 1 } }] },
  {
    role: 'tool',
    content: [{ type: 'tool_result', id: 'call00001', name: 'add', output: 'one', is_error: false }],
  },
]

const call = (provider: string, messages = asked, notes = 'It is Monday, 10:00.') =>
  newCall({ provider, model: 'anthropic/claude', messages, notes, cache_key: 'conv_1', tools: [addTool] })

/** The body that a call sends. */
async function sent(...given: Parameters<typeof call>): Promise<string> {
  await using host = await drive()
  await collect(host.models.stream(call(...given)))
  return JSON.stringify(host.wire.requests[0]?.body)
}

test.each(vendors)(
  '%s: the notes follow the last text of the person and change nothing before it',
  async (provider) => {
    const [monday, tuesday] = await Promise.all([
      sent(provider),
      sent(provider, asked, 'It is Tuesday, 11:00.'),
    ])
    const start = monday.slice(0, monday.indexOf('It is Monday'))
    expect(start).toContain('Add')
    expect(tuesday.startsWith(start)).toBe(true)
  },
)

const mark = { type: 'ephemeral' }

test('Anthropic is asked to cache the instructions, the conversation and the steps of the turn', async () => {
  const body = JSON.parse(await sent('anthropic'))
  expect(body.system.at(-1).cache_control).toEqual(mark)
  expect(body.messages[0].content).toEqual([
    { type: 'text', text: 'Add', cache_control: mark },
    { type: 'text', text: 'It is Monday, 10:00.' },
  ])
  expect(body.messages.at(-1).content.at(-1).cache_control).toEqual(mark)
  expect(JSON.stringify(body).match(/cache_control/g)).toHaveLength(3)
})

test("OpenRouter's Claude is asked the same way, within a text part", async () => {
  const body = JSON.parse(await sent('openrouter'))
  expect(body.messages[1].content[0]).toEqual({ type: 'text', text: 'Add', cache_control: mark })
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

test.each(vendors.filter((vendor) => vendor !== 'ollama'))(
  '%s: cached tokens are counted',
  async (provider) => {
    await using host = await drive()
    host.wire.script(text('ok', { usage: { input: 1000, output: 5, cached: 800 } }))
    const { finish } = await collect(host.models.stream(newCall({ provider })))
    expect(finish).toMatchObject({ input_tokens: 1000, output_tokens: 5, cached_tokens: 800 })
  },
)

test('tokens that Anthropic writes to its cache are counted', async () => {
  await using host = await drive()
  host.wire.script(text('ok', { usage: { input: 1000, output: 5, cached: 200, written: 700 } }))
  const { finish } = await collect(host.models.stream(newCall()))
  expect(finish).toMatchObject({ input_tokens: 1000, cached_tokens: 200, cache_write_tokens: 700 })
})

import { afterEach, expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { type Drive, drive } from '../adapters/models/drive.ts'
import * as wire from '../fixtures/wire/index.ts'
import { chat, conversationOf, names } from '../support/chat.ts'
import { testHost } from '../support/host.ts'

let line: Drive | undefined
afterEach(() => line?.[Symbol.asyncDispose]())

const models: Partial<Record<ProviderId, string>> = {
  deepseek: 'deepseek-reasoner',
  openai: 'gpt-5-reasoner',
  google: 'gemini-3-reasoner',
  anthropic: 'claude-reasoner',
}

async function daemon(provider: ProviderId) {
  line = await drive()
  const host = await testHost({ models: line.models })
  const setup = { provider, api_key: 'sk-test-0123456789', default_model: models[provider] ?? 'm' }
  await configureProvider(localContext(host), setup)
  return { host, wire: line.wire }
}

const thinking = (hours: number) =>
  wire.toolCall('time', { timezone: `Etc/GMT-${hours}` }, { reasoning: ['Let me ', 'look.'] })

test.each(['deepseek', 'openai', 'google', 'anthropic'] as const)(
  '%s gets its reasoning back with each step, as it demands, and in the next turn',
  async (provider) => {
    const { host, wire: server } = await daemon(provider)
    server.script(thinking(1), thinking(2), wire.reasoning('Well.', 'Noon.'), thinking(3), wire.text('One.'))
    const events = await chat(host, { message: 'What time is it?' })
    expect(events.at(-1)).toMatchObject({ event: 'done' })
    expect(names(events).filter((name) => name === 'reasoning').length).toBeGreaterThan(0)
    expect(events.filter(({ data }) => data.content === '')).toEqual([])
    const conversation_id = events[0]?.data.conversation_id
    const next = await chat(host, { message: 'And now?', conversation_id })
    expect(next.at(-1)).toMatchObject({ event: 'done' })
    expect(server.requests).toHaveLength(5)
  },
)

test('what a vendor wants back survives a restart, and goes to no other vendor', async () => {
  const { host, wire: server } = await daemon('openai')
  server.script(thinking(1), wire.text('Noon.'), wire.text('Yes.'))
  const events = await chat(host, { message: 'What time is it?' })
  const { messages, id } = await conversationOf(host, events[0]?.data.conversation_id)
  expect(messages[1]?.parts.find(({ type }) => type === 'reasoning')).toMatchObject({
    type: 'reasoning',
    vendor_data: { openai: { reasoningEncryptedContent: 'encrypted-by-openai' } },
  })
  const setup = { provider: 'anthropic', api_key: 'sk-test-0123456789', default_model: 'm' }
  await configureProvider(localContext(host), setup)
  const other = await chat(host, { message: 'Sure?', conversation_id: id, model: 'anthropic/m' })
  expect(other.at(-1)).toMatchObject({ event: 'done' })
  expect(JSON.stringify(server.requests.at(-1)?.body)).not.toMatch(/encrypted|Let me/)
})

import { afterEach, expect, test } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { inject } from '../../handlers/chat/messages.ts'
import { areas } from '../../handlers/index.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { accessTo, learnContext } from '../../runtime/providers/access.ts'
import { changePrices, configureProvider } from '../../runtime/providers/providers.ts'
import { type Drive, drive } from '../adapters/models/drive.ts'
import * as wire from '../fixtures/wire/index.ts'
import { configureAgent } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, names, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'

let line: Drive | undefined
afterEach(() => line?.[Symbol.asyncDispose]())

/** A host whose model is on the wire, with few tools so that prompts are short. */
async function daemon(provider: 'openai' | 'anthropic' | 'google' | 'ollama', model: string, outbound?: Outbound) {
  line = await drive()
  const host = await testHost({ models: line.models, ...(outbound && { outbound }) })
  await configureProvider(localContext(host), {
    provider,
    api_key: 'sk-test-0123456789',
    default_model: model,
  })
  await configureAgent(host, { tools: { allow: ['web_fetch', 'time'], deny: [] } })
  return { host, wire: line.wire }
}

async function fill(host: MemoryHost, messages: number): Promise<string> {
  await chat(host, { message: 'Begin' })
  const { id } = await onlyConversation(host)
  for (let number = 0; number < messages; number += 1) {
    const content = `Message ${number}. ${'The boiler is serviced in May. '.repeat(60)}`
    await call(inject, host, { body: { conversation_id: id, role: 'user', content } })
  }
  return id
}

test.each(['openai', 'anthropic', 'google'] as const)(
  '%s: the size of an unknown context is learned from the refusal, the conversation is folded and sent again',
  async (provider) => {
    const { host, wire: server } = await daemon(provider, 'ctx-8192')
    const id = await fill(host, 30)
    server.script(
      () => wire.text('The boiler is serviced in May.'),
      () => wire.text('It is serviced in May.'),
      () => wire.text('In May.'),
      () => wire.text('In May.'),
    )
    const events = await chat(host, { message: 'When?', conversation_id: id })
    expect(names(events)).toContain('compaction')
    expect(events.at(-1)).toMatchObject({ event: 'done' })
    expect(await accessTo(host, provider, 'ctx-8192')).toMatchObject({ context_tokens: 8192 })
    const restarted = await createMemoryHost(areas, { sql: host.sql, secrets: host.secrets })
    expect(await accessTo(restarted, provider, 'ctx-8192')).toMatchObject({ context_tokens: 8192 })
  },
)

test('a learned size is forgotten when a person sets one, or another server is used', async () => {
  const { host } = await daemon('openai', 'm')
  const context = localContext(host)
  const sizeOf = async () => (await accessTo(host, 'openai', 'm')).context_tokens
  await learnContext(context, await accessTo(host, 'openai', 'm'), 8192)
  expect(await sizeOf()).toBe(8192)
  const price = { input_usd_per_mtok: 1, output_usd_per_mtok: 1, context_tokens: 16_384 }
  await changePrices(context, 'openai', { prices: { m: price } })
  expect(await sizeOf()).toBe(16_384)

  await learnContext(context, await accessTo(host, 'openai', 'm'), 8192)
  await configureProvider(context, {
    provider: 'openai',
    api_key: 'sk-test-0123456789',
    base_url: 'http://127.0.0.1:1/v1',
    default_model: 'm',
  })
  expect(await sizeOf()).toBe(16_384)
})

const page = 'The boiler is serviced in May. '.repeat(3_000)
const pages: Outbound = {
  ...noOutbound,
  fetch: async () => new Response(page, { headers: { 'content-type': 'text/plain' } }),
}

test("the running turn's own tool results are folded", async () => {
  const { host, wire: server } = await daemon('openai', 'ctx-8192', pages)
  await configureAgent(host, { execution_mode: 'autonomous' })
  server.script(
    wire.toolCall('web_fetch', { url: 'https://one.example/' }),
    wire.toolCall('web_fetch', { url: 'https://two.example/' }),
    wire.text('In May.'),
  )
  const events = await chat(host, { message: 'Compare https://one.example/ and https://two.example/' })
  expect(events.at(-1)).toMatchObject({ event: 'done' })
  const { messages } = await conversationOf(host, events[0]?.data.conversation_id)
  const results = messages[1]?.parts.filter((part) => part.type === 'tool_result') ?? []
  for (const { output } of results) expect(JSON.stringify(output).length).toBeGreaterThan(20_000)
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('characters are left out here')
})

test('a prompt that is too long even when folded fails with its reason after two attempts', async () => {
  const { host, wire: server } = await daemon('openai', 'ctx-10')
  const events = await chat(host, { message: 'When?' })
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'context_overflow' } })
  expect(server.requests).toHaveLength(2)
})

test('a huge tool result is cut with a note and stored once', async () => {
  const huge: Outbound = {
    ...noOutbound,
    fetch: async () => new Response('x'.repeat(10_000_000)),
  }
  const { host, wire: server } = await daemon('openai', 'm', huge)
  await configureAgent(host, { tools: { allow: ['http_request', 'web_fetch'], deny: [] } })
  server.script(wire.toolCall('web_fetch', { url: 'https://one.example/' }), wire.text('Long.'))
  await chat(host, { message: 'Read https://one.example/' })
  const [row] = await host.sql.read<{ size: number }>('SELECT max(length(parts)) AS size FROM messages')
  expect(row?.size).toBeLessThan(250_000)
})

test('a huge answer is cut with a note, and later turns get part of it', async () => {
  const { host, wire: server } = await daemon('openai', 'm')
  server.script(wire.text(`${'w'.repeat(999)} `.repeat(1_500)), wire.text('Yes.'))
  const events = await chat(host, { message: 'Go on' })
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted', message: /cut at/ } })
  await chat(host, { message: 'Again?', conversation_id: events[0]?.data.conversation_id })
  const body = JSON.stringify(server.requests.at(-1)?.body)
  expect(body.length).toBeLessThan(200_000)
  expect(body).toContain('[cut here: ')
})

test('the size of an unknown context is asked for once a conversation is long', async () => {
  const { host, wire: server } = await daemon('ollama', 'small-ctx-8192')
  server.models = ['small-ctx-8192']
  const id = await fill(host, 40)
  const gets = () => [...server.lists, ...server.requests].filter(({ path }) => /tags|show/.test(path)).length
  expect(gets()).toBe(0)
  server.script(...Array.from({ length: 9 }, () => wire.text('In May.')))
  const events = await chat(host, { message: 'When?', conversation_id: id })
  expect(names(events)).toContain('compaction')
  expect(events.at(-1)).toMatchObject({ event: 'done' })
  await chat(host, { message: 'Sure?', conversation_id: id })
  expect(gets()).toBe(2)
})

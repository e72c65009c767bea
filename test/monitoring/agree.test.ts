import { expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { list } from '../../handlers/chat/conversations.ts'
import { regenerate, send, stop } from '../../handlers/chat/stream.ts'
import { prometheus } from '../../handlers/monitoring/health.ts'
import { tokens, usage } from '../../handlers/monitoring/usage.ts'
import type { Conversation } from '../../runtime/chat/schema.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import { configure, configureAgent } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, readUntil } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type ScriptedModels, type Step, scriptedModels, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

interface Count {
  tokens: number
  cost: number
}

/** Every answer has numbers of its own, so that no two mistakes can cancel each other out. */
function answers() {
  let number = 0
  return (): Step => {
    number += 1
    const counts = { input_tokens: 100 + number * 7, output_tokens: 3 + number }
    return [
      { type: 'text', text: `Answer ${number}.` },
      { type: 'finish', reason: 'stop', ...counts },
    ]
  }
}

const said = { type: 'text' as const, text: 'The first half ' }
const cut = new ModelError('interrupted', 'cut')
const busy = new ModelError('overloaded', 'busy')

/** What the model does in a turn, one after the other, again and again. */
const kinds: ((next: () => Step) => Step[])[] = [
  (next) => [next()],
  (next) => [toolCall('time', {}), next()],
  () => [[said, cut]],
  (next) => [[busy], next()],
  () => [[busy], [busy]],
]

async function talk(host: MemoryHost, models: ScriptedModels, turns: number): Promise<string[]> {
  const next = answers()
  const ids: string[] = []
  for (let turn = 0; turn < turns; turn += 1) {
    const steps = kinds[turn % kinds.length]?.(next) ?? []
    models.add(...steps)
    // Every fourth turn goes on with an earlier conversation.
    const conversation_id = turn % 4 === 3 ? ids.at(-1) : undefined
    const events = await chat(host, {
      message: `Question ${turn}`,
      ...(conversation_id && { conversation_id }),
    })
    if (!conversation_id) ids.push(events[0]?.data.conversation_id ?? '')
    await host.clock.advance(90 * second)
  }
  return ids
}

async function stopInTheMiddle(host: MemoryHost, models: ScriptedModels, id: string): Promise<void> {
  const gate = Promise.withResolvers<void>()
  models.add([said, gate.promise])
  const response = await call(send, host, { body: { message: 'Stop me', conversation_id: id } })
  await tick(host)
  await readUntil(response.body as ReadableStream<Uint8Array>, 'first half')
  await call(stop, host, { params: { id } })
  gate.resolve()
  await host.process.running.settled()
  await workOff(host)
}

const sum = (counts: Count[]): Count => ({
  tokens: counts.reduce((total, one) => total + one.tokens, 0),
  cost: counts.reduce((total, one) => total + one.cost, 0),
})
const counted = (row: { input_tokens: number; output_tokens: number; cost_usd: number }): Count => ({
  tokens: row.input_tokens + row.output_tokens,
  cost: row.cost_usd,
})

async function read(host: MemoryHost) {
  const body = async (endpoint: typeof usage | typeof tokens | typeof list, query = {}) =>
    (await call(endpoint, host, { query })).json()
  const { conversations } = (await body(list, { limit: '200' })) as { conversations: Conversation[] }
  const messages = await host.sql.read<Count>(
    'SELECT input_tokens + output_tokens AS tokens, cost_usd AS cost FROM messages',
  )
  const seen = await body(usage)
  const all = await body(tokens)
  const metrics = await (await call(prometheus, host)).text()
  const counters = [...metrics.matchAll(/^service_token_usage_total\{.*\} (\d+)$/gm)]
  return {
    messages: sum(messages),
    conversations: sum(conversations.map(counted)),
    usage: { tokens: seen.totals.tokens, cost: seen.totals.cost_usd } as Count,
    total_used: all.total_used as number,
    metrics: counters.reduce((total, [, count]) => total + Number(count), 0),
  }
}

/** Everything but the messages: titles belong to no message, and a message may be removed. */
function expectAgreement(seen: Awaited<ReturnType<typeof read>>): void {
  const { tokens: total, cost } = seen.usage
  expect(seen).toMatchObject({ total_used: total, metrics: total, conversations: { tokens: total } })
  expect(seen.conversations.cost).toBeCloseTo(cost, 9)
}

test('after 50 mixed turns with titles every number agrees to the token', async () => {
  const models = scriptedModels()
  models.title = [
    { type: 'text', text: 'A good title' },
    { type: 'finish', reason: 'stop', input_tokens: 37, output_tokens: 5 },
  ]
  const host = await testHost({ models })
  await configure(host, ['openai', 'google'])
  await configureAgent(host, {
    model: { provider: 'openai', model: 'm', fallbacks: [{ provider: 'google', model: 'm' }] },
  })
  const ids = await talk(host, models, 50)
  await stopInTheMiddle(host, models, ids[0] ?? '')

  const seen = await read(host)
  expect(models.titles.length).toBeGreaterThan(10)
  expect(seen.messages.tokens).toBeGreaterThan(5_000)
  expect(seen.usage.tokens).toBe(seen.messages.tokens + models.titles.length * 42)
  expectAgreement(seen)
})

test('tokens of regenerated or removed answers still count as spent', async () => {
  const models = scriptedModels()
  const host = await testHost({ models })
  await configure(host, ['openai'])
  const [id = ''] = await talk(host, models, 1)
  const before = await read(host)
  const response = await call(regenerate, host, { params: { id } })
  await Promise.all([response.text(), workOff(host)])
  const [asked] = (await conversationOf(host, id)).messages
  await chat(host, { message: 'Something else', conversation_id: id, replaces: asked?.id })

  const after = await read(host)
  expect(after.usage.tokens).toBeGreaterThan(before.usage.tokens)
  expect(after.messages.tokens).toBeLessThan(after.usage.tokens)
  expectAgreement(after)
})

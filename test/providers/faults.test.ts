import { afterEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { update as changeBackup, usage } from '../../handlers/providers/backup.ts'
import { test as testProvider } from '../../handlers/providers/providers.ts'
import { second } from '../../runtime/time.ts'
import { type Drive, drive } from '../adapters/models/drive.ts'
import * as wire from '../fixtures/wire/index.ts'
import { call } from '../support/call.ts'
import { chat, names } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { configure, ledger } from './kit.ts'

let line: Drive | undefined
afterEach(() => line?.[Symbol.asyncDispose]())

/** A daemon with the vendors' real packages, led to a server that speaks as they do; anthropic has openai as backup. */
async function daemon(...script: wire.ScriptedStep[]): Promise<{ host: MemoryHost; line: Drive; asked(): string[] }> {
  const opened = await drive({ first_chunk_ms: 1_000 })
  line = opened
  opened.wire.script(...script)
  const host = await testHost({ models: opened.models })
  await configure(host, ['anthropic', 'openai'])
  await call(changeBackup, host, { body: { rules: { anthropic: { provider: 'openai', model: 'm' } } } })
  return { host, line: opened, asked: () => opened.wire.requests.map(({ vendor }) => vendor) }
}

const said = (events: Awaited<ReturnType<typeof chat>>) =>
  events
    .filter(({ event }) => event === 'token')
    .map(({ data }) => data.content)
    .join('')

const faults: [string, wire.Step, string][] = [
  ['429 with Retry-After', wire.fail(429, { retry_after: '30' }), 'rate_limit'],
  ['429 without', wire.fail(429), 'rate_limit'],
  ['500', wire.fail(500), 'provider_unavailable'],
  ['529', wire.fail(529), 'overloaded'],
  ['401', wire.fail(401), 'auth'],
  ['no credit', wire.refuse('billing'), 'billing'],
  ['an unknown model', wire.fail(404), 'model_not_found'],
  ['a reset connection', wire.reset(), 'provider_unavailable'],
  ["a proxy's page", wire.garbage(), 'provider_unavailable'],
]

test.each(faults)('%s: one call each, the fallback is reported, the turn succeeds', async (_, fault, code) => {
  const { host, asked } = await daemon(fault, wire.text('Good morning'))
  const events = await chat(host, { message: 'Hello' })

  expect(names(events)).toEqual(['message_start', 'fallback', 'token', 'token', 'done'])
  expect(events[1]?.data).toEqual({ from: 'anthropic/m', to: 'openai/m', reason: code })
  expect(said(events)).toBe('Good morning')
  expect(asked()).toEqual(['anthropic', 'openai'])
  const [message] = await host.sql.read(`SELECT provider, model FROM messages WHERE role = 'assistant'`)
  expect(message).toEqual({ provider: 'openai', model: 'm' })
})

test('a model pinned for a message is not replaced silently', async () => {
  const { host, asked } = await daemon(wire.fail(529), wire.text('hi'))
  const events = await chat(host, { message: 'Hello', model: 'anthropic/m' })
  expect(names(events)).toContain('fallback')
  expect(asked()).toEqual(['anthropic', 'openai'])
})

test('a vendor that never answers times out, and so does the backup', async () => {
  const { host, line, asked } = await daemon(wire.hang(), wire.text('hi'))
  const going = chat(host, { message: 'Hello' })
  await line.wire.received(1)
  await line.clock.advance(1 * second)
  const events = await going
  expect(events[1]).toMatchObject({ event: 'fallback', data: { reason: 'timeout' } })
  expect(asked()).toEqual(['anthropic', 'openai'])
})

const breaks: [string, wire.Step][] = [
  ['cut', wire.cut('Half an answer')],
  ['an end too early', wire.endEarly('Half an answer')],
  ['a chunk that is no JSON', wire.badChunk('Half an answer')],
  ['an error event', wire.errorEvent('overloaded', 'Half an answer')],
]

test.each(breaks)('%s in mid-answer keeps the text so far and calls no other model', async (_, step) => {
  const { host, asked } = await daemon(step)
  const events = await chat(host, { message: 'Hello' })
  expect(events.at(-1)?.event).toBe('error')
  expect(said(events)).toBe('Half an answer')
  expect(asked()).toEqual(['anthropic'])
  const [message] = await host.sql.read<{ input_tokens: number }>(
    `SELECT content, input_tokens FROM messages WHERE role = 'assistant'`,
  )
  const [row] = await ledger(host)
  expect(message).toMatchObject({ content: 'Half an answer', input_tokens: row?.input_tokens })
  expect(row).toMatchObject({ status: 'failed', estimated: 1 })
})

test('if all fail the last error ends the turn, after one call each', async () => {
  const { host, asked } = await daemon(wire.fail(500), wire.fail(401))
  const events = await chat(host, { message: 'Hello' })
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'auth' } })
  expect(asked()).toEqual(['anthropic', 'openai'])
})

test('a slow trickle is not an error', async () => {
  const { host, asked } = await daemon(wire.drip('Good morning'))
  expect(said(await chat(host, { message: 'Hello' }))).toBe('Good morning')
  expect(asked()).toEqual(['anthropic'])
})

test('each step of a turn plans again, and the limits in an answer affect the next step', async () => {
  const unified = {
    'anthropic-ratelimit-unified-status': 'allowed_warning',
    'anthropic-ratelimit-unified-5h-utilization': '0.95',
    'anthropic-ratelimit-unified-5h-reset': String(Date.parse('2026-01-05T14:00:00Z') / second),
  }
  const { host, asked } = await daemon(wire.toolCall('time', {}, { headers: unified }), wire.text('noon'))
  const events = await chat(host, { message: 'What time is it?' })
  expect(names(events)).toEqual(['message_start', 'tool_use', 'tool_result', 'fallback', 'token', 'done'])
  expect(events[3]?.data.reason).toBe('near_limit')
  expect(asked()).toEqual(['anthropic', 'openai'])
  const { providers } = await (await call(usage, host)).json()
  expect(providers[0]).toMatchObject({ provider: 'anthropic', failed_over: true, heat: { level: 'out' } })
})

test("OpenAI's limits by minute are read from its answers", async () => {
  const headers = {
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '150',
    'x-ratelimit-reset-tokens': '51s',
  }
  const { host } = await daemon(wire.text('hi', { headers }))
  await chat(host, { message: 'Hello', model: 'openai/m' })
  const { providers } = await (await call(usage, host)).json()
  expect(providers[1]).toMatchObject({
    five_hour: { utilization: 0.85, resets_at: '2026-01-05T12:00:51.000Z', source: 'header' },
    heat: { level: 'near' },
  })
})

test('the connection test is one call of that provider, and is in the ledger', async () => {
  const { host, asked } = await daemon(wire.fail(401), wire.text('ok'))
  const test = async () => (await call(testProvider, host, { params: { id: 'anthropic' } })).json()
  expect(await test()).toMatchObject({ ok: false, model: 'm', error: expect.stringMatching(/^auth: /) })
  expect(await test()).toMatchObject({ ok: true, error: null })
  expect(asked()).toEqual(['anthropic', 'anthropic'])
  expect(await ledger(host)).toMatchObject([{ category: 'internal', error: 'auth' }, { category: 'internal' }])
})

const secretPage = wire.garbage('the secret of the wiki', { status: 401, content_type: 'text/plain' })

test.each([
  ['the vendor, any text', false, secretPage, true],
  ['another server, an error in the form of a vendor', true, wire.fail(401), true],
  ['another server, any text', true, secretPage, false],
])('the test of a provider repeats the words of %s: %s', async (_, isOther, refusal, repeats) => {
  const { host, line: opened } = await daemon(refusal)
  const base_url = isOther ? opened.wire.url.anthropic : null
  await host.sql.write([{ sql: 'UPDATE providers SET base_url = ?', args: [base_url] }])
  const said = await (await call(testProvider, host, { params: { id: 'anthropic' } })).json()

  expect(said).toMatchObject({ ok: false, error: expect.stringMatching(/^auth: /) })
  expect(!said.error.includes('the server at base_url')).toBe(repeats)
})

import { afterEach, expect, test } from 'vitest'
import { send, stop } from '../../handlers/chat/stream.ts'
import { second } from '../../runtime/time.ts'
import { type Drive, drive } from '../adapters/models/drive.ts'
import * as wire from '../fixtures/wire/index.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import { configure } from './kit.ts'

let line: Drive | undefined
afterEach(() => line?.[Symbol.asyncDispose]())

/** A chat with one provider and no backup; its clock advances by a second at a time until the answer has ended. */
async function answer(...script: wire.ScriptedStep[]) {
  line = await drive()
  line.wire.script(...script)
  const host = await testHost({ models: line.models })
  await configure(host, ['anthropic'])
  const begun = host.clock.now()
  let ended = false
  const going = chat(host, { message: 'Hello' }).finally(() => {
    ended = true
  })
  for (let seconds = 0; !ended && seconds < 200; seconds += 1) {
    await new Promise((resolve) => setTimeout(resolve, 10))
    await host.clock.advance(1 * second)
  }
  const events = await going
  return {
    waits: events.filter(({ event }) => event === 'retry').map(({ data }) => data),
    last: events.at(-1),
    requests: line.wire.requests.length,
    seconds: (host.clock.now() - begun) / second,
  }
}

test.each([
  ['429 with Retry-After', wire.fail(429, { retry_after: '5' }), 5],
  ['529', wire.fail(529), 1],
  ['500', wire.fail(500), 1],
  ['503 with Retry-After', wire.fail(503, { retry_after: '4' }), 4],
  ['a reset connection', wire.reset(), 1],
])('%s is retried when there is no backup', async (_, fault, seconds) => {
  const ended = await answer(fault, wire.text('Good morning'))
  expect(ended).toMatchObject({ last: { event: 'done' }, requests: 2 })
  expect(ended.seconds).toBeGreaterThanOrEqual(seconds)
})

test('the wait before a retry is shown', async () => {
  const { waits } = await answer(wire.fail(429, { retry_after: '12' }), wire.fail(529), wire.text('Good morning'))
  expect(waits).toEqual([
    { model: 'anthropic/m', reason: 'rate_limit', seconds: 12, asked: true },
    { model: 'anthropic/m', reason: 'overloaded', seconds: 2, asked: false },
  ])
})

test('stopping the turn ends the wait', async () => {
  line = await drive()
  line.wire.script(wire.fail(429, { retry_after: '50' }), wire.text('Never'))
  const host = await testHost({ models: line.models })
  await configure(host, ['anthropic'])
  const response = await call(send, host, { body: { message: 'Hello' } })
  const working = workOff(host)
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  let seen = ''
  while (!seen.includes('event: retry')) seen += (await reader?.read())?.value ?? ''
  await call(stop, host, { params: { id: (await onlyConversation(host)).id } })
  while (!seen.includes('event: error')) seen += (await reader?.read())?.value ?? ''
  await working

  expect(seen).toContain('"code":"cancelled"')
  expect(line.wire.requests).toHaveLength(1)
})

test('a failure in the fourth step of a turn is retried', async () => {
  const steps = [1, 2, 3].map((hours) => wire.toolCall('time', { timezone: `Etc/GMT-${hours}` }))
  const ended = await answer(...steps, wire.fail(529), wire.reset(), wire.text('Noon'))
  expect(ended).toMatchObject({ last: { event: 'done' }, requests: 6 })
})

test.each([
  ['a wait of more than a minute', wire.fail(429, { retry_after: '61' }), 'rate_limit'],
  ['429 without a time', wire.fail(429), 'rate_limit'],
  ['a refused key', wire.fail(401), 'auth'],
  ['no credit', wire.refuse('billing', { retry_after: '5' }), 'billing'],
  ["a proxy's page", wire.garbage(), 'provider_unavailable'],
  ['an answer that had begun', wire.cut('Half an answer'), 'interrupted'],
])('%s is not retried', async (_, fault, code) => {
  expect(await answer(fault)).toMatchObject({ last: { event: 'error', data: { code } }, requests: 1 })
})

test('after three retries the error is reported', async () => {
  const ended = await answer(...Array.from({ length: 9 }, () => wire.fail(529)))
  expect(ended).toMatchObject({ last: { event: 'error', data: { code: 'overloaded' } }, requests: 4 })
})

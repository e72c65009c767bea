import { expect, test } from 'vitest'
import { send } from '../../handlers/chat/stream.ts'
import { showKillSwitch as show, turnKillSwitch as update } from '../../handlers/monitoring/usage.ts'
import type { ModelEvent } from '../../runtime/ports/models.ts'
import { tick } from '../../runtime/tick.ts'
import { ask, configure, ledger } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, parseEvents, readUntil } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

const turn = (host: Parameters<typeof call>[1], paused: unknown) => call(update, host, { body: { paused } })

test('stops every call, including those of the offline model, until it is switched back', async () => {
  const models = scriptedModels(text('hi'))
  const host = await testHost({ models })
  await configure(host, ['openai'])
  expect(await (await call(show, host)).json()).toEqual({ paused: false, changed_at: null, changed_by: null })

  const paused = await (await turn(host, true)).json()
  expect(paused).toEqual({ paused: true, changed_at: '2026-01-05T12:00:00.000Z', changed_by: 'test' })
  expect(await ask(host, 'openai')).toEqual(['! provider_unavailable'])
  expect(await ask(host, 'offline')).toEqual(['! provider_unavailable'])
  const events = await chat(host, { message: 'Hello' })
  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'provider_unavailable' } })
  expect(events.at(-1)?.data.message).toContain('paused')
  expect(models.calls).toHaveLength(0)
  expect(await ledger(host)).toEqual([])

  await turn(host, false)
  expect(await ask(host, 'openai')).toEqual(['hi', 'finish'])
})

test('stops running calls, keeps their text, and calls no backup', async () => {
  const hanging = async function* ({ signal }: { signal: AbortSignal }): AsyncIterable<ModelEvent> {
    yield { type: 'text', text: 'so far' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const models = scriptedModels(hanging)
  const host = await testHost({ models })
  await configure(host, ['openai'])
  const response = await call(send, host, { body: { message: 'one' } })
  await tick(host)
  const [heard, rest] = (response.body as ReadableStream<Uint8Array>).tee()
  await readUntil(heard, 'so far')
  await turn(host, true)
  await host.process.running.settled()

  expect(parseEvents(await new Response(rest).text()).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'provider_unavailable' },
  })
  expect(await host.sql.read(`SELECT content FROM messages WHERE role = 'assistant'`)).toEqual([{ content: 'so far' }])
  expect(await ledger(host)).toMatchObject([{ status: 'cancelled', estimated: 1 }])
  expect(models.calls).toHaveLength(1)
})

test.each([[{}], [{ paused: 'yes' }], [{ paused: null }]])('refuses %j', async (body) => {
  const host = await testHost()
  expect((await call(update, host, { body })).status).toBe(422)
})

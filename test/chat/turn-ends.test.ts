import { expect, test } from 'vitest'
import { send, stop } from '../../handlers/chat/stream.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import { workKinds } from '../../runtime/work/kinds.ts'
import { recoverWork } from '../../runtime/work/recover.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import { answerOf, chat, conversationOf, onlyConversation, parseEvents, readUntil } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text } from '../support/models.ts'

test('stop ends the running turn and the queued ones', async () => {
  const never = new Promise<void>(() => undefined)
  const hanging = async function* ({ signal }: { signal: AbortSignal }) {
    yield { type: 'text' as const, text: 'begun' }
    await Promise.race([
      never,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
  }
  const host = await testHost({ models: scriptedModels(hanging) })
  const one = await call(send, host, { body: { message: 'one' } })
  const row = await onlyConversation(host)
  const two = await call(send, host, { body: { message: 'two', conversation_id: row.id } })
  await tick(host)
  const stopped = await call(stop, host, { params: { id: row.id } })
  await host.process.running.settled()

  expect(await stopped.json()).toEqual({ stopped: 2 })
  expect(parseEvents(await one.text()).at(-1)).toMatchObject({ event: 'error', data: { code: 'cancelled' } })
  expect(parseEvents(await two.text()).at(-1)).toMatchObject({ event: 'error', data: { code: 'cancelled' } })
  expect(await conversationOf(host, row.id)).toMatchObject({ status: 'idle' })
})

test('a stop reaches a turn in another process when it renews its leases', async () => {
  const here = await testHost({ models: scriptedModels() })
  const endless: Step = async function* ({ signal }) {
    yield { type: 'text', text: 'On and ' }
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const there = await testHost({ models: scriptedModels(endless), sql: here.sql })
  const response = await call(send, there, { body: { message: 'Go on' } })
  await readUntil(response.body as ReadableStream<Uint8Array>, 'On and')
  const { id } = await onlyConversation(here)
  const stopped = await (await call(stop, here, { params: { id } })).json()
  expect(stopped).toEqual({ stopped: 1 })
  await there.clock.advance(20 * second)
  await tick(there)
  await there.process.running.settled()
  expect(await answerOf(here, await onlyConversation(here))).toMatchObject({
    status: 'interrupted',
    content: 'On and ',
    error: { code: 'cancelled' },
  })
})

test('a shutdown keeps the text so far and notifies followers', async () => {
  const hanging = async function* ({ signal }: { signal: AbortSignal }) {
    yield { type: 'text' as const, text: 'so far' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const host = await testHost({ models: scriptedModels(hanging) })
  const response = await call(send, host, { body: { message: 'one' } })
  await tick(host)
  const [heard, rest] = (response.body as ReadableStream<Uint8Array>).tee()
  await readUntil(heard, 'so far')
  host.process.running.abortAll(new Stopping('stopping'))
  await host.process.running.settled()

  expect(parseEvents(await new Response(rest).text()).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'interrupted' },
  })
  expect(await host.sql.read(`SELECT content, status FROM messages WHERE role = 'assistant'`)).toEqual([
    { content: 'so far', status: 'interrupted' },
  ])
})

test('a turn whose process died is marked, and its started calls are not repeated', async () => {
  const host = await testHost({ models: scriptedModels(text('never heard')) })
  await chat(host, { message: 'one' })
  const row = await answerOf(host, await onlyConversation(host))
  host.events.length = 0
  const parts = [
    { type: 'text', text: 'I write.' },
    { type: 'tool_use', id: 'a', tool: 'files', input: {}, summary: 'Write', state: 'started' },
  ]
  await host.sql.write([
    {
      sql: `UPDATE work SET status = 'running', lease_owner = 'dead', lease_until = '2020-01-01T00:00:00.000Z'`,
    },
    {
      sql: `UPDATE messages SET status = 'streaming', parts = ? WHERE id = ?`,
      args: [JSON.stringify(parts), row.id],
    },
  ])
  await recoverWork(host, workKinds(host), true)

  const { messages, status } = await conversationOf(host, row.conversation_id)
  expect(status).toBe('idle')
  expect(messages[1]).toMatchObject({ status: 'interrupted', error: { code: 'interrupted' } })
  expect(messages[1]?.parts[1]).toMatchObject({ state: 'unknown' })
  expect(host.events).toContain('agent.run.failed')
})

test('a stream whose credential is revoked ends with an error', async () => {
  const host = await testHost({ models: scriptedModels([new Promise(() => undefined)]) })
  const response = await call(send, host, { body: { message: 'Hi' } })
  const stream = response.text()
  await tick(host)
  host.process.connections.endOf('key_test')

  expect(parseEvents(await stream).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'cancelled', message: 'The credential is no longer valid' },
  })
})

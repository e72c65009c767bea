import { expect, test } from 'vitest'
import { create as createAgent, remove as removeAgent, update } from '../../handlers/agents/agents.ts'
import { regenerate, send } from '../../handlers/chat/stream.ts'
import { tick } from '../../runtime/tick.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, onlyConversation, parseEvents } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const finish = { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 } as const

test('a message for a busy conversation waits for its turn', async () => {
  const host = await testHost({ models: scriptedModels(text('first'), text('second')) })
  const one = await call(send, host, { body: { message: 'one' } })
  const row = await onlyConversation(host)
  const two = await call(send, host, { body: { message: 'two', conversation_id: row.id } })
  const refused = await call(send, host, {
    body: { message: 'three', conversation_id: row.id, when_busy: 'reject' },
  })
  await workOff(host)

  expect(refused.status).toBe(409)
  expect(parseEvents(await one.text()).find(({ event }) => event === 'token')?.data.content).toBe('first')
  expect(parseEvents(await two.text()).find(({ event }) => event === 'token')?.data.content).toBe('second')
})

test('an agent that is disabled or deleted answers nobody, and the error says what to do', async () => {
  const host = await testHost({ models: scriptedModels(text('Hello'), text('never')) })
  const agent = await (await call(createAgent, host, { body: { name: 'Ida' } })).json()
  await chat(host, { message: 'Hi', agent_id: agent.id })
  const { id } = await onlyConversation(host)
  const refusal = async () => {
    const sent = await call(send, host, { body: { message: 'Still there?', conversation_id: id } })
    expect(sent.status).toBe(409)
    expect((await call(regenerate, host, { params: { id } })).status).toBe(409)
    return (await sent.json()).message
  }
  await call(update, host, { params: { id: agent.id }, body: { enabled: false } })
  expect(await refusal()).toMatch(/Ida is disabled; enable it, or choose another agent/)
  await call(removeAgent, host, { params: { id: agent.id } })
  expect(await refusal()).toMatch(/deleted; choose another agent/)
  expect((await conversationOf(host, id)).message_count).toBe(2)
})

test('messages queued for an agent end with an error when it is disabled', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const host = await testHost({
    models: scriptedModels([promise, { type: 'text', text: 'first' }, finish], text('never')),
  })
  const agent = await (await call(createAgent, host, { body: { name: 'Ida' } })).json()
  const first = await call(send, host, { body: { message: 'One', agent_id: agent.id } })
  await tick(host)
  const { id } = await onlyConversation(host)
  const second = await call(send, host, { body: { message: 'Two', conversation_id: id } })
  await call(update, host, { params: { id: agent.id }, body: { enabled: false } })
  resolve()
  const [, stream] = await Promise.all([first.text(), second.text(), workOff(host)])
  expect(parseEvents(stream).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'cancelled', message: expect.stringContaining('Ida is disabled') },
  })
  expect(await conversationOf(host, id)).toMatchObject({ status: 'idle' })
})

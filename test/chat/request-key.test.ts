import { expect, test } from 'vitest'
import { regenerate, send } from '../../handlers/chat/stream.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation, parseEvents } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { workOff } from '../support/work.ts'

test('requests with the same Idempotency-Key send one message', async () => {
  const models = scriptedModels(text('once'))
  const host = await testHost({ models })
  const headers = { 'idempotency-key': 'k1' }
  const one = await call(send, host, { body: { message: 'one' }, headers })
  await workOff(host)
  const again = await call(send, host, { body: { message: 'one' }, headers })
  const other = await call(send, host, { body: { message: 'two' }, headers })

  expect(await again.text()).toBe(await one.text())
  expect(other.status).toBe(422)
  expect(models.calls).toHaveLength(1)
})

test('regenerates once per Idempotency-Key', async () => {
  const models = scriptedModels(text('first'), text('second'), text('third'))
  const host = await testHost({ models })
  await chat(host, { message: 'Hi' })
  const { id } = await onlyConversation(host)
  const again = async (key: string) => {
    const headers = { 'idempotency-key': key }
    const response = await call(regenerate, host, { params: { id }, headers })
    const [stream] = await Promise.all([response.text(), workOff(host)])
    return parseEvents(stream).find(({ event }) => event === 'done')?.data.message_id
  }
  const [first, repeated] = [await again('one'), await again('one')]
  expect(first).toMatch(/^msg_/)
  expect(repeated).toBe(first)
  expect(models.calls).toHaveLength(2)
  expect(await again('two')).not.toBe(first)
  expect(models.calls).toHaveLength(3)
  const body = { message: 'Hi', conversation_id: id }
  expect((await call(send, host, { body, headers: { 'idempotency-key': 'two' } })).status).toBe(422)
})

import { expect, test } from 'vitest'
import { send } from '../../handlers/chat/stream.ts'
import { tick } from '../../runtime/tick.ts'
import { call } from '../support/call.ts'
import { conversationOf, names, onlyConversation, parseEvents, readUntil } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

/** The model has begun to speak, so its step can take nothing in any more. */
const hm = { type: 'text' as const, text: 'Hm. ' }

test('a running turn takes in a steering message at its next step', async () => {
  const gate = Promise.withResolvers<void>()
  const models = scriptedModels([hm, gate.promise, ...(toolCall('time', {}) as [])], text('In French then.'))
  const host = await testHost({ models })
  const first = await call(send, host, { body: { message: 'Say the time' } })
  await tick(host)
  const [heard, rest] = (first.body as ReadableStream<Uint8Array>).tee()
  await readUntil(heard, 'Hm')
  const { id } = await onlyConversation(host)
  const steering = { message: 'In French, please', conversation_id: id, when_busy: 'steer' }
  const second = await call(send, host, { body: steering })
  gate.resolve()
  await host.process.running.settled()
  await workOff(host)

  expect(names(parseEvents(await new Response(rest).text()))).toEqual([
    'message_start',
    'token',
    'tool_use',
    'tool_result',
    'steered',
    'token',
    'done',
  ])
  expect(names(parseEvents(await second.text()))).toEqual(['done'])
  expect(models.calls).toHaveLength(2)
  expect(models.calls[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  const { messages, status, message_count } = await conversationOf(host, id)
  expect([status, message_count]).toEqual(['idle', 3])
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
})

test('a message after the last step is answered by its own turn', async () => {
  const gate = Promise.withResolvers<void>()
  const models = scriptedModels([hm, gate.promise, ...(text('It is noon.') as [])], text('Il est midi.'))
  const host = await testHost({ models })
  const first = await call(send, host, { body: { message: 'Say the time' } })
  await tick(host)
  await readUntil(first.body as ReadableStream<Uint8Array>, 'Hm')
  const { id } = await onlyConversation(host)
  await call(send, host, { body: { message: 'In French', conversation_id: id, when_busy: 'steer' } })
  gate.resolve()
  await host.process.running.settled()
  await workOff(host)

  const { messages } = await conversationOf(host, id)
  expect(messages.map(({ content }) => content)).toEqual([
    'Say the time',
    'Hm. It is noon.',
    'In French',
    'Il est midi.',
  ])
})

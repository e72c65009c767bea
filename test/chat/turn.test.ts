import { expect, test } from 'vitest'
import { follow, send } from '../../handlers/chat/stream.ts'
import { loopReason } from '../../runtime/chat/turn/tool-step.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { answerOf, chat, conversationOf, names, onlyConversation, parseEvents, readUntil } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'

const finish = { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 } as const

test('answers, stores the answer and emits its event', async () => {
  const host = await testHost({ models: scriptedModels(text('Hel', 'lo')) })
  const events = await chat(host, { message: 'Hi there' })

  expect(names(events)).toEqual(['message_start', 'token', 'token', 'done'])
  expect(events.at(-1)?.data).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 })
  const conversation = await conversationOf(host, events[0]?.data.conversation_id)
  expect(conversation).toMatchObject({
    title: 'Hi there',
    status: 'idle',
    message_count: 2,
    input_tokens: 10,
  })
  expect(conversation.messages.map((message) => [message.role, message.content, message.status])).toEqual([
    ['user', 'Hi there', 'complete'],
    ['assistant', 'Hello', 'complete'],
  ])
  expect(host.events).toEqual([
    'conversation.created',
    'message.received',
    'agent.run.started',
    'message.sent',
    'agent.run.finished',
  ])
})

test('runs a read-only tool, and gives the model its result', async () => {
  const models = scriptedModels(toolCall('time', {}), text('It is noon.'))
  const host = await testHost({ models })
  const events = await chat(host, { message: 'What time is it?' })

  expect(names(events)).toEqual(['message_start', 'tool_use', 'tool_result', 'token', 'done'])
  expect(models.calls[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
})

test('a model error ends the stream with its code, and keeps the text so far', async () => {
  const broken = [{ type: 'text' as const, text: 'Half an ' }, new ModelError('interrupted', 'The connection broke')]
  const host = await testHost({ models: scriptedModels(broken) })
  const events = await chat(host, { message: 'Tell me' })

  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } })
  const { messages, status } = await conversationOf(host, events[0]?.data.conversation_id)
  expect(status).toBe('idle')
  expect(messages[1]).toMatchObject({
    content: 'Half an ',
    status: 'interrupted',
    error: { code: 'interrupted' },
  })
})

test('text sent before the model falls silent is stored within a second', async () => {
  const gate = Promise.withResolvers<void>()
  const models = scriptedModels([{ type: 'text', text: 'Hm, ' }, gate.promise, { type: 'text', text: 'no.' }, finish])
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Tea?' } })
  await tick(host)
  await readUntil(response.body as ReadableStream<Uint8Array>, 'Hm')
  await host.clock.advance(1 * second)
  const conversation = await onlyConversation(host)
  expect(await answerOf(host, conversation)).toMatchObject({ content: 'Hm, ', status: 'streaming' })
  gate.resolve()
  await host.process.running.settled()
  expect(await answerOf(host, conversation)).toMatchObject({ content: 'Hm, no.', status: 'complete' })
})

test('an answer that fails before it starts still names its conversation', async () => {
  const host = await testHost({ models: scriptedModels() })
  const events = await chat(host, { message: 'Hi', model: 'mistral/m' })
  expect(names(events)).toEqual(['message_start', 'error'])
  const { id } = await onlyConversation(host)
  expect(events[0]?.data.conversation_id).toBe(id)
})

test('the turn continues when its client leaves, and a returning client gets the rest', async () => {
  const gate = Promise.withResolvers<void>()
  const host = await testHost({
    models: scriptedModels([{ type: 'text', text: 'one ' }, gate.promise, ...(text('two') as [])]),
  })
  const response = await call(send, host, { body: { message: 'Count' } })
  await tick(host)
  const first = parseEvents(await readUntil(response.body as ReadableStream<Uint8Array>, 'one'))
  const id = first[0]?.data.conversation_id ?? ''

  const lastEventId = first.at(-1)?.id ?? ''
  const back = await call(follow, host, { params: { id }, headers: { 'last-event-id': lastEventId } })
  gate.resolve()
  await host.process.running.settled()
  expect(names(parseEvents(await back.text()))).toEqual(['token', 'done'])
  const late = await call(follow, host, { params: { id } })
  expect(late.status).toBe(204)
})

test('the same call four times is treated as a loop', async () => {
  const again = [1, 2, 3, 4, 5].map((number) => toolCall('time', {}, `call_${number}`))
  const host = await testHost({ models: scriptedModels(...again) })
  const events = await chat(host, { message: 'What time is it?' })

  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'loop_detected' } })
  expect(names(events).filter((name) => name === 'tool_result')).toHaveLength(3)
})

test('equal calls with a new one before each are no loop; two calls in turns are one', async () => {
  const use = (tool: string, input: unknown) =>
    ({ type: 'tool_use', id: tool, tool, input, summary: '', state: 'done' }) as const
  const save = use('browser', { index: 2 })
  const cities = ['Rome', 'Oslo', 'Bern', 'Kyiv', 'Lima', 'Riga']
  expect(loopReason(cities.flatMap((city) => [use('weather', { city }), save]))).toBeNull()
  expect(loopReason(cities.flatMap(() => [use('weather', { city: 'Rome' }), save]))).toContain('4 times')
})

test('invalid output of a model is reported back to it', async () => {
  const models = scriptedModels(toolCall('no_such_tool', {}), toolCall('files', { action: 'fly' }), text('Sorry.'))
  const host = await testHost({ models })
  const events = await chat(host, { message: 'Do something' })

  expect(names(events)).toEqual([
    'message_start',
    'tool_use',
    'tool_result',
    'tool_use',
    'tool_result',
    'token',
    'done',
  ])
  expect(JSON.stringify(models.calls.at(-1)?.messages)).toContain('There is no tool no_such_tool here')
})

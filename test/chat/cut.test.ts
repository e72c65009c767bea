import { expect, test } from 'vitest'
import { inject, truncate } from '../../handlers/chat/messages.ts'
import { regenerate, send } from '../../handlers/chat/stream.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { tick } from '../../runtime/tick.ts'
import { workContext } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, onlyConversation, readUntil } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const contents = async (host: Parameters<typeof conversationOf>[0], id: string) =>
  (await conversationOf(host, id)).messages.map(({ content }) => content)

test('a message replaces an earlier one and everything after it, in one step', async () => {
  const models = scriptedModels(text('Green.'), text('Hot.'), text('Black.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Which tea?' })
  const { id } = await onlyConversation(host)
  await chat(host, { message: 'How hot?', conversation_id: id })
  const [first] = (await conversationOf(host, id)).messages
  await chat(host, { message: 'Which tea, then?', conversation_id: id, replaces: first?.id })

  expect(await contents(host, id)).toEqual(['Which tea, then?', 'Black.'])
  expect(models.calls[2]?.messages).toHaveLength(1)
  expect(await onlyConversation(host)).toMatchObject({ title: 'Which tea, then?', message_count: 2 })
})

test("only a person's message in this conversation can be replaced, and only while nothing runs", async () => {
  const gate = Promise.withResolvers<void>()
  const said = { type: 'text' as const, text: 'Hm. ' }
  const host = await testHost({ models: scriptedModels(text('a'), text('b'), [said, gate.promise]) })
  const other = await chat(host, { message: 'elsewhere' })
  const own = await chat(host, { message: 'here' })
  const conversation_id = own[0]?.data.conversation_id
  const { messages } = await conversationOf(host, conversation_id)
  const [elsewhere] = (await conversationOf(host, other[0]?.data.conversation_id)).messages
  const replace = (replaces = '') =>
    call(send, host, { body: { message: 'new', conversation_id, replaces } }).then(({ status }) => status)

  expect(await replace('msg_none')).toBe(404)
  expect(await replace(elsewhere?.id)).toBe(404)
  expect(await replace(messages[1]?.id)).toBe(404)
  await call(send, host, { body: { message: 'more', conversation_id } })
  await tick(host)
  expect(await replace(messages[0]?.id)).toBe(409)
  expect((await contents(host, conversation_id ?? '')).slice(0, 2)).toEqual(['here', 'b'])
  gate.resolve()
  await host.process.running.settled()
})

test('folded messages are read again when their summary is removed', async () => {
  const models = scriptedModels(text('Hello.'), text('It is about the boiler.'), text('In May.'), text('Again.'))
  const host = await testHost({ models })
  await configureProvider(workContext(host, { id: 'test' }, host.process.stopping), {
    provider: 'openai',
    api_key: 'sk-test-key-of-length',
    default_model: 'gpt-4o-mini',
  })
  await chat(host, { message: 'Begin' })
  const { id: conversation_id } = await onlyConversation(host)
  const content = 'The boiler is serviced in May. '.repeat(300)
  for (let number = 0; number < 50; number += 1)
    await call(inject, host, { body: { conversation_id, role: 'user', content } })
  await chat(host, { message: 'When?', conversation_id })
  const before = (await conversationOf(host, conversation_id)).messages
  const summary = before.findIndex(({ role }) => role === 'system')
  expect(before[summary - 1]?.compacted).toBe(true)

  const latest = before.at(-3)?.id
  await call(truncate, host, { body: { conversation_id, after_message_id: latest } })
  expect((await conversationOf(host, conversation_id)).messages[0]?.compacted).toBe(true)
  await call(truncate, host, { body: { conversation_id, after_message_id: before[11]?.id } })
  await chat(host, { message: 'And now?', conversation_id })
  const read = models.calls.at(-1)?.messages ?? []
  expect(read.length).toBeGreaterThan(10)
  const rows = await host.sql.read('SELECT 1 FROM messages WHERE compacted = 1')
  expect(rows).toEqual([])
})

test('an answer that has taken in a steering message is regenerated as a whole', async () => {
  const gate = Promise.withResolvers<void>()
  const hm = { type: 'text' as const, text: 'Hm. ' }
  const models = scriptedModels(
    [hm, gate.promise, ...(toolCall('time', {}) as [])],
    text('In French then.'),
    text('Il est midi.'),
  )
  const host = await testHost({ models })
  const first = await call(send, host, { body: { message: 'Say the time' } })
  await tick(host)
  await readUntil(first.body as ReadableStream<Uint8Array>, 'Hm')
  const { id } = await onlyConversation(host)
  const steering = { message: 'In French, please', conversation_id: id, when_busy: 'steer' }
  await call(send, host, { body: steering })
  gate.resolve()
  await host.process.running.settled()
  await workOff(host)

  const response = await call(regenerate, host, { params: { id } })
  await Promise.all([response.text(), workOff(host)])
  expect(await contents(host, id)).toEqual(['Say the time', 'In French, please', 'Il est midi.'])
  expect(models.calls[2]?.messages.map(({ role }) => role)).toEqual(['user', 'user'])
})

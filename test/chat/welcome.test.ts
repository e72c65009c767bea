import { expect, test } from 'vitest'
import { create as createConversation, list } from '../../handlers/chat/conversations.ts'
import { welcome } from '../../handlers/chat/messages.ts'
import { create as createEpisode } from '../../handlers/memory/episodes.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { second } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text } from '../support/models.ts'

const greet = async (host: Awaited<ReturnType<typeof testHost>>, body = {}) =>
  (await (await call(welcome, host, { body })).json()).message

async function hostWith(...script: Step[]) {
  const models = scriptedModels(...script)
  const host = await testHost({ models })
  await configure(host, ['anthropic'])
  return { host, models }
}

test('the model of the agent greets, and knows what the person said', async () => {
  const { host, models } = await hostWith(text('Welcome back, how was the trip to Zanzibar?'))
  await call(createEpisode, host, { body: { content: 'I travel to Zanzibar' } })

  expect(await greet(host)).toMatchObject({
    content: 'Welcome back, how was the trip to Zanzibar?',
    model: expect.any(String),
  })
  expect(JSON.stringify(models.calls[0]?.messages)).toContain('I travel to Zanzibar')
})

test('a greeting in a conversation is stored there and counts as its use', async () => {
  const { host } = await hostWith(text('Hello'))
  const { id } = await (await call(createConversation, host, { body: {} })).json()
  expect(await greet(host, { conversation_id: id })).toMatchObject({ content: 'Hello', conversation_id: id })
  const { conversations } = await (await call(list, host)).json()
  expect(conversations).toMatchObject([{ id, message_count: 1, input_tokens: expect.any(Number) }])
})

test('without a model a fixed text introduces the agent', async () => {
  const host = await testHost()
  expect(await greet(host)).toMatchObject({
    content: expect.stringMatching(/^Hello, I am Hearth\./),
    model: null,
  })
})

test('a model that fails or is slow is replaced by the fixed text', async () => {
  const { promise: never } = Promise.withResolvers<void>()
  const failing = await hostWith([new ModelError('auth', 'no')])
  expect((await greet(failing.host)).content).toMatch(/^Hello, I am Hearth\./)

  const slow = await hostWith([never])
  const greeting = greet(slow.host)
  await expect.poll(() => slow.models.calls.length).toBe(1)
  await slow.host.clock.advance(6 * second)
  expect((await greeting).content).toMatch(/^Hello, I am Hearth\./)
})

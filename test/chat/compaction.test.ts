import { expect, test } from 'vitest'
import { inject } from '../../handlers/chat/messages.ts'
import type { Models } from '../../runtime/ports/models.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { workContext } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf, names, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

const long = (number: number) => `Message ${number}. ${'The boiler is serviced in May. '.repeat(300)}`

async function longConversation(models: Models, messages: number) {
  const host = await testHost({ models })
  const context = workContext(host, { id: 'test' }, host.process.stopping)
  await configureProvider(context, {
    provider: 'openai',
    api_key: 'sk-test-key-of-length',
    default_model: 'gpt-4o-mini',
  })
  await chat(host, { message: 'Begin' })
  const { id } = await onlyConversation(host)
  for (let number = 0; number < messages; number += 1) {
    await call(inject, host, { body: { conversation_id: id, role: 'user', content: long(number) } })
  }
  return { host, id }
}

test('a conversation that fills the context is folded, and its usage still counts', async () => {
  const models = scriptedModels(text('Hello.'), text('The boiler is serviced in May.'), text('In May.'))
  const { host, id } = await longConversation(models, 50)
  const events = await chat(host, { message: 'When is it serviced?', conversation_id: id })

  expect(names(events)).toContain('compaction')
  const { before_tokens, after_tokens } = events.find(({ event }) => event === 'compaction')?.data ?? {}
  expect(Number(after_tokens)).toBeLessThan(Number(before_tokens) / 4)
  const asked = models.calls[2]?.messages ?? []
  expect(asked).toHaveLength(5)
  expect(JSON.stringify(asked[0])).toContain('Summary of the conversation so far')
  const conversation = await conversationOf(host, id)
  expect(conversation.input_tokens).toBe(30)
  expect(conversation.messages.filter(({ compacted }) => compacted).length).toBeGreaterThan(40)
})

test('a short conversation is left unchanged', async () => {
  const models = scriptedModels(text('Hello.'), text('In May.'))
  const { host, id } = await longConversation(models, 5)
  const events = await chat(host, { message: 'When is it serviced?', conversation_id: id })

  expect(names(events)).not.toContain('compaction')
  expect(models.calls).toHaveLength(2)
})

import { expect, test } from 'vitest'
import { list } from '../../handlers/chat/messages.ts'
import { send } from '../../handlers/chat/stream.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'

test('a message over 200 KiB is a 413, one of 200 KiB is taken', async () => {
  const host = await testHost({ models: scriptedModels(text('Long.')) })
  const tooLong = await call(send, host, { body: { message: 'ä'.repeat(100 * 1024 + 1) } })
  expect(tooLong.status).toBe(413)
  expect(await tooLong.json()).toMatchObject({ error: 'payload_too_large' })
  expect((await chat(host, { message: 'ä'.repeat(100 * 1024) })).at(-1)?.event).toBe('done')
})

test('a page before or after a message that is not of the conversation is a 400', async () => {
  const host = await testHost({ models: scriptedModels(text('Hello.')) })
  await chat(host, { message: 'hello' })
  const { id } = await onlyConversation(host)
  for (const side of ['before', 'after']) {
    const response = await call(list, host, { params: { id }, query: { [side]: 'msg_x' } })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain('must be the id of a message')
  }
})

test('ended work is counted by its status', async () => {
  const host = await testHost({ models: scriptedModels(text('Hello.')) })
  await chat(host, { message: 'hello' })
  expect(await host.metrics.text()).toMatch(/service_work_ended_total\{status="succeeded"\} [1-9]/)
})

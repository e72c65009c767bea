import { expect, test } from 'vitest'
import { respond } from '../../handlers/chat/approvals.ts'
import { setExecutionMode, create as startConversation } from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { profile } from '../../runtime/auth/profile.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { chat, onlyApproval, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { notesOf, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

test("the prompt and the tool `time` use the zone of the owner's profile", async () => {
  const models = scriptedModels(toolCall('time', {}), text('Six.'))
  const host = await testHost({ models })
  await changeSection(localContext(host), profile, { timezone: 'Asia/Tokyo' })
  const events = await chat(host, { message: 'What time is it?' })
  expect(notesOf(models.calls[0])).toContain('It is Monday, 2026-01-05 21:00:00 UTC+09:00 (Asia/Tokyo).')
  expect(events[2]?.data.output).toMatchObject({ timezone: 'Asia/Tokyo', weekday: 'Monday' })
})

test('a prompt begins with the one before it: earlier notes stay with their messages', async () => {
  const models = scriptedModels(toolCall('time', {}), text('Noon.'), text('Later.'))
  const host = await testHost({ models })
  await chat(host, { message: 'What time is it?' })
  await host.clock.advance(10 * minute)
  const { id } = await onlyConversation(host)
  await chat(host, { message: 'And now?', conversation_id: id })
  const [first, second, third] = models.calls
  expect(second).toMatchObject({ system: first?.system, cache_key: id })
  expect(third).toMatchObject({ system: first?.system, cache_key: id })
  expect(second?.messages.slice(0, 1)).toEqual(first?.messages)
  expect(third?.messages.slice(0, 3)).toEqual(second?.messages)
  expect(notesOf(third).match(/It is Monday/g)).toHaveLength(2)
})

test('a turn that waited for a person is told the time, and what it may do now', async () => {
  const models = scriptedModels(toolCall('files', { action: 'write', path: 'a.txt', content: 'a' }), text('Done.'))
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Write a.txt' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  await host.clock.advance(29 * minute)
  const { id } = await onlyConversation(host)
  await call(setExecutionMode, host, { params: { id }, body: { execution_mode: 'auto' } })
  await call(respond, host, { params: { id }, body: { approval_id: approval.id, approved: true } })
  await Promise.all([response.text(), workOff(host)])
  expect(models.calls[1]?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'user'])
  expect(models.calls[1]?.messages.slice(0, 1)).toEqual(models.calls[0]?.messages)
  expect(notesOf(models.calls[1])).toContain('12:29:00')
  expect(notesOf(models.calls[1])).toContain('Calls run without asking')
})

test('the offline model reads dates in the zone of the profile', async () => {
  const host = await testHost()
  await changeSection(localContext(host), profile, { timezone: 'Pacific/Kiritimati' })
  const events = await chat(host, { message: 'What is the date 3 days from now?' })
  const said = events.map(({ data }) => data.content ?? '').join('')
  expect(said).toMatch(/9 January|January 9/)
})

test.each(['plan', 'agent'] as const)('mode %s: the model is asked for a plan in plan mode only', async (mode) => {
  const models = scriptedModels(text('1. Sow. 2. Water.'))
  const host = await testHost({ models })
  const { id } = await (await call(startConversation, host, { body: { mode } })).json()
  await chat(host, { message: 'Prepare the garden', conversation_id: id })

  expect(notesOf(models.calls[0]).includes('This conversation is in plan mode')).toBe(mode === 'plan')
})

import { expect, test } from 'vitest'
import { create as startConversation } from '../../handlers/chat/conversations.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { profile } from '../../runtime/auth/profile.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'

test("the prompt and the tool `time` use the zone of the owner's profile", async () => {
  const models = scriptedModels(toolCall('time', {}), text('Six.'))
  const host = await testHost({ models })
  await changeSection(localContext(host), profile, { timezone: 'Asia/Tokyo' })
  const events = await chat(host, { message: 'What time is it?' })
  expect(models.calls[0]?.notes).toContain('It is Monday, 2026-01-05 21:00:00 UTC+09:00 (Asia/Tokyo).')
  expect(events[2]?.data.output).toMatchObject({ timezone: 'Asia/Tokyo', weekday: 'Monday' })
})

test('the start of the prompt is the same for all turns, and the notes are the same within a turn', async () => {
  const models = scriptedModels(toolCall('time', {}), text('Noon.'), text('Later.'))
  const host = await testHost({ models })
  await chat(host, { message: 'What time is it?' })
  await host.clock.advance(10 * minute)
  const { id } = await onlyConversation(host)
  await chat(host, { message: 'And now?', conversation_id: id })
  const [first, second, third] = models.calls
  expect(second).toMatchObject({ system: first?.system, notes: first?.notes, cache_key: id })
  expect(third).toMatchObject({ system: first?.system, cache_key: id })
  expect(third?.messages[0]).toEqual(first?.messages[0])
  expect(third?.notes).not.toBe(first?.notes)
})

test('the offline model reads dates in the zone of the profile', async () => {
  const host = await testHost()
  await changeSection(localContext(host), profile, { timezone: 'Pacific/Kiritimati' })
  const events = await chat(host, { message: 'What is the date 3 days from now?' })
  const said = events.map(({ data }) => data.content ?? '').join('')
  expect(said).toMatch(/9 January|January 9/)
})

test.each(['plan', 'agent'] as const)(
  'mode %s: the model is asked for a plan in plan mode only',
  async (mode) => {
    const models = scriptedModels(text('1. Sow. 2. Water.'))
    const host = await testHost({ models })
    const { id } = await (await call(startConversation, host, { body: { mode } })).json()
    await chat(host, { message: 'Prepare the garden', conversation_id: id })

    expect(models.calls[0]?.notes?.includes('This conversation is in plan mode')).toBe(mode === 'plan')
  },
)

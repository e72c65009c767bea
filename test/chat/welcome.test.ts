import { expect, test } from 'vitest'
import { create as createConversation, list } from '../../handlers/chat/conversations.ts'
import { welcome } from '../../handlers/chat/messages.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { hour } from '../../runtime/time.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels } from '../support/models.ts'

async function start() {
  const models = scriptedModels()
  const host = await testHost({ models })
  await configure(host, ['anthropic'])
  const greet = async (body = {}) => (await (await call(welcome, host, { body })).json()).message
  const converse = async (body = {}) => (await (await call(createConversation, host, { body })).json()).id
  return { host, models, greet, converse }
}

test('a greeting calls no model', async () => {
  const { models, greet, converse } = await start()
  await greet()
  await greet({ conversation_id: await converse() })
  expect(models.calls).toEqual([])
})

test('it knows the name and the time of day of the person', async () => {
  const { host, greet } = await start()
  await call(sections.profile.update, host, { body: { display_name: 'Ada', timezone: 'UTC' } })
  const toMidnight = (24 * hour - (host.clock.now() % (24 * hour))) % (24 * hour)
  await host.clock.advance(toMidnight)
  const said = []
  for (const wait of [1, 6, 6, 6]) {
    await host.clock.advance(wait * hour)
    const { content, model, provider } = await greet()
    expect({ model, provider }).toEqual({ model: null, provider: null })
    said.push(content.split(',')[0])
  }
  expect(said).toEqual(['Hello Ada', 'Good morning Ada', 'Good afternoon Ada', 'Good evening Ada'])
})

test('it names the last chat with this agent', async () => {
  const { host, greet, converse } = await start()
  expect((await greet()).content).not.toContain('last chat')
  await converse({ title: 'Old news' })
  await host.clock.advance(hour)
  await converse({ title: 'Trip to Zanzibar' })
  await host.clock.advance(hour)
  const conversation_id = await converse()
  expect((await greet({ conversation_id })).content).toMatch(/I am Hearth\. Our last chat was “Trip to Zanzibar”\.$/)
  const { conversations } = await (await call(list, host)).json()
  const greeted = conversations.find(({ id }: { id: string }) => id === conversation_id)
  expect(greeted).toMatchObject({ message_count: 1, input_tokens: 0, output_tokens: 0 })
})

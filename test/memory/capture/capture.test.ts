import { expect, test } from 'vitest'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import { changeAgent, requireDefaultAgent } from '../../../runtime/agents/agents.ts'
import { regenerate } from '../../../runtime/chat/messages.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { memorySettings } from '../../../runtime/memory/settings.ts'
import { listEpisodes } from '../../../runtime/memory/store.ts'
import { changeSection } from '../../../runtime/sections/section.ts'
import { chat, conversationOf, onlyConversation } from '../../support/chat.ts'
import { peer, testHost } from '../../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../../support/models.ts'
import { workOff } from '../../support/work.ts'

const page = { limit: 100, offset: 0 }
const episodes = (host: MemoryHost) => listEpisodes(host, {}, page)
const contextOn = (host: MemoryHost) => contextOf(new Request('http://127.0.0.1:18781/'), host, peer)

async function hostWith(...script: Step[]) {
  const models = scriptedModels(...script)
  return { host: await testHost({ models }), models }
}

test('an exchange becomes an episode with its provenance', async () => {
  const { host } = await hostWith(text('How nice. ', 'Give her my regards.'))
  await chat(host, { message: 'My sister Ana lives in Lisbon' })

  const { id, messages } = await conversationOf(host, (await onlyConversation(host)).id)
  expect(await episodes(host)).toMatchObject([
    {
      content: 'My sister Ana lives in Lisbon',
      source: 'conversation',
      trust: 'owner',
      topics: expect.arrayContaining(['ana', 'lisbon']),
      provenance: { conversation_id: id, message_id: messages[0]?.id, channel: null, url: null },
    },
  ])
  const [row] = await host.sql.read('SELECT reply, position FROM episodes')
  expect(row).toEqual({ reply: 'How nice. Give her my regards.', position: 0 })
  expect(host.events).toContain('memory.episode.created')
})

test('greetings are not captured', async () => {
  const { host } = await hostWith(text('Hello!'))
  await chat(host, { message: 'hello there' })

  expect(await episodes(host)).toEqual([])
})

test('secrets are redacted in messages and replies', async () => {
  const { host } = await hostWith(text('I have noted sk-proj-abcdefghijklmnop123.'))
  await chat(host, { message: 'My wifi password is tulips42 and the router stands in the cellar' })

  const [row] = await host.sql.read<{ content: string; reply: string }>('SELECT content, reply FROM episodes')
  expect(row?.content).toBe('My wifi password is [redacted] and the router stands in the cellar')
  expect(row?.reply).toBe('I have noted [redacted].')
})

test('a repeated message only counts as an access', async () => {
  const { host } = await hostWith(text('Noted.'), text('I know.'))
  await chat(host, { message: 'My sister Ana lives in Lisbon' })
  await chat(host, { message: 'my sister ANA lives in Lisbon!' })

  const stored = await episodes(host)
  expect(stored.map(({ content }) => content)).toEqual(['My sister Ana lives in Lisbon'])
  expect(stored[0]?.access_count).toBeGreaterThan(0)
})

test('what the agent saved itself is not captured again', async () => {
  const { host } = await hostWith(
    toolCall('memory_save', { content: "The person's sister Ana lives in Lisbon" }),
    text('Saved.'),
  )
  await chat(host, { message: 'Remember that my sister Ana lives in Lisbon' })

  expect((await episodes(host)).map(({ content }) => content)).toEqual(["The person's sister Ana lives in Lisbon"])
})

test('a regenerated reply replaces the old one in its episode', async () => {
  const { host } = await hostWith(text('First words about Lisbon.'), text('Better words about Portugal.'))
  await chat(host, { message: 'My sister Ana lives in Lisbon' })
  await regenerate(contextOn(host), (await onlyConversation(host)).id)
  await workOff(host)

  expect(await host.sql.read('SELECT content, reply FROM episodes')).toEqual([
    { content: 'My sister Ana lives in Lisbon', reply: 'Better words about Portugal.' },
  ])
})

test('nothing is captured for agents without capture, or when it is off', async () => {
  const { host } = await hostWith(text('Noted.'), text('Noted.'))
  const agent = await requireDefaultAgent(host)
  await changeAgent(contextOn(host), agent.id, { memory: { ...agent.memory, capture: false } })
  await chat(host, { message: 'My sister Ana lives in Lisbon' })
  expect(await episodes(host)).toEqual([])

  await changeAgent(contextOn(host), agent.id, { memory: agent.memory })
  await changeSection(contextOn(host), memorySettings, { auto_capture: false })
  await chat(host, { message: 'My brother Ben lives in Porto' })
  expect(await episodes(host)).toEqual([])
})

test('a failed answer is not captured', async () => {
  const { host } = await hostWith([new Error('the vendor is on fire')])
  await chat(host, { message: 'My sister Ana lives in Lisbon' })

  expect(await episodes(host)).toEqual([])
})

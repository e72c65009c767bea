import { expect, test } from 'vitest'
import { findEpisode } from '../../runtime/memory/store.ts'
import { ToolError } from '../../runtime/tools/tool.ts'
import { addAgents } from '../support/agents.ts'
import { findTool, toolBench } from './bench.ts'

test('time returns the local hour of a zone and the day of the week', async () => {
  const { use } = await toolBench()

  expect(await use('time', { timezone: 'Asia/Tokyo' })).toEqual({
    iso: '2026-01-05T12:00:00.000Z',
    local: '2026-01-05 21:00:00 UTC+09:00',
    timezone: 'Asia/Tokyo',
    weekday: 'Monday',
  })
  expect(await use('time', {})).toMatchObject({ timezone: 'UTC', local: '2026-01-05 12:00:00 UTC+00:00' })
  await expect(use('time', { timezone: 'Mars/Olympus' })).rejects.toThrow(ToolError)
})

test("ask_user waits for the person's answer", async () => {
  const { use } = await toolBench()

  expect(await use('ask_user', { question: 'Which one?', options: ['red', 'blue'] })).toEqual({ asked: true })
  const question = findTool('ask_user')?.question?.({ question: 'Which one?', options: ['red', 'blue'] })
  expect(question).toBe('Which one?\n\n1. red\n2. blue')
  const fields = [
    { name: 'Colour', type: 'select', options: ['red', 'blue'] },
    { name: 'Litres', type: 'number' },
  ]
  const form = { question: 'What shall I buy?', fields }
  expect(await use('ask_user', form)).toEqual({ asked: true })
  const input = findTool('ask_user')?.input.parse(form)
  expect(findTool('ask_user')?.question?.(input)).toBe('What shall I buy?\n\n- Colour: red / blue\n- Litres')
})

interface Items {
  items: { id: string; text: string; done: boolean }[]
}

test('todo adds, ticks off and removes', async () => {
  const { use } = await toolBench()
  const todo = (input: unknown) => use('todo', input) as Promise<Items>
  await todo({ action: 'add', text: 'buy tea' })
  const { items } = await todo({ action: 'add', text: 'drink it' })
  const [tea, drink] = items.map(({ id }) => id)

  expect(items).toEqual([
    { id: tea, text: 'buy tea', done: false },
    { id: drink, text: 'drink it', done: false },
  ])
  expect((await todo({ action: 'done', id: tea })).items.map(({ done }) => done)).toEqual([true, false])
  expect((await todo({ action: 'remove', id: tea })).items.map(({ id }) => id)).toEqual([drink])
  expect((await todo({ action: 'list' })).items).toHaveLength(1)
})

test('todo is limited to its conversation', async () => {
  const { host, use } = await toolBench()
  const { items } = (await use('todo', { action: 'add', text: 'buy tea' })) as Items
  const elsewhere = { conversation_id: 'conv_2' }

  expect(await use('todo', { action: 'list' }, elsewhere)).toEqual({ items: [] })
  await expect(use('todo', { action: 'remove', id: items[0]?.id }, elsewhere)).rejects.toThrow(ToolError)
  expect(await host.sql.read('SELECT text FROM todos')).toEqual([{ text: 'buy tea' }])
})

test.each([
  { action: 'add' },
  { action: 'add', text: '  ' },
  { action: 'done' },
  { action: 'remove', id: 'todo_none' },
])('todo says what %j lacks', async (input) => {
  const { use } = await toolBench()
  await expect(use('todo', input)).rejects.toThrow(ToolError)
})

test('memory_search finds what memory_save stored', async () => {
  const { host, scope, use } = await toolBench()
  const { id } = (await use('memory_save', {
    content: 'The boat is called Boaty',
    topics: ['boats'],
    importance: 0.9,
  })) as { id: string }

  expect(await findEpisode(host, id)).toMatchObject({
    content: 'The boat is called Boaty',
    topics: ['boats'],
    importance: 0.9,
    agent_id: scope.agent.id,
    source: 'conversation',
    trust: 'agent',
    provenance: { conversation_id: 'conv_1', message_id: 'msg_1', channel: null, url: null },
  })
  expect(await use('memory_search', { query: 'What is my boat called?' })).toEqual({
    results: [
      {
        id,
        content: 'The boat is called Boaty',
        score: expect.any(Number),
        trust: 'agent',
        created_at: '2026-01-05T12:00:00.000Z',
      },
    ],
  })
  expect(host.events).toContain('memory.episode.created')
  expect((await findEpisode(host, id))?.access_count).toBe(1)
})

test('a note saved after reading a page is external, and recalling it taints the conversation', async () => {
  const { host, use } = await toolBench()
  const { id } = (await use('memory_save', { content: 'Boats should be sold' }, { tainted: true })) as {
    id: string
  }
  const found = await use('memory_search', { query: 'boats' })

  expect((await findEpisode(host, id))?.trust).toBe('external')
  expect(found).toMatchObject({ results: [{ trust: 'external' }] })
  expect(findTool('memory_search')?.untrusted(found)).toBe(true)
  expect(findTool('memory_search')?.untrusted(await use('memory_search', { query: 'tea' }))).toBe(false)
})

test('memory_search finds nothing of other agents, and nothing for a query without words', async () => {
  const { host, scope, use } = await toolBench()
  await addAgents(host, 'agent_other')
  const other = { agent: { ...scope.agent, id: 'agent_other' } }
  await use('memory_save', { content: 'secret boat' }, other)

  expect(await use('memory_search', { query: 'boat' })).toEqual({ results: [] })
  expect(await use('memory_search', { query: 'boat' }, other)).toMatchObject({
    results: [{ content: 'secret boat' }],
  })
  expect(await use('memory_search', { query: 'NEAR(* "' }, other)).toEqual({ results: [] })
})

test('memory_save stores no secrets, and no duplicates', async () => {
  const { host, use } = await toolBench()
  const save = async (content: string) => ((await use('memory_save', { content })) as { id: string }).id
  const id = await save('My password is hunter2secret and my key is sk-proj-abcdefghijklmnop')

  expect((await findEpisode(host, id))?.content).toBe('My password is [redacted] and my key is [redacted]')
  const boat = await save('The boat is called Boaty')
  expect(await save('The boat is called Boaty.')).toBe(boat)
  expect(await findEpisode(host, boat)).toMatchObject({ access_count: 1 })
  expect(await save('The boat is not called Boaty')).not.toBe(boat)
})

test('memory_save refuses empty text', async () => {
  const { use } = await toolBench()
  await expect(use('memory_save', { content: '  ' })).rejects.toThrow(ToolError)
})

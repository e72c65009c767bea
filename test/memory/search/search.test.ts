import { expect, test } from 'vitest'
import { create, update } from '../../../handlers/memory/episodes.ts'
import { search } from '../../../handlers/memory/search.ts'
import { addAgent, NewAgent } from '../../../runtime/agents/agents.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { addEpisode } from '../../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../../runtime/memory/schema.ts'
import { visibleTo } from '../../../runtime/memory/search/search.ts'
import { memorySettings } from '../../../runtime/memory/settings.ts'
import { changeSection } from '../../../runtime/sections/section.ts'
import { addAgents } from '../../support/agents.ts'
import { call } from '../../support/call.ts'
import { peer, testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'
import { contents, find, hostWith } from './support.ts'

test('returns keyword matches best first, with scores between 0 and 1', async () => {
  const host = await hostWith('Anna sails a boat', 'Anna has a boat named Boaty, a boat of wood', 'Ben likes tea')
  const found = await find(host, "What is the name of Anna's boat?")

  expect(contents(found)).toEqual(['Anna has a boat named Boaty, a boat of wood', 'Anna sails a boat'])
  expect(found.total).toBe(2)
  for (const { score, source } of found.results) {
    expect(source).toBe('keyword')
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
})

test('finds other forms of a word, and topics', async () => {
  const host = await hostWith('She was running in the park')
  await call(create, host, { body: { content: 'Rex barks', topics: ['pets & dogs'] } })

  expect(contents(await find(host, 'runs'))).toEqual(['She was running in the park'])
  const [dog] = (await find(host, 'dog')).results
  expect(dog).toMatchObject({
    episode: { content: 'Rex barks', entities: [] },
    highlights: ['pets &amp; <mark>dogs</mark>'],
  })
})

test('highlights matches, and only the marks are markup', async () => {
  const host = await hostWith(`The <img src=x onerror="alert('tea')"> of green tea`)
  const { results } = await find(host, 'tea')

  expect(results[0]?.highlights).toEqual([
    'The &lt;img src=x onerror=&quot;alert(&#39;<mark>tea</mark>&#39;)&quot;&gt; of green <mark>tea</mark>',
  ])
})

test('age and importance only decide between equal matches', async () => {
  const host = await testHost()
  await call(create, host, { body: { content: 'the boat is blue', importance: 1 } })
  await call(create, host, { body: { content: 'the boat is teal', importance: 0 } })
  host.clock.jump(365 * 24 * 60 * 60 * 1000)
  await call(create, host, { body: { content: 'the boat is grey', importance: 1 } })
  await call(create, host, {
    body: { content: 'some words about something else but with a boat', importance: 1 },
  })

  expect(contents(await find(host, 'boat'))).toEqual([
    'the boat is grey',
    'the boat is blue',
    'the boat is teal',
    'some words about something else but with a boat',
  ])
})

test('finds a changed episode by its new words only', async () => {
  const host = await hostWith('likes tea')
  const { results } = await find(host, 'tea')
  await call(update, host, {
    params: { id: results[0]?.episode.id ?? '' },
    body: { content: 'likes coffee' },
  })

  expect((await find(host, 'tea')).total).toBe(0)
  expect((await find(host, 'coffee')).total).toBe(1)
})

test('an agent sees its own episodes and, if it shares, those of all sharing agents', async () => {
  const host = await testHost()
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const add = (name: string, scope: string) => addAgent(context, NewAgent.parse({ name, memory: { scope } }))
  const [hermit, one, two] = [await add('Hermit', 'own'), await add('One', 'shared'), await add('Two', 'shared')]

  expect(await visibleTo(host, hermit)).toEqual([hermit.id])
  expect((await visibleTo(host, one)).toSorted()).toEqual([one.id, two.id].toSorted())
  await changeSection(context, memorySettings, { share_between_agents: false })
  expect(await visibleTo(host, one)).toEqual([one.id])
})

test.each([
  ['no q', {}],
  ['blank q', { q: ' \t ' }],
  ['NUL in q', { q: 'a\0b' }],
  ['an unknown mode', { q: 'tea', mode: 'psychic' }],
  ['limit 0', { q: 'tea', limit: '0' }],
  ['limit 101', { q: 'tea', limit: '101' }],
  ['no date', { q: 'tea', start_date: 'yesterday' }],
  ['an impossible date', { q: 'tea', end_date: '2026-02-31' }],
])('refuses %s', async (_, query) => {
  const response = await call(search, await testHost(), { query })

  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ error: 'bad_request' })
})

test('an invalid date is refused with an example', async () => {
  const response = await call(search, await testHost(), { query: { q: 'tea', start_date: 'yesterday' } })

  expect(await response.json()).toMatchObject({
    message: 'start_date must be an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T09:00:00Z',
  })
})

test('filters by source, agent and dates before ranking', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_1')
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const add = (content: string, source: string, agent_id: string | null) =>
    addEpisode(context, { ...NewEpisode.parse({ content, agent_id }), source })
  await add('tea in January', 'task', 'agent_1')
  host.clock.jump(31 * 24 * 60 * 60 * 1000)
  await add('tea tea tea in February', 'insight', null)

  expect(contents(await find(host, 'tea', { source: 'task' }))).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { agent_id: 'agent_1' }))).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { end_date: '2026-01-05' }))).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { start_date: '2026-01-06' }))).toEqual(['tea tea tea in February'])
  expect(
    contents(await find(host, 'tea', { start_date: '2026-01-05T14:00:00+02:00', end_date: '2026-01-05T12:00:00Z' })),
  ).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { start_date: '2026-01-05T14:00:00.001+02:00' }))).toEqual([
    'tea tea tea in February',
  ])
})

test('a year after 9999 is later than everything', async () => {
  const host = await hostWith('tea')
  expect((await find(host, 'tea', { start_date: '9999-12-31T23:59:59-12:00' })).total).toBe(0)
  expect((await find(host, 'tea', { end_date: '9999-12-31T23:59:59-12:00' })).total).toBe(1)
})

test.each(['hybrid', 'keyword', 'semantic'])(
  '%s returns the same total on every page, also beyond the last',
  async (mode) => {
    const host = await hostWith(...Array.from({ length: 9 }, (_, index) => `boat number ${index}`))
    await workOff(host)
    const page = (offset: number) => find(host, 'boat', { mode, limit: '4', offset: `${offset}` })
    const pages = [await page(0), await page(4), await page(8), await page(12), await page(1_000_000)]

    expect(pages.map(({ results }) => results.length)).toEqual([4, 4, 1, 0, 0])
    expect(pages.map(({ mode, total, limit, offset }) => [mode, total, limit, offset])).toEqual(
      [0, 4, 8, 12, 1_000_000].map((offset) => [mode, 9, 4, offset]),
    )
    expect(new Set(pages.flatMap(contents)).size).toBe(9)
  },
)

test('pages have no gaps and no duplicates', async () => {
  const host = await testHost()
  for (let index = 0; index < 450; index += 1) {
    await call(create, host, {
      body: { content: `boat ${'wave '.repeat(index % 7)}`, importance: (index % 10) / 10 },
    })
  }
  const pages = await Promise.all(
    [0, 100, 200, 300, 400].map((offset) => find(host, 'boat', { limit: '100', offset: `${offset}` })),
  )
  const ids = pages.flatMap(({ results }) => results.map(({ episode }) => episode.id))

  expect(pages.map(({ total }) => total)).toEqual([450, 450, 450, 450, 450])
  expect(ids).toHaveLength(450)
  expect(new Set(ids).size).toBe(450)
  expect(await find(host, 'boat', { offset: '450' })).toMatchObject({ results: [], total: 450 })
})

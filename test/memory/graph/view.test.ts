import { expect, test } from 'vitest'
import { entityEpisodes } from '../../../handlers/memory/graph.ts'
import { search, stats } from '../../../handlers/memory/search.ts'
import { EntityEpisodes } from '../../../runtime/memory/schema.ts'
import { addAgents } from '../../support/agents.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { run } from '../jobs/support.ts'
import { graphOf, mention, store } from './support.ts'

test('search results include their entities', async () => {
  const host = await testHost()
  const { id } = await store(host, 'Anna lives in Berlin')
  await mention(host, [id])
  const found = await (await call(search, host, { query: { q: 'Berlin' } })).json()

  expect(found.results[0].episode.entities).toEqual([
    { id: expect.stringMatching(/^ent_/), name: 'Anna', type: 'person', mentions: 1 },
    { id: expect.stringMatching(/^ent_/), name: 'Berlin', type: 'place', mentions: 1 },
  ])
})

test('the statistics count entities by type, and facts', async () => {
  const host = await testHost()
  await store(host, 'Anna lives in Berlin. Tim Cook lives in Paris.')
  await run(host, 'consolidate')
  await run(host, 'consolidate', { wipe: true })

  expect(await (await call(stats, host)).json()).toMatchObject({
    total_entities: 4,
    total_relations: 2,
    entity_type_distribution: { person: 2, place: 2 },
  })
})

test('edges connect returned nodes only', async () => {
  const host = await testHost()
  await store(host, 'Anna lives in Berlin. Tim Cook lives in Paris. Berlin is big. Berlin is loud. Anna is tall.')
  await run(host, 'consolidate')
  const { nodes, edges, ...rest } = await graphOf(host, { limit: '2' })

  expect(nodes.map(({ name }) => name)).toEqual(['Berlin', 'Anna'])
  expect(edges).toEqual([
    {
      id: expect.stringMatching(/^rel_/),
      source: nodes[1]?.id,
      target: nodes[0]?.id,
      type: 'lives_in',
      fact: 'Anna lives in Berlin.',
      weight: 1,
      episode_ids: [expect.stringMatching(/^ep_/)],
      valid_at: '2026-01-05T12:00:00.000Z',
      invalid_at: null,
    },
  ])
  expect(rest).toMatchObject({ total_nodes: 4, total_edges: 2, truncated: true })
})

test('edges of one agent are based on its episodes only', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_2')
  const own = await store(host, 'Anna lives in Berlin.', { agent_id: 'agent_2' })
  await store(host, 'Anna lives in Berlin. Anna likes tea.')
  await run(host, 'consolidate')
  const { edges, total_edges } = await graphOf(host, { agent_id: 'agent_2' })

  expect(edges).toMatchObject([{ type: 'lives_in', weight: 1, episode_ids: [own.id] }])
  expect(total_edges).toBe(1)
})

test('with a time the graph includes entities of facts that held then, even if mentioned later', async () => {
  const host = await testHost()
  await store(host, 'Anna lived in Oslo from 2020 to 2024. Tim Cook lives in Paris.')
  await run(host, 'consolidate')
  const names = async (at: string) => (await graphOf(host, { at })).nodes.map(({ name }) => name).sort()

  expect(await names('2019-06-01')).toEqual([])
  expect(await names('2022-06-01')).toEqual(['Anna', 'Oslo'])
  expect(await names('2026-06-01')).toEqual(['Anna', 'Oslo', 'Paris', 'Tim Cook'])
})

test('the range of facts is independent of the requested time', async () => {
  const host = await testHost()
  expect(await graphOf(host, {})).toMatchObject({ first_valid_at: null, last_valid_at: null })
  await store(host, 'Anna lived in Oslo from 2020 to 2024. Tim Cook lives in Paris.')
  await run(host, 'consolidate')
  const reach = {
    first_valid_at: expect.stringMatching(/^2020-/),
    last_valid_at: expect.stringMatching(/^2026-01-05/),
  }

  expect(await graphOf(host, {})).toMatchObject(reach)
  expect(await graphOf(host, { at: '1900-01-01' })).toMatchObject({
    nodes: [],
    edges: [],
    total_nodes: 0,
    total_edges: 0,
    truncated: false,
    ...reach,
  })
})

test('episodes of an entity are paged, newest first', async () => {
  const host = await testHost()
  const contents = ['Anna lives in Oslo', 'Ben Miller likes tea', 'Anna plays chess', 'Anna met Ben Miller']
  for (const content of contents) {
    await store(host, content)
    await host.clock.advance(1_000)
  }
  await run(host, 'consolidate')
  const anna = (await graphOf(host, { q: 'Anna' })).nodes[0]
  const page = async (query: Record<string, string>) => {
    const response = await call(entityEpisodes, host, { params: { id: anna?.id ?? '' }, query })
    return EntityEpisodes.parse(await response.json())
  }

  const first = await page({ limit: '2' })
  expect(first).toMatchObject({ entity: anna, total: 3, limit: 2, offset: 0 })
  expect(first.episodes.map(({ content }) => content)).toEqual(['Anna met Ben Miller', 'Anna plays chess'])
  expect((await page({ offset: '2' })).episodes.map(({ content }) => content)).toEqual(['Anna lives in Oslo'])
  expect(await page({ offset: '9' })).toMatchObject({ episodes: [], total: 3 })
  expect((await call(entityEpisodes, host, { params: { id: 'ent_gone' } })).status).toBe(404)
})

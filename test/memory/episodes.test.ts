import { expect, test } from 'vitest'
import { create, feedback, list, remove, show, update } from '../../handlers/memory/episodes.ts'
import { stats } from '../../handlers/memory/search.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { Episode, EpisodeDetail, MemoryStats } from '../../runtime/memory/schema.ts'
import { describeEpisode, findEpisode, updateEpisode } from '../../runtime/memory/store.ts'
import { addAgents } from '../support/agents.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'

type Host = Awaited<ReturnType<typeof testHost>>

async function store(host: Host, body: Record<string, unknown>): Promise<Episode> {
  const response = await call(create, host, { body })
  expect(response.status).toBe(201)
  return Episode.parse(await response.json())
}

test('creates an episode with defaults and emits an event', async () => {
  const host = await testHost()
  const episode = await store(host, { content: 'likes tea' })

  expect(episode).toEqual({
    id: expect.stringMatching(/^ep_[0-9a-z]{26}$/),
    content: 'likes tea',
    summary: null,
    source: 'manual',
    valence: 0,
    importance: 0.5,
    access_count: 0,
    topics: [],
    agent_id: null,
    provenance: null,
    trust: 'owner',
    cluster_id: null,
    created_at: '2026-01-05T12:00:00.000Z',
    updated_at: '2026-01-05T12:00:00.000Z',
  })
  expect(host.events).toEqual(['memory.episode.created'])
})

test('stores the given values', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_1', 'agent_2')
  const given = {
    content: 'Rex is a dog',
    importance: 1,
    valence: -1,
    topics: ['pets', 'Rex'],
    agent_id: 'agent_1',
  }
  const { id } = await store(host, given)

  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject(given)
})

test('shows an episode with its reply, entities and recall counts', async () => {
  const host = await testHost()
  const { id } = await store(host, { content: 'Ana lives in Lisbon' })
  await call(feedback, host, { params: { id }, body: { used: true } })

  const detail = EpisodeDetail.parse(await (await call(show, host, { params: { id } })).json())
  expect(detail).toMatchObject({ reply: '', entities: [], feedback: { recalled: 0, used: 1, ignored: 0 } })
})

test('filters the list by source and time', async () => {
  const host = await testHost()
  await store(host, { content: 'early' })
  await host.clock.advance(48 * 3_600_000)
  await store(host, { content: 'late' })
  const found = async (query: Record<string, string>) => {
    const { episodes, total } = await (await call(list, host, { query })).json()
    expect(total).toBe(episodes.length)
    return episodes.map(({ content }: Episode) => content)
  }

  expect(await found({ source: 'manual' })).toEqual(['late', 'early'])
  expect(await found({ source: 'conversation' })).toEqual([])
  expect(await found({ end_date: '2026-01-05' })).toEqual(['early'])
  expect(await found({ start_date: '2026-01-06' })).toEqual(['late'])
})

test.each([
  ['no content', {}, 'content'],
  ['empty content', { content: '' }, 'content'],
  ['blank content', { content: ' \n ' }, 'content'],
  ['content over 32,768 characters', { content: 'a'.repeat(32_769) }, 'content'],
  ['importance over 1', { content: 'a', importance: 1.01 }, 'importance'],
  ['importance below 0', { content: 'a', importance: -0.01 }, 'importance'],
  ['valence over 1', { content: 'a', valence: 2 }, 'valence'],
  ['valence below -1', { content: 'a', valence: -2 }, 'valence'],
  ['topics that are no texts', { content: 'a', topics: [1] }, 'topics.0'],
])('refuses %s', async (_, body, path) => {
  const response = await call(create, await testHost(), { body })

  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ error: 'validation_error', issues: [{ path }] })
})

test('accepts content of 32,768 characters', async () => {
  const content = 'é'.repeat(32_768)
  expect((await store(await testHost(), { content })).content).toBe(content)
})

test('lists newest first, by page and by agent', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_1', 'agent_2')
  for (const [index, agent_id] of ['agent_1', 'agent_2', 'agent_1'].entries()) {
    await store(host, { content: `fact ${index}`, agent_id })
    host.clock.jump(1000)
  }
  const contents = async (query: Record<string, string>) => {
    const page = (await (await call(list, host, { query })).json()) as { episodes: Episode[]; total: number }
    return { contents: page.episodes.map((episode) => episode.content), total: page.total }
  }

  expect(await contents({})).toEqual({ contents: ['fact 2', 'fact 1', 'fact 0'], total: 3 })
  expect(await contents({ limit: '1', offset: '1' })).toEqual({ contents: ['fact 1'], total: 3 })
  expect(await contents({ agent_id: 'agent_1' })).toEqual({ contents: ['fact 2', 'fact 0'], total: 2 })
  expect(await contents({ cluster_id: 'cluster_1' })).toEqual({ contents: [], total: 0 })
})

test.each(['limit=0', 'limit=101', 'limit=many', 'offset=-1'])('refuses a list with %s', async (text) => {
  const query = Object.fromEntries(new URLSearchParams(text))
  const response = await call(list, await testHost(), { query })

  expect(response.status).toBe(400)
  expect(((await response.json()) as { message: string }).message).toContain(text.split('=')[0])
})

test('updates only the fields that are sent, never the trust', async () => {
  const host = await testHost()
  const old = await store(host, { content: 'likes tea', topics: ['drinks'] })
  host.clock.jump(60_000)
  const response = await call(update, host, {
    params: { id: old.id },
    body: { content: 'likes coffee', trust: 'external' },
  })

  expect(await response.json()).toEqual({
    ...old,
    content: 'likes coffee',
    updated_at: '2026-01-05T12:01:00.000Z',
  })
  expect(host.events).toEqual(['memory.episode.created', 'memory.episode.updated'])
})

test('a second deletion is a 404', async () => {
  const host = await testHost()
  const { id } = await store(host, { content: 'likes tea' })

  expect(await (await call(remove, host, { params: { id } })).json()).toEqual({ deleted: true, id })
  expect((await call(remove, host, { params: { id } })).status).toBe(404)
  expect((await call(show, host, { params: { id } })).status).toBe(404)
  expect((await call(update, host, { params: { id }, body: { content: 'x' } })).status).toBe(404)
  expect(host.events).toEqual(['memory.episode.created', 'memory.episode.deleted'])
})

test('counts an empty memory', async () => {
  expect(MemoryStats.parse(await (await call(stats, await testHost())).json())).toEqual({
    total_episodes: 0,
    total_entities: 0,
    total_relations: 0,
    avg_importance: 0,
    avg_valence: 0,
    importance_distribution: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    source_distribution: {},
    entity_type_distribution: {},
    recall_feedback: { total_recalls: 0, used_count: 0, ignored_count: 0, usage_rate: 0 },
  })
})

test('counts by importance and source, and averages', async () => {
  const host = await testHost()
  for (const importance of [0, 0.05, 0.5, 1]) await store(host, { content: 'x', importance, valence: importance })
  const numbers = MemoryStats.parse(await (await call(stats, host)).json())

  expect(numbers).toMatchObject({
    total_episodes: 4,
    importance_distribution: [2, 0, 0, 0, 0, 1, 0, 0, 0, 1],
  })
  expect(numbers.avg_importance).toBeCloseTo(0.3875)
  expect(numbers.avg_valence).toBeCloseTo(0.3875)
  expect(numbers.source_distribution).toEqual({ manual: 4 })
})

test('a summary and topics that are filled in during a change of the episode are kept', async () => {
  const host = await testHost()
  const { id } = await (await call(create, host, { body: { content: 'Tea at four' } })).json()
  const before = await findEpisode(localContext(host), id)
  if (!before) throw new Error('no episode')
  await host.sql.write([describeEpisode(id, 'Tea', ['drinks'])])

  await expect(host.sql.write([updateEpisode({ ...before, importance: 0.9 }, before)])).rejects.toThrow(
    'changed by another request',
  )
})

import { beforeAll, expect, test } from 'vitest'
import { createVisualization } from '../../adapters/visualization/visualization.ts'
import { create, list, remove, show } from '../../handlers/memory/episodes.ts'
import { clusters } from '../../handlers/memory/graph.ts'
import { Labels } from '../../runtime/memory/clusters/labels.ts'
import { ClusterResponse } from '../../runtime/memory/schema.ts'
import { embedPending } from '../../runtime/memory/search/indexing.ts'
import { workContext } from '../../runtime/work/run.ts'
import { addAgents } from '../support/agents.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { installPack, testPackages } from '../support/packages.ts'

const packages = testPackages()
const visualization = createVisualization((name) => packages.resolve(name))
beforeAll(() => installPack(packages, 'memory-visualization'), 180_000)

const withPack = () => testHost({ packages, visualization })
type Host = Awaited<ReturnType<typeof withPack>>

const garden = ['roses', 'tulips', 'tomatoes', 'apples', 'weeds', 'hedges', 'beans', 'onions']
const train = ['Berlin', 'Hamburg', 'Munich', 'Vienna', 'Prague', 'Paris', 'Rome', 'Zurich']

async function remember(host: Host, texts: readonly string[], extra: object = {}): Promise<string[]> {
  const ids: string[] = []
  for (const content of texts) {
    const response = await call(create, host, { body: { content, ...extra } })
    ids.push(((await response.json()) as { id: string }).id)
  }
  return ids
}

async function rememberBoth(host: Host): Promise<{ gardening: string[]; travelling: string[] }> {
  const gardening = await remember(
    host,
    garden.map((plant) => `The garden needs water and soil for the ${plant}`),
    { topics: ['gardening'], importance: 0.9 },
  )
  const travelling = await remember(
    host,
    train.map((city) => `Booked a train ticket with seat and luggage to ${city}`),
    { topics: ['travel'], importance: 0.1 },
  )
  await embed(host)
  return { gardening, travelling }
}

const embed = (host: Host) => embedPending(workContext(host, { id: 'test' }, host.process.stopping))

async function ask(host: Host, query: Record<string, string> = {}): Promise<ClusterResponse> {
  const response = await call(clusters, host, { query })
  expect(response.status).toBe(200)
  return ClusterResponse.parse(await response.json())
}

const setEmbedding = (host: Host, provider: string) =>
  host.sql.write([
    {
      sql: `INSERT INTO settings (section, value, updated_at) VALUES ('memory', ?, '2026-01-01T00:00:00.000Z')`,
      args: [JSON.stringify({ embedding: { provider, model: null } })],
    },
  ])

test('clusters have a label, a position and their episodes', async () => {
  const host = await withPack()
  const { gardening, travelling } = await rememberBoth(host)
  const map = await ask(host, { n: '2' })

  expect(map).toMatchObject({
    empty_reason: null,
    episodes_total: 16,
    episodes_embedded: 16,
    embeddings_installed: true,
    repair_command: expect.stringContaining('npm'),
    visualization: { pack_id: 'memory-visualization', installed: true, complete: true },
  })
  expect(map.clusters.map(({ episode_ids }) => episode_ids.sort())).toEqual(
    expect.arrayContaining([gardening.sort(), travelling.sort()]),
  )
  const plants = map.clusters.find(({ topics }) => topics.includes('gardening'))
  expect(plants).toMatchObject({ size: 8, topics: ['gardening'], avg_importance: 0.9 })
  expect(plants?.label).toContain('gardening')
  expect(map.points).toHaveLength(16)
  for (const { x, y } of map.points) expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(1)
})

test('episodes have a cluster id, by which the list can be filtered', async () => {
  const host = await withPack()
  const { gardening } = await rememberBoth(host)
  const [first = ''] = gardening
  expect(await (await call(show, host, { params: { id: first } })).json()).toMatchObject({ cluster_id: null })
  const map = await ask(host, { n: '2' })
  const cluster = map.clusters.find(({ episode_ids }) => episode_ids.includes(first))
  expect(await (await call(show, host, { params: { id: first } })).json()).toMatchObject({
    cluster_id: cluster?.id,
  })

  const page = await call(list, host, { query: { cluster_id: cluster?.id ?? '', limit: '3' } })
  const { episodes, total } = (await page.json()) as { episodes: { id: string }[]; total: number }
  expect({ total, shown: episodes.length }).toEqual({ total: 8, shown: 3 })
  expect(gardening).toEqual(expect.arrayContaining(episodes.map(({ id }) => id)))
  const none = await call(list, host, { query: { cluster_id: 'cluster_gone' } })
  expect(await none.json()).toMatchObject({ episodes: [], total: 0 })
})

test('a map is cached until memory changes, and is deterministic', async () => {
  const host = await withPack()
  const { gardening } = await rememberBoth(host)
  const [map, other] = await Promise.all([ask(host), ask(host)])
  expect(other).toEqual(map)
  expect(await ask(host)).toEqual(map)

  const [forgotten = ''] = gardening
  await call(remove, host, { params: { id: forgotten } })
  const later = await ask(host)
  expect(later.points).toHaveLength(15)
  expect(later.clusters.flatMap(({ episode_ids }) => episode_ids)).not.toContain(forgotten)

  const twin = await withPack()
  await rememberBoth(twin)
  expect((await ask(twin)).points.map(({ x, y }) => [x, y])).toEqual(map.points.map(({ x, y }) => [x, y]))
})

test('the map of an agent contains its episodes only', async () => {
  const host = await withPack()
  await addAgents(host, 'agent_a')
  await rememberBoth(host)
  const own = await remember(
    host,
    garden.map((plant) => `Sells ${plant} on the market`),
    { agent_id: 'agent_a' },
  )
  await embed(host)
  const map = await ask(host, { n: '2', agent_id: 'agent_a' })
  expect(map.episodes_total).toBe(8)
  expect(map.points.map(({ episode_id }) => episode_id).sort()).toEqual(own.sort())
})

test.each(['1', '9', 'x'])('n = %s is refused', async (n) => {
  expect((await call(clusters, await withPack(), { query: { n } })).status).toBe(400)
})

test('labels are unique', async () => {
  const labels = new Labels()
  const [first, second, third, empty] = [0, 1, 2, 3]
  for (const group of [first, second, third])
    labels.add({ group, content: '', topics: ['boat', 'harbour', 'sail'], entities: [] })
  labels.add({ group: second, content: '', topics: ['winter'], entities: [] })
  for (const group of [empty, empty + 1]) labels.add({ group, content: '', topics: [], entities: [] })
  const told = [first, second, third, empty, empty + 1].map((group) => labels.of(group))

  expect(told[0]).toBe('boat, harbour, sail')
  expect(told[1]).toContain('winter')
  expect(told.slice(2)).toEqual(['boat, harbour, sail 2', 'Cluster 1', 'Cluster 2'])

  const host = await withPack()
  await remember(
    host,
    [...garden, ...train].map((word) => `${word} notes`),
    { topics: ['notes'] },
  )
  await embed(host)
  const { clusters: found } = await ask(host, { n: '8' })
  expect(new Set(found.map(({ label }) => label.toLowerCase())).size).toBe(found.length)
})

test('without a map the response says what is missing', async () => {
  const host = await withPack()
  expect(await ask(host)).toMatchObject({
    empty_reason: 'no_episodes',
    clusters: [],
    points: [],
    episodes_total: 0,
  })
  await remember(host, garden)
  expect(await ask(host)).toMatchObject({
    empty_reason: 'missing_embeddings',
    episodes_total: 8,
    episodes_embedded: 0,
  })
  await embed(host)
  expect(await ask(host)).toMatchObject({ empty_reason: null, episodes_embedded: 8 })

  const few = await withPack()
  await remember(few, garden.slice(0, 3))
  await embed(few)
  expect(await ask(few)).toMatchObject({ empty_reason: 'too_few_embeddings', episodes_embedded: 3 })
})

test('a missing embedder and a missing pack are reported', async () => {
  const host = await withPack()
  await remember(host, garden)
  await setEmbedding(host, 'none')
  expect(await ask(host)).toMatchObject({
    empty_reason: 'embeddings_unavailable',
    embeddings_installed: false,
  })

  const plain = await testHost()
  await remember(plain, garden)
  expect(await ask(plain)).toMatchObject({
    empty_reason: 'visualization_unavailable',
    visualization: { pack_id: 'memory-visualization', installed: false, complete: false },
  })
})

import { expect, test } from 'vitest'
import { remove, update } from '../../../handlers/memory/episodes.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { addEpisode } from '../../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../../runtime/memory/schema.ts'
import { embedPending } from '../../../runtime/memory/search/indexing.ts'
import { closestTo, similarTo } from '../../../runtime/memory/search/related.ts'
import { sampleVectors, wipeVectors } from '../../../runtime/memory/search/vector-store.ts'
import { memorySettings } from '../../../runtime/memory/settings.ts'
import { changeSection } from '../../../runtime/sections/section.ts'
import { addAgents } from '../../support/agents.ts'
import { call } from '../../support/call.ts'
import { peer, testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'

type Host = Awaited<ReturnType<typeof testHost>>

const contextFor = (host: Host) => contextOf(new Request('http://127.0.0.1:18781/'), host, peer)

async function add(host: Host, content: string, agent_id: string | null = null): Promise<string> {
  return (await addEpisode(contextFor(host), NewEpisode.parse({ content, agent_id }))).id
}

const count = async (host: Host, table: string) =>
  (await host.sql.read<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n

test('one unit of work embeds any number of new episodes', async () => {
  const host = await testHost()
  await add(host, 'the cat sleeps')
  await add(host, 'the dog barks')

  expect(await host.sql.read(`SELECT status FROM work WHERE kind = 'memory.index'`)).toEqual([{ status: 'queued' }])
  await workOff(host)
  expect(await count(host, 'episode_vectors')).toBe(2)
  expect(await count(host, 'vectors_pending')).toBe(0)
})

test('finds similar episodes within the filter, most similar first', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_a', 'agent_b')
  const cat = await add(host, 'the grey cat sleeps on the warm sofa', 'agent_a')
  const same = await add(host, 'the grey cat sleeps on the sofa', 'agent_a')
  const like = await add(host, 'the cat sleeps', 'agent_b')
  await add(host, 'quarterly numbers were sent to accounting', 'agent_b')
  await workOff(host)
  const found = await similarTo(host, cat, { limit: 2 })

  expect(found.map(({ id }) => id)).toEqual([same, like])
  expect(found[0]?.score).toBeGreaterThan(found[1]?.score ?? 1)
  expect(await similarTo(host, cat, { limit: 1, filter: { agent_id: 'agent_b' } })).toMatchObject([{ id: like }])
  expect(await similarTo(host, 'ep_none', { limit: 1 })).toEqual([])
})

test('finds the episode closest to a text', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_a', 'agent_b')
  expect(await closestTo(host, 'the cat sleeps')).toBeNull()
  const cat = await add(host, 'the cat sleeps', 'agent_a')
  await workOff(host)

  expect(await closestTo(host, 'the cat sleeps')).toEqual({ id: cat, score: expect.closeTo(1) })
  expect(await closestTo(host, 'the cat sleeps', { agent_id: 'agent_b' })).toBeNull()
  expect((await closestTo(host, 'bank transfer'))?.score ?? 0).toBeLessThan(0.5)
})

test('a changed episode has a new vector, a deleted one has none, and its row can be reused', async () => {
  const host = await testHost()
  const first = await add(host, 'the cat sleeps')
  const last = await add(host, 'quarterly numbers')
  await workOff(host)
  await closestTo(host, 'the index is in memory now')
  await call(update, host, { params: { id: first }, body: { content: 'apples and pears' } })
  await call(remove, host, { params: { id: last } })
  const next = await add(host, 'violin lessons on Monday')
  await workOff(host)

  expect((await closestTo(host, 'the cat sleeps'))?.score ?? 0).toBeLessThan(0.5)
  expect(await closestTo(host, 'apples and pears')).toMatchObject({ id: first })
  expect(await closestTo(host, 'violin lessons on Monday')).toMatchObject({ id: next })
  expect((await closestTo(host, 'quarterly numbers'))?.score ?? 0).toBeLessThan(0.5)
  const vectors = await sampleVectors(host, { filter: {}, model: 'local/words' })
  expect(vectors.map(({ id }) => id).toSorted()).toEqual([first, next].toSorted())
})

test('an episode that moved to another agent is found there only', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_a', 'agent_b')
  const id = await add(host, 'the cat sleeps', 'agent_a')
  await workOff(host)
  expect(await closestTo(host, 'the cat sleeps', { agent_id: 'agent_a' })).not.toBeNull()
  await call(update, host, { params: { id }, body: { agent_id: 'agent_b' } })

  expect(await closestTo(host, 'the cat sleeps', { agent_id: 'agent_a' })).toBeNull()
  expect(await closestTo(host, 'the cat sleeps', { agent_id: 'agent_b' })).toMatchObject({ id })
})

test('reports progress, stops on abort, and keeps what is done', async () => {
  const host = await testHost()
  for (let index = 0; index < 100; index += 1) await add(host, `episode number ${index}`)
  const stop = new AbortController()
  const steps: number[] = []
  const onProgress = ({ done, total }: { done: number; total: number }) => {
    steps.push(done, total)
    stop.abort(new Error('enough'))
  }
  const cut = embedPending({ ...contextFor(host), signal: stop.signal }, { onProgress })

  await expect(cut).rejects.toThrow('enough')
  expect(steps).toEqual([32, 100])
  expect(await count(host, 'episode_vectors')).toBe(32)
  expect(await embedPending(contextFor(host), { limit: 10 })).toEqual({ embedded: 10, failed: 0 })
  expect(await embedPending(contextFor(host))).toEqual({ embedded: 58, failed: 0 })
})

test('concurrent passes embed nothing twice, and each ends when all is done', async () => {
  const host = await testHost()
  for (let index = 0; index < 100; index += 1) await add(host, `episode number ${index}`)
  const waiting = async () => [await embedPending(contextFor(host)), await count(host, 'vectors_pending')]
  const passes = await Promise.all([waiting(), waiting()])
  const embedded = passes.map(([pass]) => (pass as { embedded: number }).embedded)

  expect(embedded.reduce((sum, one) => sum + one)).toBe(100)
  expect(passes.map(([, left]) => left)).toEqual([0, 0])
  expect(await count(host, 'episode_vectors')).toBe(100)
})

test('a new model embeds everything again', async () => {
  const host = await testHost()
  await add(host, 'the cat sleeps')
  await workOff(host)
  await closestTo(host, 'the cat sleeps')
  await changeSection(contextFor(host), memorySettings, { embedding: { provider: 'local', model: 'other' } })

  expect(await closestTo(host, 'the cat sleeps')).toBeNull()
  expect(await embedPending(contextFor(host))).toEqual({ embedded: 1, failed: 0 })
  expect(await closestTo(host, 'the cat sleeps')).not.toBeNull()
  expect(await host.sql.read('SELECT DISTINCT model FROM episode_vectors')).toEqual([{ model: 'local/other' }])
})

test('without an embedder there are no vectors, and the result says why', async () => {
  const host = await testHost()
  const id = await add(host, 'the cat sleeps')
  await changeSection(contextFor(host), memorySettings, { embedding: { provider: 'none', model: null } })

  expect(await embedPending(contextFor(host))).toMatchObject({ embedded: 0, warning: expect.any(String) })
  expect(await closestTo(host, 'the cat sleeps')).toBeNull()
  expect(await similarTo(host, id, { limit: 3 })).toEqual([])
  expect(await sampleVectors(host, { filter: {}, model: 'local/words' })).toEqual([])
})

test('a long text is similar to each of its parts', async () => {
  const host = await testHost()
  const long = await add(host, `${'They talked about the weather of the week. '.repeat(60)}The violin is blue.`)
  await workOff(host)

  expect(await count(host, 'episode_vectors')).toBe(2)
  expect(await closestTo(host, 'The violin is blue.')).toMatchObject({ id: long })
})

test('a wipe removes every vector, also from memory', async () => {
  const host = await testHost()
  await add(host, 'the cat sleeps')
  await workOff(host)
  expect(await closestTo(host, 'the cat sleeps')).not.toBeNull()
  await contextFor(host).commit([...wipeVectors(), { sql: 'DELETE FROM episodes' }])

  expect(await closestTo(host, 'the cat sleeps')).toBeNull()
  expect(await count(host, 'conversation_pieces')).toBe(0)
  expect(await count(host, 'vectors_pending')).toBe(0)
})

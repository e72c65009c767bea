import { expect, test } from 'vitest'
import { create, feedback, history, related, remove, restore, show, update } from '../../handlers/memory/episodes.ts'
import { search, stats } from '../../handlers/memory/search.ts'
import type { Host } from '../../runtime/host.ts'
import type { Episode, EpisodeVersion } from '../../runtime/memory/schema.ts'
import { day } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'

const add = async (host: Host, body: Record<string, unknown>): Promise<Episode> =>
  (await call(create, host, { body })).json()

const versions = async (host: Host, id: string): Promise<EpisodeVersion[]> =>
  (await (await call(history, host, { params: { id } })).json()).versions

test('every change saves the previous version and its author', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'Ana lives in Lisbon', topics: ['ana'] })
  await call(update, host, { params: { id }, body: { content: 'Ana lives in Porto' } })
  await call(update, host, { params: { id }, body: { importance: 0.9 } })

  const kept = await versions(host, id)
  expect(
    kept.map(({ version, change, changed_by, episode }) => [version, change, changed_by, episode.content]),
  ).toEqual([
    [2, 'updated', 'test', 'Ana lives in Porto'],
    [1, 'updated', 'test', 'Ana lives in Lisbon'],
  ])
  expect(kept[1]?.episode).toMatchObject({ id, topics: ['ana'], trust: 'owner', importance: 0.5 })
})

test('a change can be undone, and so can the undo', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'Ana lives in Lisbon' })
  await call(update, host, { params: { id }, body: { content: 'Ana lives in Porto' } })
  const undone = await call(restore, host, { params: { id } })
  expect(await undone.json()).toMatchObject({ id, content: 'Ana lives in Lisbon' })
  const found = await (await call(search, host, { query: { q: 'Lisbon', mode: 'keyword' } })).json()
  expect(found.total).toBe(1)

  await call(restore, host, { params: { id } })
  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject({
    content: 'Ana lives in Porto',
  })
  await call(restore, host, { params: { id }, body: { version: 1 } })
  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject({
    content: 'Ana lives in Lisbon',
  })
  expect(host.events).toContain('memory.episode.restored')
})

test('a deleted episode can be restored for 30 days', async () => {
  const host = await testHost()
  const episode = await add(host, { content: 'Ana lives in Lisbon', topics: ['ana'], importance: 0.8 })
  const params = { id: episode.id }
  await call(remove, host, { params })
  expect((await call(show, host, { params })).status).toBe(404)
  const back = await call(restore, host, { params })
  expect(await back.json()).toMatchObject({ ...episode, updated_at: expect.any(String) })
  expect((await call(show, host, { params })).status).toBe(200)

  await call(remove, host, { params })
  await host.clock.advance(31 * day)
  expect((await call(restore, host, { params })).status).toBe(404)
})

test('an episode deleted forever has no versions', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'Ana lives in Lisbon' })
  await call(update, host, { params: { id }, body: { content: 'Ana lives in Porto' } })
  await call(remove, host, { params: { id }, query: { forever: 'true' } })

  expect((await call(history, host, { params: { id } })).status).toBe(404)
  expect(await host.sql.read('SELECT * FROM episode_versions')).toEqual([])
})

test('the latest twenty versions are kept for 30 days', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'Version 0' })
  for (let number = 1; number <= 25; number += 1)
    await call(update, host, { params: { id }, body: { content: `Version ${number}` } })
  const kept = await versions(host, id)
  expect([kept.length, kept[0]?.episode.content, kept.at(-1)?.episode.content]).toEqual([20, 'Version 24', 'Version 5'])

  await host.clock.advance(32 * day)
  await workOff(host)
  expect(await host.sql.read('SELECT * FROM episode_versions')).toEqual([])
})

test('nothing to undo is a 409, an unknown version or episode a 404', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'Ana lives in Lisbon' })

  expect((await call(restore, host, { params: { id } })).status).toBe(409)
  expect((await call(restore, host, { params: { id }, body: { version: 7 } })).status).toBe(404)
  expect((await call(restore, host, { params: { id: 'ep_none' } })).status).toBe(404)
  expect((await call(history, host, { params: { id: 'ep_none' } })).status).toBe(404)
})

test('feedback is counted and shown in the statistics', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'Ana lives in Lisbon', importance: 0.95 })
  await call(feedback, host, { params: { id }, body: { used: true } })
  await call(feedback, host, { params: { id }, body: { used: true } })
  const last = await call(feedback, host, { params: { id }, body: { used: false } })

  expect(await last.json()).toEqual({ episode_id: id, recalled: 0, used: 2, ignored: 1 })
  const told = await (await call(stats, host)).json()
  expect(told).toMatchObject({ total_episodes: 1, source_distribution: { manual: 1 } })
  expect(told.recall_feedback).toEqual({
    total_recalls: 0,
    used_count: 2,
    ignored_count: 1,
    usage_rate: 2 / 3,
  })
  expect(told.importance_distribution).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 1])
  expect((await call(feedback, host, { params: { id: 'ep_none' }, body: { used: true } })).status).toBe(404)
})

test('related episodes are listed with the reason', async () => {
  const host = await testHost()
  const { id } = await add(host, { content: 'The boiler leaks in the cellar', topics: ['boiler'] })
  const alike = await add(host, {
    content: 'The boiler leaks in the cellar again',
    topics: ['boiler', 'house'],
  })
  await host.clock.advance(10 * day)
  const topic = await add(host, { content: 'Novak was paid', topics: ['boiler'] })
  const other = await add(host, { content: 'Ana likes tea' })
  await workOff(host)
  const { related: found, episode_id } = await (await call(related, host, { params: { id } })).json()
  const reasons = new Map(found.map((one: { episode: Episode; reason: string }) => [one.episode.id, one.reason]))

  expect(episode_id).toBe(id)
  expect(found[0].episode.id).toBe(alike.id)
  expect(reasons.get(alike.id)).toBe('semantic')
  expect(reasons.get(topic.id)).toBe('topic')
  expect(reasons.has(other.id)).toBe(false)
  expect(found.every(({ score }: { score: number }) => score > 0 && score <= 1)).toBe(true)
  expect((await call(related, host, { params: { id: 'ep_none' } })).status).toBe(404)
})

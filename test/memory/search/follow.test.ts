import { expect, test } from 'vitest'
import { feedback, remove, update } from '../../../handlers/memory/episodes.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { addEpisode } from '../../../runtime/memory/episodes.ts'
import { clearMemory } from '../../../runtime/memory/maintenance/wipe.ts'
import { NewEpisode, type SearchMode } from '../../../runtime/memory/schema.ts'
import { searchEpisodes } from '../../../runtime/memory/search/search.ts'
import { searchState } from '../../../runtime/memory/state.ts'
import type { EpisodeFilter } from '../../../runtime/memory/store.ts'
import { addAgents } from '../../support/agents.ts'
import { call } from '../../support/call.ts'
import { peer, testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'

type Host = Awaited<ReturnType<typeof testHost>>

const contextFor = (host: Host) => contextOf(new Request('http://127.0.0.1:18781/'), host, peer)

const add = async (host: Host, content: string, agent_id: string | null = null) =>
  (await addEpisode(contextFor(host), NewEpisode.parse({ content, agent_id }))).id

async function found(host: Host, q: string, mode: SearchMode, filter: EpisodeFilter = {}): Promise<string[]> {
  const { results } = await searchEpisodes(host, { q, mode, filter, limit: 10, offset: 0 })
  return results.map(({ episode }) => episode.content)
}

test.each(['hybrid', 'semantic'] as const)(
  '%s in one daemon finds what another has added, changed, moved and deleted',
  async (mode) => {
    const one = await testHost()
    await addAgents(one, 'agent_a', 'agent_b')
    const other = await testHost({ sql: one.sql })
    const cat = await add(one, 'the grey cat sleeps', 'agent_a')
    const dog = await add(one, 'the brown dog barks', 'agent_a')
    await workOff(one)
    expect((await found(other, 'grey cat sleeps', mode))[0]).toBe('the grey cat sleeps')

    await call(update, one, { params: { id: cat }, body: { content: 'violin lessons on Monday' } })
    await call(update, one, { params: { id: dog }, body: { agent_id: 'agent_b' } })
    await workOff(one)
    expect((await found(other, 'violin lessons', mode))[0]).toBe('violin lessons on Monday')
    expect(await found(other, 'grey cat sleeps', mode)).not.toContain('the grey cat sleeps')
    expect(await found(other, 'brown dog barks', mode, { agent_id: 'agent_a' })).not.toContain('the brown dog barks')
    expect(await found(other, 'brown dog barks', mode, { agent_id: 'agent_b' })).toEqual(['the brown dog barks'])

    await call(remove, one, { params: { id: dog } })
    await add(one, 'tea with milk')
    await workOff(one)
    expect(await found(other, 'brown dog barks', mode)).not.toContain('the brown dog barks')
    expect((await found(other, 'tea with milk', mode))[0]).toBe('tea with milk')

    await clearMemory(contextFor(one))
    expect(await found(other, 'tea with milk', mode)).toEqual([])
    await add(one, 'a cup of coffee')
    await workOff(one)
    expect(await found(other, 'cup of coffee', mode)).toEqual(['a cup of coffee'])
  },
)

test('episodes that answers used rank before equal ones, and ignored episodes after them', async () => {
  const host = await testHost()
  const ids: string[] = []
  for (const colour of ['blue', 'teal', 'grey']) ids.push(await add(host, `the boat is ${colour}`))
  await workOff(host)
  const [blue, , grey] = ids
  await call(feedback, host, { params: { id: blue ?? '' }, body: { used: true } })
  await call(feedback, host, { params: { id: grey ?? '' }, body: { used: false } })
  const { results } = await searchEpisodes(host, {
    q: 'boat',
    mode: 'hybrid',
    filter: {},
    limit: 3,
    offset: 0,
  })

  expect(results.map(({ episode }) => episode.content)).toEqual([
    'the boat is blue',
    'the boat is teal',
    'the boat is grey',
  ])
  for (const { score } of results) expect(score).toBeLessThanOrEqual(1)
})

test.each(['hybrid', 'semantic'] as const)(
  '%s frees most of its memory after a quarter of an hour without a search, and finds the same afterwards',
  async (mode) => {
    const host = await testHost()
    const texts = ['the grey cat sleeps', 'the brown dog barks', 'tea with milk', 'the cat has tea']
    for (const content of texts) await add(host, content)
    await workOff(host)
    const index = searchState(host).index('local/words')
    const before = await found(host, 'a cat and tea', mode)
    const { bytes } = index
    await host.clock.advance(16 * 60_000)
    expect(index.bytes).toBeLessThan(bytes / 2)

    expect(await found(host, 'a cat and tea', mode)).toEqual(before)
    expect(index.bytes).toBe(bytes)
  },
)

import { expect, test } from 'vitest'
import { createWordEmbedder, noEmbedder } from '../../../adapters/memory/embedder.ts'
import { create } from '../../../handlers/memory/episodes.ts'
import { contextOf } from '../../../runtime/http/serve.ts'
import { addEpisode } from '../../../runtime/memory/episodes.ts'
import { NewEpisode } from '../../../runtime/memory/schema.ts'
import { EmbeddingError } from '../../../runtime/ports/embedder.ts'
import { call } from '../../support/call.ts'
import { peer, testHost } from '../../support/host.ts'
import { workOff } from '../../support/work.ts'
import { contents, find, hostWith } from './support.ts'

test.each(['hybrid', 'semantic'])('%s without embeddings says that it searched by keyword, and why', async (mode) => {
  const host = await testHost({ embedder: noEmbedder })
  await call(create, host, { body: { content: 'green tea' } })

  expect(await find(host, 'tea', { mode })).toMatchObject({
    mode: 'keyword',
    degraded: 'embeddings_unavailable',
    total: 1,
  })
})

test('reports that some episodes are not embedded yet', async () => {
  const host = await hostWith('green tea', 'a cup of coffee')

  expect(await find(host, 'tea')).toMatchObject({ mode: 'keyword', degraded: 'embeddings_incomplete' })
  await workOff(host)
  expect(await find(host, 'tea')).not.toHaveProperty('degraded')
  await call(create, host, { body: { content: 'black tea' } })
  expect(await find(host, 'tea')).toMatchObject({
    mode: 'hybrid',
    degraded: 'embeddings_incomplete',
  })
})

test('does not wait for a slow embedder, and uses its vector the next time', async () => {
  const embedder = createWordEmbedder()
  const slow = Promise.withResolvers<void>()
  const host = await testHost({
    embedder: {
      ...embedder,
      async embed(request) {
        if (request.purpose === 'query') await slow.promise
        return embedder.embed(request)
      },
    },
  })
  await call(create, host, { body: { content: 'green tea' } })
  await workOff(host)
  const first = find(host, 'tea')
  await host.clock.advance(300)

  expect(await first).toMatchObject({ mode: 'keyword', degraded: 'embeddings_loading', total: 1 })
  slow.resolve()
  expect(await find(host, 'tea')).toMatchObject({ mode: 'hybrid', total: 1 })
})

test('a failing embedder degrades the search to keywords', async () => {
  const embedder = createWordEmbedder()
  const host = await testHost({
    embedder: {
      ...embedder,
      async embed(request) {
        if (request.purpose === 'query') throw new EmbeddingError('no credit left')
        return embedder.embed(request)
      },
    },
  })
  await call(create, host, { body: { content: 'green tea' } })
  await workOff(host)

  expect(await find(host, 'tea')).toMatchObject({
    mode: 'keyword',
    degraded: 'embeddings_unavailable',
    total: 1,
  })
})

test('hybrid reports whether keywords, vectors or both found an episode', async () => {
  const host = await hostWith('green tea with milk', 'quarterly numbers')
  await workOff(host)
  const { results } = await find(host, 'tea with milk')

  expect(results[0]).toMatchObject({ source: 'both', episode: { content: 'green tea with milk' } })
})

test('semantic finds by vectors only', async () => {
  const host = await hostWith('green tea with milk', 'quarterly numbers')
  await workOff(host)
  const found = await find(host, 'tea with milk', { mode: 'semantic' })

  expect(found).toMatchObject({ mode: 'semantic' })
  expect(found.results[0]).toMatchObject({ source: 'semantic', episode: { content: 'green tea with milk' } })
  expect(found.results[0]?.score).toBeGreaterThan(0.5)
})

test('an answer is found next to its question', async () => {
  const host = await testHost()
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const talk = ['Where did you put the violin?', 'Under the stairs, behind the boxes', 'Lunch is ready']
  const provenance = { conversation_id: 'conv_1', message_id: null, channel: null, url: null }
  for (const content of talk) await addEpisode(context, { ...NewEpisode.parse({ content }), provenance })
  await workOff(host)
  const found = await find(host, 'Where is the violin?')

  expect(contents(found)).toContain('Under the stairs, behind the boxes')
  expect(contents(found).indexOf('Under the stairs, behind the boxes')).toBeLessThan(2)
  expect(contents(await find(host, 'Where is the violin?', { mode: 'keyword' }))).toEqual([
    'Where did you put the violin?',
  ])
})

test('keyword is not degraded', async () => {
  expect(await find(await hostWith('green tea'), 'tea', { mode: 'keyword' })).not.toHaveProperty('degraded')
})

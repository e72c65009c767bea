import Database from 'libsql'
import { expect, test } from 'vitest'
import { LocalSql } from '../../adapters/libsql/local.ts'
import { createWordEmbedder, noEmbedder } from '../../adapters/memory/embedder.ts'
import { create, update } from '../../handlers/memory/episodes.ts'
import { search } from '../../handlers/memory/search.ts'
import { addAgent } from '../../runtime/agents/agents.ts'
import { NewAgent } from '../../runtime/agents/schema.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import { addEpisode } from '../../runtime/memory/episodes.ts'
import { NewEpisode, SearchResponse } from '../../runtime/memory/schema.ts'
import { visibleTo } from '../../runtime/memory/search.ts'
import { memorySettings } from '../../runtime/memory/settings.ts'
import { memorySigns } from '../../runtime/migrations/0021-memory-signs.ts'
import { EmbeddingError } from '../../runtime/ports/embedder.ts'
import { changeSection } from '../../runtime/settings/section.ts'
import { call } from '../support/call.ts'
import { peer, testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'

type Host = Awaited<ReturnType<typeof testHost>>

async function hostWith(...contents: string[]): Promise<Host> {
  const host = await testHost()
  for (const content of contents) await call(create, host, { body: { content } })
  return host
}

async function find(host: Host, q: string, query: Record<string, string> = {}): Promise<SearchResponse> {
  const response = await call(search, host, { query: { q, ...query } })
  expect(response.status).toBe(200)
  return SearchResponse.parse(await response.json())
}

const contents = ({ results }: SearchResponse): string[] => results.map(({ episode }) => episode.content)

test('answers a question with what has its words, best first, between 0 and 1', async () => {
  const host = await hostWith(
    'Anna sails a boat',
    'Anna has a boat named Boaty, a boat of wood',
    'Ben likes tea',
  )
  const found = await find(host, "What is the name of Anna's boat?")

  expect(contents(found)).toEqual(['Anna has a boat named Boaty, a boat of wood', 'Anna sails a boat'])
  expect(found.total).toBe(2)
  for (const { score, source } of found.results) {
    expect(source).toBe('keyword')
    expect(score).toBeGreaterThan(0)
    expect(score).toBeLessThanOrEqual(1)
  }
})

test('finds other forms of a word, and a topic', async () => {
  const host = await hostWith('She was running in the park')
  await call(create, host, { body: { content: 'Rex barks', topics: ['pets & dogs'] } })

  expect(contents(await find(host, 'runs'))).toEqual(['She was running in the park'])
  const [dog] = (await find(host, 'dog')).results
  expect(dog).toMatchObject({
    episode: { content: 'Rex barks', entities: [] },
    highlights: ['pets &amp; <mark>dogs</mark>'],
  })
})

test('highlights what matched, and nothing in it is markup but the marks', async () => {
  const host = await hostWith(`The <img src=x onerror="alert('tea')"> of green tea`)
  const { results } = await find(host, 'tea')

  expect(results[0]?.highlights).toEqual([
    'The &lt;img src=x onerror=&quot;alert(&#39;<mark>tea</mark>&#39;)&quot;&gt; of green <mark>tea</mark>',
  ])
})

test.each([
  ["what's up", ["What's up with the boiler: it leaks"]],
  ['user-id', ['The user-id is 42']],
  ['C++', ['He writes C++ daily']],
  ['*', []],
  ['"', []],
  ['" OR 1=1 --', []],
  ['"unbalanced leaks', ["What's up with the boiler: it leaks"]],
  ['NEAR(', []],
  ['NOT AND OR', []],
  ['content : leaks', ["What's up with the boiler: it leaks"]],
  ['🎉', ['Party on Friday 🎉']],
  ['🎂', []],
  ['寿司', ['父は寿司が大好きです']],
  ['お父さんの好きな食べ物は寿司ですか', ['父は寿司が大好きです']],
  ['{leaks}', ["What's up with the boiler: it leaks"]],
  ['leaks '.repeat(1_666), ["What's up with the boiler: it leaks"]],
  ['x'.repeat(10_000), []],
])('finds the sensible thing for %j', async (q, expected) => {
  const host = await hostWith(
    "What's up with the boiler: it leaks",
    'The user-id is 42',
    'He writes C++ daily',
    '父は寿司が大好きです',
    'Party on Friday 🎉',
  )
  expect(contents(await find(host, q))).toEqual(expected)
})

test('marks what was found in a script without spaces', async () => {
  const { results } = await find(await hostWith('父は寿司が大好きです', '母は天ぷら'), '寿司が好き')

  expect(results.map(({ highlights }) => highlights)).toEqual([
    ['父は<mark>寿司が</mark>大<mark>好き</mark>です'],
  ])
})

test('marks an emoji whole, whatever its colour, and a family for one of its members', async () => {
  const host = await hostWith('Well done 👍🏽 Ada', 'Sunday with 👨‍👩‍👧 and Rex', 'Trip to 🇩🇪', 'I ❤️ tea')
  const marked = async (q: string) => (await find(host, q)).results.flatMap(({ highlights }) => highlights)

  expect(await marked('👍')).toEqual(['Well done <mark>👍🏽</mark> Ada'])
  expect(await marked('👩')).toEqual(['Sunday with <mark>👨‍👩‍👧</mark> and Rex'])
  expect(await marked('👨‍👩‍👧')).toEqual(['Sunday with <mark>👨‍👩‍👧</mark> and Rex'])
  expect(await marked('🇩🇪')).toEqual(['Trip to <mark>🇩🇪</mark>'])
  expect(await marked('🇫🇷')).toEqual([])
  expect(await marked('❤')).toEqual(['I <mark>❤️</mark> tea'])
})

test.each([
  ['C++', 'He writes C++ daily'],
  ['.NET', 'The service runs on .NET 9'],
  ['C#', 'A song in C# minor'],
  ['version 2.10.1', 'The boiler runs version 2.10.1'],
  ['/etc/nginx/nginx.conf', 'Edit /etc/nginx/nginx.conf first'],
  ['ada@example.org', 'Write to ada@example.org'],
  ['2024-05-17', 'Born on 2024-05-17'],
  ['서울', '서울에서 살아요'],
  ['Москва', 'Я живу в Москве'],
  ['AT&T', 'AT&T sends the bill'],
  ['cafe', 'The café is closed'],
])('%s finds what has it whole before what has a part of it', async (q, first) => {
  const host = await hostWith(
    first,
    'Vitamin C, C and C again, net of tax: version 10, 2, 1 of 17 05 2024',
    'Ada at the org, for example nginx conf etc',
    'The net result of c',
  )
  expect(contents(await find(host, q))[0]).toBe(first)
})

test('finds emoji and Korean in episodes of an earlier release', async () => {
  const host = await hostWith('Cake 🎂', '서울에서 살아요', '父は寿司が大好きです', 'plain words')
  await host.sql.write([{ sql: "UPDATE episodes SET pairs = ''" }])
  expect((await find(host, '🎂', { mode: 'keyword' })).total).toBe(0)
  await host.sql.write(memorySigns.statements.map((sql) => ({ sql })))
  await workOff(host)

  for (const [q, total] of [
    ['🎂', 1],
    ['서울', 1],
    ['寿司', 1],
  ] as const)
    expect((await find(host, q, { mode: 'keyword' })).total).toBe(total)
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

test('a bad date is refused with what a good one looks like', async () => {
  const response = await call(search, await testHost(), { query: { q: 'tea', start_date: 'yesterday' } })

  expect(await response.json()).toMatchObject({
    message: 'start_date: must be an ISO 8601 date or time such as 2026-01-31 or 2026-01-31T09:00:00Z',
  })
})

test.each(['hybrid', 'semantic'])(
  '%s without embeddings says that it searched by keyword, and why',
  async (mode) => {
    const host = await testHost({ embedder: noEmbedder })
    await call(create, host, { body: { content: 'green tea' } })

    expect(await find(host, 'tea', { mode })).toMatchObject({
      mode: 'keyword',
      degraded: 'embeddings_unavailable',
      total: 1,
    })
  },
)

test('says so while some episodes are not embedded yet', async () => {
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

test('does not wait for a slow embedder, and has its answer the next time', async () => {
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

test('an embedder that fails leaves the search to words', async () => {
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

test('hybrid says which of words and meaning has found an episode', async () => {
  const host = await hostWith('green tea with milk', 'quarterly numbers')
  await workOff(host)
  const { results } = await find(host, 'tea with milk')

  expect(results[0]).toMatchObject({ source: 'both', episode: { content: 'green tea with milk' } })
})

test('semantic finds by meaning alone', async () => {
  const host = await hostWith('green tea with milk', 'quarterly numbers')
  await workOff(host)
  const found = await find(host, 'tea with milk', { mode: 'semantic' })

  expect(found).toMatchObject({ mode: 'semantic' })
  expect(found.results[0]).toMatchObject({ source: 'semantic', episode: { content: 'green tea with milk' } })
  expect(found.results[0]?.score).toBeGreaterThan(0.5)
})

test('the answer is found beside the question that it answers', async () => {
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

test('filters by source, agent and dates before it ranks', async () => {
  const host = await testHost()
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
    contents(
      await find(host, 'tea', { start_date: '2026-01-05T14:00:00+02:00', end_date: '2026-01-05T12:00:00Z' }),
    ),
  ).toEqual(['tea in January'])
  expect(contents(await find(host, 'tea', { start_date: '2026-01-05T14:00:00.001+02:00' }))).toEqual([
    'tea tea tea in February',
  ])
})

test.each(['hybrid', 'keyword', 'semantic'])(
  '%s tells the same total on every page, also beyond the last',
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

test('a time behind the year 9999 is behind everything', async () => {
  const host = await hostWith('tea')
  expect((await find(host, 'tea', { start_date: '9999-12-31T23:59:59-12:00' })).total).toBe(0)
  expect((await find(host, 'tea', { end_date: '9999-12-31T23:59:59-12:00' })).total).toBe(1)
})

test('age and importance decide between equals, and no more', async () => {
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

test('pages follow one another without loss or repetition', async () => {
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

test('finds the new words of a changed episode and not the old', async () => {
  const host = await hostWith('likes tea')
  const { results } = await find(host, 'tea')
  await call(update, host, {
    params: { id: results[0]?.episode.id ?? '' },
    body: { content: 'likes coffee' },
  })

  expect((await find(host, 'tea')).total).toBe(0)
  expect((await find(host, 'coffee')).total).toBe(1)
})

test('finds and marks the same in the database that ships', async () => {
  const sql = new LocalSql(new Database(':memory:'), async () => ({ bytes: 0, wal_bytes: 0 }))
  const host = await testHost({ sql })
  for (const content of ['Anna has a boat', '父は寿司が大好きです'])
    await call(create, host, { body: { content } })
  const marked = async (q: string) =>
    (await find(host, q, { source: 'manual' })).results.map(({ highlights }) => highlights)

  expect(await marked('whose boat?')).toEqual([['Anna has a <mark>boat</mark>']])
  expect(await marked('寿司')).toEqual([['父は<mark>寿司</mark>が大好きです']])
  await sql.close()
})

test('an agent sees its own episodes; sharing ones see those of all who share', async () => {
  const host = await testHost()
  const context = contextOf(new Request('http://127.0.0.1:18781/'), host, peer)
  const add = (name: string, scope: string) => addAgent(context, NewAgent.parse({ name, memory: { scope } }))
  const [hermit, one, two] = [
    await add('Hermit', 'own'),
    await add('One', 'shared'),
    await add('Two', 'shared'),
  ]

  expect(await visibleTo(host, hermit)).toEqual([hermit.id])
  expect((await visibleTo(host, one)).toSorted()).toEqual([one.id, two.id].toSorted())
  await changeSection(context, memorySettings, { share_between_agents: false })
  expect(await visibleTo(host, one)).toEqual([one.id])
})

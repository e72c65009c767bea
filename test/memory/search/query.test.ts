import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryHost } from '../../../adapters/memory/host.ts'
import { areas } from '../../../handlers/index.ts'
import { keywordQuery } from '../../../runtime/memory/search/query.ts'
import { timeNamedIn } from '../../../runtime/memory/search/question.ts'
import { searchEpisodes } from '../../../runtime/memory/search/search.ts'
import { withoutCommonWords } from '../../../runtime/memory/search/search-store.ts'
import { character } from '../../support/characters.ts'
import { testHost } from '../../support/host.ts'

test.each([
  ['what did Anna say about the boat?', '"anna" OR "say" OR "boat"'],
  ["what's up", '"up"'],
  ['user-id', '"user id" OR "user" OR "id"'],
  ['who is ada@example.org?', '"ada example org" OR "ada" OR "example" OR "org"'],
  ['"quoted" AND (NEAR', '"quoted" OR "near"'],
  ['AT&T', '"at t"'],
  ['Москва', '"москва" OR "москв"*'],
  ['tea tea TEA', '"tea"'],
  ['content:secret^2 *', '"content secret 2" OR "content" OR "secret" OR "2"'],
  ['naïve café', '"naïve" OR "café"'],
  ['हिन्दी', '"हिन्दी"'],
])('%s is searched as %s', (text, expression) => {
  expect(keywordQuery(text)).toMatchObject({ kind: 'words', expression })
})

test.each(['', ' ', '*', '???', '" "', 'what is it'])('%j matches nothing', (text) => {
  expect(keywordQuery(text)).toEqual({ kind: 'empty' })
})

test('scripts without spaces are searched by bigrams', () => {
  expect(keywordQuery('寿司が好き')).toEqual({
    kind: 'fragments',
    fragments: ['寿司', '司が', 'が好', '好き'],
    words: [],
  })
  expect(keywordQuery('Tokyoの寿司')).toEqual({
    kind: 'fragments',
    fragments: ['の寿', '寿司'],
    words: ['tokyo'],
  })
})

test.each([
  ['🎉🎉', ['🎉'], []],
  ['party 👍🏽 ❤️', ['👍', '❤'], ['party']],
  ['👨‍👩‍👧 🇩🇪', ['👨‍👩‍👧', '🇩🇪'], []],
  ['C++ or C#?', ['c++', 'c#'], ['c']],
  ['.NET', ['.net'], ['net']],
])('symbols of %s are searched in addition to its words', (text, fragments, words) => {
  expect(keywordQuery(text)).toEqual({ kind: 'fragments', fragments, words })
})

test('a pasted page becomes a limited query', () => {
  const page = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(' ')
  const query = keywordQuery(page)

  expect(query.kind === 'words' && query.expression.split(' OR ')).toHaveLength(32)
})

test('no text is a syntax error', async () => {
  const host = await createMemoryHost(areas)
  const search = (q: string) => searchEpisodes(host, { q, mode: 'keyword', filter: {}, limit: 5, offset: 0 })
  const text = fc.oneof(fc.string({ unit: character, maxLength: 40 }), fc.string({ unit: 'grapheme', maxLength: 40 }))

  const answers = fc.asyncProperty(text, async (q) => (await search(q)).query === q)
  await fc.assert(answers, { numRuns: 2_000 })
})

type Host = Awaited<ReturnType<typeof testHost>>

/** Stored past all rules, for only their number and their words matter here. */
const fill = (host: Host, from: number, to: number, content: string) =>
  host.sql.write([
    {
      sql: `WITH RECURSIVE numbers (n) AS (SELECT ? UNION ALL SELECT n + 1 FROM numbers WHERE n < ?)
        INSERT INTO episodes (id, source, created_at, updated_at, valence, importance, access_count, trust, topics, content)
        SELECT 'ep_' || n, 'manual', '2026-01-05T12:00:00.000Z', '2026-01-05T12:00:00.000Z', 0, 0.5, 0, 'owner', '[]',
          ? || n FROM numbers`,
      args: [from, to, content],
    },
  ])

const wordsOf = async (host: Host, text: string) => {
  const query = await withoutCommonWords(host, keywordQuery(text))
  return query.kind === 'words' ? query.words : query
}

test('common words are ignored in a large memory, unless the query has no others', async () => {
  const host = await testHost()
  await fill(host, 1, 100, 'We talked of tea ')
  expect(await wordsOf(host, 'talked of boats')).toEqual(['talked', 'boats'])

  await fill(host, 101, 20_000, 'We talked of tea ')
  expect(await wordsOf(host, 'talked of boats')).toEqual(['boats'])
  expect(await wordsOf(host, 'talked tea')).toEqual(['talked', 'tea'])
  expect(await wordsOf(host, 'boats and anchors')).toEqual(['boats', 'anchors'])
  expect(await wordsOf(host, '父は寿司')).toMatchObject({ kind: 'fragments' })

  await fill(host, 20_001, 24_000, 'Boats and anchors ')
  expect(await wordsOf(host, 'talking boats')).toEqual(['boats'])
  await fill(host, 24_001, 40_000, 'Boats and anchors ')
  expect(await wordsOf(host, 'boats at anchor 7')).toEqual(['7'])
})

const now = Date.parse('2026-03-18T10:00:00Z')
const share = (question: string, at: string) => timeNamedIn(question, now)?.share(Date.parse(at))

test.each([
  ['What did Ada paint on 3 May 2025?', '2025-05-03T20:00:00Z', 1],
  ['What did Ada paint on May 3rd, 2025?', '2025-05-04T20:00:00Z', 1],
  ['What did Ada paint on May 3rd, 2025?', '2025-05-08T20:00:00Z', 0.4],
  ['What did Ada paint on the 3rd of May 2025?', '2025-06-03T20:00:00Z', 0],
  ['What did Ada paint on 2025-05-03?', '2025-05-03T08:00:00Z', 1],
  ['What did Ada paint on 3 May 2025?', '2024-05-03T20:00:00Z', 0],
  ['Where was she in june?', '2025-06-29T20:00:00Z', 1],
  ['Where was she in june?', '2024-06-29T20:00:00Z', 1],
  ['Where was she in june?', '2025-07-15T20:00:00Z', 0],
  ['Where was she in December 2024?', '2024-12-01T20:00:00Z', 1],
  ['Where was she in December 2024?', '2025-12-01T20:00:00Z', 0],
  ['what did I say yesterday', '2026-03-17T12:00:00Z', 1],
  ['what did I say yesterday', '2026-02-17T12:00:00Z', 0],
  ['what did I say last week', '2026-03-09T00:00:00Z', 1],
  ['what did I say last week', '2026-02-27T00:00:00Z', 0],
  ['what did I say last month', '2026-02-01T00:00:00Z', 1],
] as const)('%s: %s is near by %d', (question, at, expected) => {
  expect(share(question, at)).toBe(expected)
})

test.each([
  'May I ask where she lives?',
  'what may it be?',
  'who did march for the veterans',
  'who was there in 2025?',
  'Which bus is the 12?',
  'did 45 march for the veterans',
])('%s contains no time', (question) => {
  expect(timeNamedIn(question, now)).toBeNull()
})

test.each([
  ['in February', '2026-02-01', '2026-03-01'],
  ['in June', '2025-06-01', '2025-07-01'],
  ['on 3 May 2024', '2024-05-03', '2024-05-04'],
  ['on May 45', '2025-05-01', '2025-06-01'],
  ['last month', '2026-02-01', '2026-03-01'],
  ['this week', '2026-03-16', '2026-03-23'],
])('%s is from %s until %s', (text, from, until) => {
  expect(timeNamedIn(`what happened ${text}`, now)?.span).toEqual({
    from: Date.parse(from),
    until: Date.parse(until),
  })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createMemoryHost } from '../../adapters/memory/host.ts'
import { areas } from '../../handlers/index.ts'
import { keywordQuery } from '../../runtime/memory/search/query.ts'
import { searchEpisodes } from '../../runtime/memory/search/search.ts'

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
])('%s is looked for as %s', (text, expression) => {
  expect(keywordQuery(text)).toMatchObject({ kind: 'words', expression })
})

test.each(['', ' ', '*', '???', '" "', 'what is it'])('%j looks for nothing', (text) => {
  expect(keywordQuery(text)).toEqual({ kind: 'empty' })
})

test('scripts without spaces are looked for by pairs of characters', () => {
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
])('the signs of %s are looked for beside its words', (text, fragments, words) => {
  expect(keywordQuery(text)).toEqual({ kind: 'fragments', fragments, words })
})

test('a pasted page becomes a bounded query', () => {
  const page = Array.from({ length: 2_000 }, (_, index) => `word${index}`).join(' ')
  const query = keywordQuery(page)

  expect(query.kind === 'words' && query.expression.split(' OR ')).toHaveLength(32)
})

test('no text at all is a syntax error', async () => {
  const host = await createMemoryHost(areas)
  const search = (q: string) => searchEpisodes(host, { q, mode: 'keyword', filter: {}, limit: 5, offset: 0 })
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.string({ unit: 'grapheme', maxLength: 40 }),
  )

  const answers = fc.asyncProperty(text, async (q) => (await search(q)).query === q)
  await fc.assert(answers, { numRuns: 2_000 })
})

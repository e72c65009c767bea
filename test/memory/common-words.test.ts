import { expect, test } from 'vitest'
import { keywordQuery } from '../../runtime/memory/search/query.ts'
import { withoutCommonWords } from '../../runtime/memory/search/search-store.ts'
import { testHost } from '../support/host.ts'

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

test('a large memory is not searched for words that a large part of it has, unless there are no others', async () => {
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

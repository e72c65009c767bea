import type { Host } from '../host.ts'
import { withoutCommon } from './common-words.ts'
import { entitiesOf } from './graph/mention-store.ts'
import { highlightFragments, highlightsOf, marks } from './highlight.ts'
import { snippetsOf } from './match-store.ts'
import { type KeywordQuery, wordExpression } from './query.ts'
import type { SearchResult } from './schema.ts'
import { episodesByRow, type FoundRow } from './store.ts'

type Reader = Pick<Host, 'sql' | 'process'>

export interface Found {
  rowid: number
  score: number
  source: SearchResult['source']
}

/** The episodes that were found, as they are shown. */
export async function describe(
  host: Reader,
  query: KeywordQuery,
  page: readonly Found[],
): Promise<SearchResult[]> {
  const rows = await episodesByRow(
    host,
    page.map(({ rowid }) => rowid),
  )
  const highlights = await highlight(host, query, rows)
  const entities = await entitiesOf(
    host,
    rows.map(({ episode }) => episode.id),
  )
  const byRow = new Map(rows.map((row) => [row.rowid, row]))
  return page.flatMap(({ rowid, score, source }) => {
    const row = byRow.get(rowid)
    if (!row) return []
    const episode = { ...row.episode, entities: entities.get(row.episode.id) ?? [] }
    return [{ episode, score, source, highlights: highlights.get(rowid) ?? [] }]
  })
}

/** What was found by its signs and pairs shows them; else the words that were found. */
async function highlight(
  host: Reader,
  query: KeywordQuery,
  rows: readonly FoundRow[],
): Promise<Map<number, string[]>> {
  const found = new Map<number, string[]>()
  if (query.kind === 'scan')
    for (const { rowid, episode, reply } of rows)
      found.set(rowid, highlightFragments([episode.content, reply, ...episode.topics], query.fragments))
  const rowids = rows.map(({ rowid }) => rowid).filter((rowid) => !found.get(rowid)?.length)
  const expression = wordExpression(query)
  if (expression === '' || rowids.length === 0) return found
  const many = (await withoutCommon(host, query)) !== query
  const snippets = await snippetsOf(host, expression, { rowids, many, ...marks })
  for (const { rowid, ...snippet } of snippets) found.set(rowid, highlightsOf(snippet))
  return found
}

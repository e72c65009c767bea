import type { Host } from '../host.ts'
import { entitiesOf } from './graph/mention-store.ts'
import { highlightFragments, highlightsOf, marks } from './highlight.ts'
import { snippetsOf } from './match-store.ts'
import type { KeywordQuery } from './query.ts'
import type { SearchResult } from './schema.ts'
import { episodesByRow, type FoundRow } from './store.ts'

type Reader = Pick<Host, 'sql'>

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

async function highlight(
  host: Reader,
  query: KeywordQuery,
  rows: readonly FoundRow[],
): Promise<Map<number, string[]>> {
  if (query.kind === 'nothing' || rows.length === 0) return new Map()
  if (query.kind === 'scan') {
    return new Map(
      rows.map(({ rowid, episode, reply }) => [
        rowid,
        highlightFragments([episode.content, reply, ...episode.topics], query.fragments),
      ]),
    )
  }
  const snippets = await snippetsOf(host, query.expression, {
    rowids: rows.map((row) => row.rowid),
    ...marks,
  })
  return new Map(snippets.map(({ rowid, ...found }) => [rowid, highlightsOf(found)]))
}

import type { Agent } from '../agents/schema.ts'
import { listAgents } from '../agents/store.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import type { EpisodeFilter } from './filter.ts'
import { highlightFragments, highlightsOf, marks } from './highlight.ts'
import { type Candidate, matchIndex, scanFragments, snippetsOf } from './match-store.ts'
import { type KeywordQuery, keywordQuery } from './query.ts'
import { rank } from './rank.ts'
import type { SearchMode, SearchResponse, SearchResult } from './schema.ts'
import { episodesByRow, type FoundRow } from './store.ts'

type Reader = Pick<Host, 'sql' | 'clock'>
type Findable = Exclude<KeywordQuery, { kind: 'nothing' }>
type Ranked = Candidate & { score: number }

export interface Search extends Page {
  q: string
  mode: SearchMode
  filter: EpisodeFilter
}

/** Candidates are ranked in blocks of this many, so that every page sees the same order. */
const block = 200

/** Episodes that have words of the query, best first. */
export async function searchEpisodes(
  host: Reader,
  { q, mode, filter, limit, offset }: Search,
): Promise<SearchResponse> {
  const head = { query: q, mode: 'keyword' as const, ...(mode === 'keyword' ? {} : degraded), limit, offset }
  const query = keywordQuery(q)
  if (query.kind === 'nothing') return { ...head, results: [], total: 0 }
  const most = Math.ceil((offset + limit) / block) * block
  const { candidates, total } = await match(host, query, { filter, most })
  const page = rankInBlocks(candidates, host.clock.now()).slice(offset, offset + limit)
  return { ...head, results: await describe(host, query, page), total }
}

const degraded = { degraded: 'embeddings_unavailable' as const }

const match = (host: Reader, query: Findable, options: { filter: EpisodeFilter; most: number }) =>
  query.kind === 'index'
    ? matchIndex(host, query.expression, options)
    : scanFragments(host, query.fragments, options)

function rankInBlocks(candidates: readonly Candidate[], now: number): Ranked[] {
  const best = candidates[0]?.relevance ?? 0
  const blocks = Array.from({ length: Math.ceil(candidates.length / block) }, (_, index) =>
    candidates.slice(index * block, (index + 1) * block),
  )
  return blocks.flatMap((part) => rank(part, best, now))
}

async function describe(host: Reader, query: Findable, page: readonly Ranked[]): Promise<SearchResult[]> {
  const rows = await episodesByRow(
    host,
    page.map((candidate) => candidate.rowid),
  )
  const highlights = await highlight(host, query, rows)
  const byRow = new Map(rows.map((row) => [row.rowid, row]))
  return page.flatMap(({ rowid, score }) => {
    const row = byRow.get(rowid)
    if (!row) return []
    const episode = { ...row.episode, entities: [] }
    return [{ episode, score, source: 'keyword' as const, highlights: highlights.get(rowid) ?? [] }]
  })
}

async function highlight(
  host: Reader,
  query: Findable,
  rows: readonly FoundRow[],
): Promise<Map<number, string[]>> {
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

/** Agents whose episodes this one may recall: its own, and with a shared memory those of all who share theirs. */
export async function visibleTo(host: Pick<Host, 'sql'>, agent: Agent): Promise<string[]> {
  if (agent.memory.scope === 'own') return [agent.id]
  const sharing = (await listAgents(host)).filter((other) => other.memory.scope === 'shared')
  return [agent.id, ...sharing.map((other) => other.id).filter((id) => id !== agent.id)]
}

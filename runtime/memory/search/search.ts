import { listAgents } from '../../agents/index.ts'
import { excerptsOf } from '../../english/highlight.ts'
import type { Host } from '../../host.ts'
import type { Page } from '../../http/page.ts'
import { yieldBetween } from '../../pace.ts'
import { readSection } from '../../sections/section.ts'
import type { Agent } from '../../tools/agent.ts'
import { entitiesOf } from '../graph/store.ts'
import type { SearchMode, SearchResponse, SearchResult } from '../schema.ts'
import { memorySettings } from '../settings.ts'
import { type EpisodeFilter, type EpisodeRow, episodesByRow } from '../store.ts'
import { embedQuery } from './embedding.ts'
import { maxMatches, type Ranking, rankHybrid, rankSemantic } from './hybrid.ts'
import { type KeywordQuery, keywordQuery, termsOf } from './query.ts'
import { minRecencyFactor, recencyFactor } from './ranking.ts'
import { type Match, matchKeywords, weightsOf } from './search-store.ts'

export interface Search extends Page {
  q: string
  mode: SearchMode
  filter: EpisodeFilter
  /** False: results have no highlights. */
  excerpts?: false
}

interface Hit {
  rowid: number
  score: number
  source: SearchResult['source']
}

interface Listing {
  page: Hit[]
  total: number
}

/**
 * Searches episodes, best match first: `keyword` by words, `semantic` by vectors, `hybrid` by both and by the context in
 * the conversation. If vectors are not available, `degraded` says why.
 */
export async function searchEpisodes(host: Host, search: Search): Promise<SearchResponse> {
  const { q, mode, limit, offset } = search
  const { meaning, degraded } = mode === 'keyword' ? { meaning: null } : await embedQuery(host, q)
  const reason = degraded ? { degraded } : {}
  const head = { query: q, mode: meaning ? mode : ('keyword' as const), ...reason, limit, offset }
  const { page, total } = await list()
  return { ...head, results: await toResults(host, search.excerpts === false ? null : keywordQuery(q), page), total }

  async function list(): Promise<Listing> {
    if (mode === 'keyword' || (mode === 'semantic' && !meaning)) return byKeywords(host, search)
    if (mode === 'hybrid' || !meaning)
      return byRanking(host, search, await rankHybrid(host, { text: q, filter: search.filter, meaning }))
    const matches = await rankSemantic(host, meaning, search.filter)
    const page = matches.slice(offset, offset + limit)
    return { page: page.map((one) => ({ ...one, source: 'semantic' })), total: matches.length }
  }
}

/** Matches are ranked in blocks of this size, so that all pages have the same order. */
const block = 200

async function byKeywords(host: Host, { q, filter, limit, offset }: Search): Promise<Listing> {
  const needed = Math.ceil((offset + limit) / block) * block
  const { rows, total } = await matchKeywords(host, keywordQuery(q), { filter, limit: needed })
  const start = Math.floor(offset / block) * block
  const candidates = rows.slice(start)
  const end = offset + limit - start
  const blocks = Array.from({ length: Math.ceil(candidates.length / block) }, (_, index) =>
    withinReach(candidates.slice(index * block, (index + 1) * block), end - index * block),
  )
  const weights = await weightsOf(
    host,
    blocks.flat().map(({ rowid }) => rowid),
  )
  const { half_life_days } = await readSection(host, memorySettings)
  const time = { now: host.clock.now(), half_life_days }
  const best = rows[0]?.relevance ?? 0
  const ranked = blocks.flatMap((matches) =>
    matches
      .flatMap(({ rowid, relevance }) => {
        const weight = weights.get(rowid)
        if (!weight) return []
        return [{ rowid, score: best > 0 ? (relevance / best) * recencyFactor(weight, time) : 0 }]
      })
      .sort((left, right) => right.score - left.score),
  )
  const page = ranked.slice(offset - start, offset - start + limit)
  return { page: page.map((one) => ({ ...one, source: 'keyword' })), total }
}

/** Of matches, best first, those that importance and age can still move into the first `count`. */
function withinReach(matches: readonly Match[], count: number): readonly Match[] {
  const last = matches[count - 1]
  if (!last) return matches
  return matches.filter(({ relevance }) => relevance >= last.relevance * minRecencyFactor)
}

/** The ranked episodes first, then the remaining keyword matches. */
async function byRanking(host: Host, { q, filter, limit, offset }: Search, ranking: Ranking): Promise<Listing> {
  const { ranked, keyword, near, matches } = ranking
  const included = new Set(ranked.map(({ rowid }) => rowid))
  const inBoth = [...keyword.keys()].filter((rowid) => included.has(rowid)).length
  const needed = offset + limit
  const most = needed + included.size
  const words =
    needed > ranked.length && keyword.size < matches && most > maxMatches
      ? (await matchKeywords(host, keywordQuery(q), { filter, limit: most })).rows.map(({ rowid }) => rowid)
      : [...keyword.keys()]
  const lowest = ranked.at(-1)?.score ?? 0
  const rest = words
    .filter((rowid) => !included.has(rowid))
    .map((rowid, place) => ({ rowid, score: lowest / (place + 2) }))
  const page = [...ranked, ...rest].slice(offset, needed)
  const source = (rowid: number) => {
    if (near.has(rowid)) return keyword.has(rowid) ? 'both' : 'semantic'
    return 'keyword'
  }
  return {
    page: page.map(({ rowid, score }) => ({ rowid, score, source: source(rowid) })),
    total: ranked.length + matches - inBoth,
  }
}

async function toResults(host: Host, query: KeywordQuery | null, page: readonly Hit[]): Promise<SearchResult[]> {
  const rows = await episodesByRow(
    host,
    page.map(({ rowid }) => rowid),
  )
  const highlights = query ? await highlight(host, query, rows) : new Map<number, string[]>()
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

/** Excerpts around what the query found, by row. */
async function highlight(
  host: Pick<Host, 'clock'>,
  query: KeywordQuery,
  rows: readonly EpisodeRow[],
): Promise<Map<number, string[]>> {
  const excerpts = new Map<number, string[]>()
  if (query.kind === 'empty') return excerpts
  const pause = yieldBetween(host.clock)
  const terms = termsOf(query)
  for (const { rowid, episode, reply } of rows) {
    excerpts.set(rowid, excerptsOf([episode.content, reply, ...episode.topics], terms))
    await pause()
  }
  return excerpts
}

/** The agents whose episodes an agent may recall: itself and, if sharing is on, all agents that share. */
export async function visibleTo(host: Host, agent: Agent): Promise<string[]> {
  const { share_between_agents } = await readSection(host, memorySettings)
  if (agent.memory.scope === 'own' || !share_between_agents) return [agent.id]
  const sharing = (await listAgents(host)).filter((other) => other.memory.scope === 'shared')
  return [agent.id, ...sharing.map((other) => other.id).filter((id) => id !== agent.id)]
}

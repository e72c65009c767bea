import type { Agent } from '../agents/schema.ts'
import { listAgents } from '../agents/store.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { readSection } from '../settings/section.ts'
import type { EpisodeFilter } from './filter.ts'
import { matchWords, weightsOf } from './match-store.ts'
import { keywordQuery } from './query.ts'
import { rank, withinReach } from './rank.ts'
import { describe, type Found } from './results.ts'
import { mostMatches, type Ranking, rankHybrid, rankSemantic } from './retrieval/hybrid.ts'
import { understand } from './retrieval/query-vector.ts'
import type { SearchMode, SearchResponse } from './schema.ts'
import { memorySettings } from './settings.ts'

export interface Search extends Page {
  q: string
  mode: SearchMode
  filter: EpisodeFilter
}

/** What a page shows, and how many there are in all. */
interface Listing {
  page: Found[]
  total: number
}

/**
 * Episodes that answer a query, best first: `keyword` those that have words of it, `semantic` those that are near in
 * meaning, `hybrid` both and what stands beside them. Where there is no meaning to go by, `degraded` says why.
 */
export async function searchEpisodes(host: Host, search: Search): Promise<SearchResponse> {
  const { q, mode, limit, offset } = search
  const { meaning, degraded } = mode === 'keyword' ? { meaning: null } : await understand(host, q)
  const reason = degraded ? { degraded } : {}
  const head = { query: q, mode: meaning ? mode : ('keyword' as const), ...reason, limit, offset }
  const { page, total } = await list()
  return { ...head, results: await describe(host, keywordQuery(q), page), total }

  async function list(): Promise<Listing> {
    if (mode === 'keyword' || (mode === 'semantic' && !meaning)) return byWords(host, search)
    if (mode === 'hybrid' || !meaning)
      return byAll(host, search, await rankHybrid(host, { text: q, filter: search.filter, meaning }))
    const found = await rankSemantic(host, meaning, search.filter)
    const shown = found.slice(offset, offset + limit)
    return { page: shown.map((one) => ({ ...one, source: 'semantic' })), total: found.length }
  }
}

/** Matches are ranked in blocks of this many, so that every page sees the same order. */
const block = 200

async function byWords(host: Host, { q, filter, limit, offset }: Search): Promise<Listing> {
  const most = Math.ceil((offset + limit) / block) * block
  const { rows, total } = await matchWords(host, keywordQuery(q), { filter, most })
  const start = Math.floor(offset / block) * block
  const wanted = rows.slice(start)
  const end = offset + limit - start
  const blocks = Array.from({ length: Math.ceil(wanted.length / block) }, (_, index) =>
    withinReach(wanted.slice(index * block, (index + 1) * block), end - index * block),
  )
  const weights = await weightsOf(
    host,
    blocks.flat().map(({ rowid }) => rowid),
  )
  const { half_life_days } = await readSection(host, memorySettings)
  const time = { now: host.clock.now(), half_life_days }
  const ranked = blocks.flatMap((matches) => {
    const candidates = matches.flatMap((match) => {
      const known = weights.get(match.rowid)
      return known ? [{ ...match, ...known }] : []
    })
    return rank(candidates, rows[0]?.relevance ?? 0, time)
  })
  const shown = ranked.slice(offset - start, offset - start + limit)
  return { page: shown.map(({ rowid, score }) => ({ rowid, score, source: 'keyword' })), total }
}

/** First what was weighed by everything, then the other matches by their words alone. */
async function byAll(host: Host, { q, filter, limit, offset }: Search, ranking: Ranking): Promise<Listing> {
  const { ranked, keyword, near, matches } = ranking
  const weighed = new Set(ranked.map(({ rowid }) => rowid))
  const inBoth = [...keyword.keys()].filter((rowid) => weighed.has(rowid)).length
  const needed = offset + limit
  const most = needed + weighed.size
  const words =
    needed > ranked.length && keyword.size < matches && most > mostMatches
      ? (await matchWords(host, keywordQuery(q), { filter, most })).rows.map(({ rowid }) => rowid)
      : [...keyword.keys()]
  const lowest = ranked.at(-1)?.score ?? 0
  const rest = words
    .filter((rowid) => !weighed.has(rowid))
    .map((rowid, place) => ({ rowid, score: lowest / (place + 2) }))
  const shown = [...ranked, ...rest].slice(offset, needed)
  const source = (rowid: number) => {
    if (near.has(rowid)) return keyword.has(rowid) ? 'both' : 'semantic'
    return 'keyword'
  }
  return {
    page: shown.map(({ rowid, score }) => ({ rowid, score, source: source(rowid) })),
    total: ranked.length + matches - inBoth,
  }
}

/** Agents whose episodes this one may recall: its own, and where the settings let agents share, with a shared memory those of all who share theirs. */
export async function visibleTo(host: Host, agent: Agent): Promise<string[]> {
  const { share_between_agents } = await readSection(host, memorySettings)
  if (agent.memory.scope === 'own' || !share_between_agents) return [agent.id]
  const sharing = (await listAgents(host)).filter((other) => other.memory.scope === 'shared')
  return [agent.id, ...sharing.map((other) => other.id).filter((id) => id !== agent.id)]
}

import type { Host } from '../../host.ts'
import { readSection } from '../../settings/section.ts'
import type { EpisodeFilter } from '../filter.ts'
import { matchWords } from '../match-store.ts'
import { keywordQuery, wordExpression } from '../query.ts'
import { memorySettings } from '../settings.ts'
import { combine, type Scored } from './combine.ts'
import { pieceScores, refreshConversations } from './conversations.ts'
import { cosineFrom } from './measure.ts'
import { widened } from './named-time.ts'
import { indexFilter, rescored } from './neighbours.ts'
import { type PoolRow, poolOf, storedIn } from './pool.ts'
import type { Meaning } from './query-vector.ts'
import { queryOf } from './traits.ts'
import { turns } from './turns.ts'
import { episodeOf, toVector, vectorsById } from './vector-store.ts'

/** Candidates of each kind, whose neighbours are looked at too. */
const candidates = 100
/** Matches whose relevance is known, for the context of others: all of a question in a usual memory. */
export const mostMatches = 600
/** Pieces of conversations that a search itself brings up to date; more wait for the index's own unit of work. */
const mostRefreshed = 20

export interface HybridQuery {
  text: string
  filter: EpisodeFilter
  /** Null: by words alone. */
  meaning: Meaning | null
}

export interface Ranking {
  ranked: Scored[]
  /** Rows that match by words, as far as they were looked at, and those that are near in meaning. */
  keyword: ReadonlyMap<number, number>
  near: ReadonlySet<number>
  /** Matches by words in all. */
  matches: number
}

/** What answers a question best, by its words, its meaning, and what stands beside it. See the README for the recipe. */
export async function rankHybrid(host: Host, { text, filter, meaning }: HybridQuery): Promise<Ranking> {
  await refreshConversations(host, mostRefreshed)
  const turn = turns(host.clock)
  const words = keywordQuery(text)
  const found = await matchWords(host, words, { filter, most: mostMatches })
  const keyword = new Map(found.rows.map(({ rowid, relevance }) => [rowid, relevance]))
  await turn()
  const vector = meaning ? await nearestEpisodes(host, meaning, filter) : new Map<number, number>()
  const near = best(vector, candidates)
  const query = queryOf(text, host.clock.now())
  const then = query.time ? await storedIn(host, widened(query.time.span), { filter, most: candidates }) : []
  const rows = await poolOf(host, [...new Set([...best(keyword, candidates), ...near, ...then])], filter)
  await turn()
  if (meaning) await measureRest(host, meaning, { rows, vector })
  const { half_life_days } = await readSection(host, memorySettings)
  const conversations = [...new Set(rows.flatMap(({ conversation_id }) => conversation_id ?? []))]
  const expression = wordExpression(words)
  const pieces = expression ? await pieceScores(host, expression, conversations) : new Map()
  await turn()
  const ranked = combine({ query, rows, keyword, vector, pieces, now: host.clock.now(), half_life_days })
  return { ranked, keyword, near: new Set(near), matches: found.total }
}

/** What is near in meaning alone, the nearest first. */
export async function rankSemantic(host: Host, meaning: Meaning, filter: EpisodeFilter): Promise<Scored[]> {
  const scores = [...(await nearestEpisodes(host, meaning, filter))].filter(([, score]) => score > 0)
  return scores
    .map(([rowid, score]) => ({ rowid, score }))
    .sort((left, right) => right.score - left.score || right.rowid - left.rowid)
}

const best = (scores: ReadonlyMap<number, number>, most: number): number[] =>
  [...scores]
    .sort((left, right) => right[1] - left[1])
    .slice(0, most)
    .map(([rowid]) => rowid)

/** The episodes whose signs are nearest, measured: each by the best of its parts. */
async function nearestEpisodes(
  host: Pick<Host, 'sql'>,
  meaning: Meaning,
  filter: EpisodeFilter,
): Promise<Map<number, number>> {
  const ids = meaning.index.nearest(meaning.direction, await indexFilter(host, filter), rescored)
  return measured(host, meaning, ids)
}

async function measureRest(
  host: Pick<Host, 'sql'>,
  meaning: Meaning,
  { rows, vector }: { rows: readonly PoolRow[]; vector: Map<number, number> },
): Promise<void> {
  const rest = rows.map(({ rowid }) => rowid).filter((rowid) => !vector.has(rowid))
  for (const [rowid, score] of await measured(host, meaning, meaning.index.idsOf(rest)))
    vector.set(rowid, score)
}

/** By episode: in memory, but for those that there is no room for or that were let go after a while without searches. */
async function measured(
  host: Pick<Host, 'sql'>,
  { direction, index }: Meaning,
  ids: readonly number[],
): Promise<Map<number, number>> {
  const { cosines, missing } = index.measure(ids, direction)
  for (const stored of missing.length > 0 ? await vectorsById(host, missing) : []) {
    index.keep(stored)
    cosines.set(stored.id, cosineFrom(index.mean, direction, toVector(stored.vector)))
  }
  const scores = new Map<number, number>()
  for (const [id, score] of cosines) {
    const episode = episodeOf(id)
    scores.set(episode, Math.max(score, scores.get(episode) ?? -1))
  }
  return scores
}

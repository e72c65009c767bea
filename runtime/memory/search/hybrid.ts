import type { Host } from '../../host.ts'
import { yieldBetween } from '../../pace.ts'
import { readSection } from '../../sections/section.ts'
import { memorySettings } from '../settings.ts'
import type { EpisodeFilter } from '../store.ts'
import type { QueryVector } from './embedding.ts'
import { keywordQuery, wordExpression } from './query.ts'
import { widened } from './question.ts'
import { combine, contextReach, queryOf, type Scored } from './ranking.ts'
import { matchKeywords, type PoolRow, pieceScores, poolOf, refreshConversations, storedIn } from './search-store.ts'
import { cosineFrom } from './vector-codes.ts'
import { indexFilter } from './vector-index.ts'
import { episodeOf, toVector, vectorsById } from './vector-store.ts'

/** Candidates by keywords, by vectors and by time. */
const candidates = 100
/** Matches whose relevance is known, for the context of other episodes. In a typical memory these are all. */
export const maxMatches = 600
/** Candidates of the scan over sign bits that are measured. */
export const rescored = 300
/** Conversation pieces that a search updates; the rest waits for the next index run. */
const maxRefreshed = 20

export interface HybridQuery {
  text: string
  filter: EpisodeFilter
  /** Null: keywords only. */
  meaning: QueryVector | null
}

export interface Ranking {
  ranked: Scored[]
  /** BM25 by row of the keyword matches that were read. */
  keyword: ReadonlyMap<number, number>
  /** The vector candidates. */
  near: ReadonlySet<number>
  /** Number of all keyword matches. */
  matches: number
}

/** Ranks episodes by keywords, vectors and their context in the conversation. The README has the formula. */
export async function rankHybrid(host: Host, { text, filter, meaning }: HybridQuery): Promise<Ranking> {
  await refreshConversations(host, maxRefreshed)
  const pause = yieldBetween(host.clock)
  const words = keywordQuery(text)
  const matches = await matchKeywords(host, words, { filter, limit: maxMatches })
  const keyword = new Map(matches.rows.map(({ rowid, relevance }) => [rowid, relevance]))
  await pause()
  const vector = meaning ? await nearestEpisodes(host, meaning, filter) : new Map<number, number>()
  const near = best(vector, candidates)
  const query = queryOf(text, host.clock.now())
  const then = query.time ? await storedIn(host, widened(query.time.span), { filter, limit: candidates }) : []
  const pool = [...new Set([...best(keyword, candidates), ...near, ...then])]
  const rows = await poolOf(host, pool, { filter, reach: contextReach })
  await pause()
  if (meaning) await measureRest(host, meaning, { rows, vector })
  const { half_life_days } = await readSection(host, memorySettings)
  const expression = wordExpression(words)
  const spoken = rows.some(({ conversation_id }) => conversation_id !== null)
  const pieces = expression && spoken ? await pieceScores(host, expression) : new Map()
  await pause()
  const ranked = combine({ query, rows, keyword, vector, pieces, now: host.clock.now(), half_life_days })
  return { ranked, keyword, near: new Set(near), matches: matches.total }
}

/** Ranks episodes by vectors only. */
export async function rankSemantic(host: Host, meaning: QueryVector, filter: EpisodeFilter): Promise<Scored[]> {
  const scores = [...(await nearestEpisodes(host, meaning, filter))].filter(([, score]) => score > 0)
  return scores
    .map(([rowid, score]) => ({ rowid, score }))
    .sort((left, right) => right.score - left.score || right.rowid - left.rowid)
}

const best = (scores: ReadonlyMap<number, number>, count: number): number[] =>
  [...scores]
    .sort((left, right) => right[1] - left[1])
    .slice(0, count)
    .map(([rowid]) => rowid)

/** The cosines of the nearest episodes by row. */
async function nearestEpisodes(
  host: Pick<Host, 'sql'>,
  meaning: QueryVector,
  filter: EpisodeFilter,
): Promise<Map<number, number>> {
  const ids = meaning.index.nearest(meaning.direction, await indexFilter(host, filter), rescored)
  return measure(host, meaning, ids)
}

/** Adds the cosines of the pool's other rows to `vector`. */
async function measureRest(
  host: Pick<Host, 'sql'>,
  meaning: QueryVector,
  { rows, vector }: { rows: readonly PoolRow[]; vector: Map<number, number> },
): Promise<void> {
  const rest = rows.map(({ rowid }) => rowid).filter((rowid) => !vector.has(rowid))
  for (const [rowid, score] of await measure(host, meaning, meaning.index.idsOf(rest))) vector.set(rowid, score)
}

/** The cosine of each episode's best part. Vectors that are not in memory are read. */
async function measure(
  host: Pick<Host, 'sql'>,
  { direction, index }: QueryVector,
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

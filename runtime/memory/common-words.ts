import type { Host } from '../host.ts'
import { expressionOf, type KeywordQuery } from './query.ts'

type Needs = Pick<Host, 'sql' | 'process'>

/** Episodes from which a memory is large enough that common words cost more than they tell. */
const large = 20_000
/** Share of the episodes in which a word is common: a match tells next to nothing, and there are too many to weigh. */
const commonShare = 0.2
/**
 * The query without the words that a large part of a large memory has: bm25 gives them next to no weight, and weighing
 * every episode for them is what would make a search slow. A query of nothing else stays as it is.
 */
export async function withoutCommon(host: Needs, query: KeywordQuery): Promise<KeywordQuery> {
  if (query.kind !== 'index' || query.words.length < 2) return query
  const [row] = await host.sql.read<{ rows: number | null }>('SELECT max(rowid) AS rows FROM episodes')
  const episodes = row?.rows ?? 0
  if (episodes < large) return query
  const telling: string[] = []
  for (const word of query.words) if (!(await isCommon(host, word, episodes))) telling.push(word)
  return telling.length === 0 || telling.length === query.words.length
    ? query
    : { kind: 'index', words: telling, expression: expressionOf(telling) }
}

async function isCommon({ sql, process }: Needs, word: string, episodes: number): Promise<boolean> {
  const counts = process.retrieval.words
  const known = counts.find(word, episodes)
  if (known !== null) return known
  const enough = Math.ceil(commonShare * episodes)
  const [row] = await sql.read<{ found: number }>(
    'SELECT count(*) AS found FROM (SELECT 1 FROM episodes_fts WHERE episodes_fts MATCH ? LIMIT ?)',
    [expressionOf([word]), enough],
  )
  const common = (row?.found ?? 0) >= enough
  counts.keep(word, { common, episodes })
  return common
}

import type { Context } from '../../context.ts'
import type { Host } from '../../host.ts'
import { readOptionsOf } from '../../index-size.ts'
import { Pace } from '../../pace.ts'
import type { Condition, ReadOptions, Statement, Value } from '../../ports/sql.ts'
import type { Sql } from '../../table.ts'
import { iso } from '../../time.ts'
import { searchState } from '../state.ts'
import { type EpisodeFilter, type Reader, selected, visible } from '../store.ts'
import { bigramExpression, bigramTerms, expressionOf, type KeywordQuery } from './query.ts'
import type { Span } from './question.ts'

/** A query that may return many small rows, in no order. */
interface Packed<Row> {
  /** The SQL expression of each member. No blobs: JSON has none. */
  columns: Readonly<Record<keyof Row & string, string>>
  from: string
}

/**
 * Reads rows as one JSON list per column: the driver takes about 4 µs to return a row, and this a quarter of
 * that. Reals are rounded to 15 digits.
 */
async function readPacked<Row extends object>(
  { sql }: Sql,
  { columns, from }: Packed<Row>,
  args: readonly Value[],
  options?: ReadOptions,
): Promise<Row[]> {
  const lists = Object.entries<string>(columns).map(([name, value]) => `json_group_array(${value}) AS ${name}`)
  const [packed] = await sql.read<Record<string, string>>(`SELECT ${lists.join(', ')} ${from}`, args, options)
  const read = Object.entries(packed ?? {}).map(([name, list]) => [name, JSON.parse(list) as unknown[]] as const)
  const count = read[0]?.[1].length ?? 0
  return Array.from({ length: count }, (_, row) => {
    const filter: Record<string, unknown> = {}
    for (const [name, list] of read) filter[name] = list[row]
    return filter as Row
  })
}

/** The best matches, best first, and the number of all matches. */
export interface Matches {
  rows: Match[]
  total: number
}

export interface Match {
  rowid: number
  /** BM25, where larger is better. Comparable within one query only. */
  relevance: number
}

interface Index {
  table: string
  relevance: string
}

/** Weights of content, reply and topics. SQLite's bm25() is negative. */
const wordIndex: Index = { table: 'episodes_fts', relevance: '-bm25(episodes_fts, 1.0, 0.3, 0.5)' }
/** Character bigrams of scripts without spaces, and symbols. */
const bigramIndex: Index = { table: 'pairs_fts', relevance: '-bm25(pairs_fts)' }

/** In this order, or each episode of the owner would be looked up in the index of words. */
const matching = ({ table }: Index, { sql }: Condition): string =>
  sql === 'true'
    ? `FROM ${table} WHERE ${table} MATCH ?`
    : `FROM ${table} CROSS JOIN episodes ON episodes.rowid = ${table}.rowid WHERE ${table} MATCH ? AND ${sql}`

/** The episodes that match a keyword query and pass the filter. */
export async function matchKeywords(
  host: Reader & Pick<Host, 'process'>,
  question: KeywordQuery,
  { filter, limit }: { filter: EpisodeFilter; limit: number },
): Promise<Matches> {
  const query = await withoutCommonWords(host, question)
  if (query.kind === 'empty') return { rows: [], total: 0 }
  const condition = selected(host, filter)
  const parts = partsOf(query)
  const matches: Match[] = []
  for (const part of parts) matches.push(...(await bestOf(host, part, { condition, limit })))
  const rows = parts.length > 1 ? merged(matches).slice(0, limit) : matches
  if (rows.length < limit) return { rows, total: rows.length }
  return { rows, total: await countMatches(host, parts, condition) }
}

type Part = Index & { expression: string }

function partsOf(query: Exclude<KeywordQuery, { kind: 'empty' }>): Part[] {
  if (query.kind === 'words') return [{ ...wordIndex, expression: query.expression }]
  const { fragments, words } = query
  return [
    { ...bigramIndex, expression: bigramExpression(fragments) },
    ...(words.length > 0 ? [{ ...wordIndex, expression: expressionOf(words) }] : []),
  ]
}

async function bestOf(
  host: Sql,
  part: Part,
  { condition, limit }: { condition: Condition; limit: number },
): Promise<Match[]> {
  const rows = await readPacked<Match>(
    host,
    {
      columns: { rowid: 'rowid', relevance: 'relevance' },
      from: `FROM (SELECT ${part.table}.rowid AS rowid, ${part.relevance} AS relevance ${matching(part, condition)}
        ORDER BY relevance DESC, ${part.table}.rowid DESC LIMIT ?)`,
    },
    [part.expression, ...condition.args, limit],
    await readOptionsOf(host, part.table),
  )
  return rows.sort(byRelevance)
}

const byRelevance = (left: Match, right: Match): number => right.relevance - left.relevance || right.rowid - left.rowid

/** Adds up the relevance of episodes that both indexes found. */
function merged(matches: readonly Match[]): Match[] {
  const sums = new Map<number, number>()
  for (const { rowid, relevance } of matches) sums.set(rowid, (sums.get(rowid) ?? 0) + relevance)
  return [...sums].map(([rowid, relevance]) => ({ rowid, relevance })).sort(byRelevance)
}

/** Does not compute bm25, which is the expensive part of a match. */
async function countMatches({ sql }: Sql, parts: readonly Part[], condition: Condition): Promise<number> {
  const rowids = parts.map((part) => `SELECT ${part.table}.rowid ${matching(part, condition)}`).join(' UNION ')
  const rows = await sql.read<{ total: number }>(
    parts.length > 1
      ? `SELECT count(*) AS total FROM (${rowids})`
      : rowids.replace(/^SELECT \S+/, 'SELECT count(*) AS total'),
    parts.flatMap(({ expression }) => [expression, ...condition.args]),
    await readOptionsOf({ sql }, wordIndex.table),
  )
  return rows[0]?.total ?? 0
}

/** Number of episodes above which common words cost more than they contribute. */
const largeMemory = 20_000
/** A word in this share of the episodes is common: BM25 gives it almost no weight. */
const commonShare = 0.2
/** A count is repeated after the memory has grown or shrunk by this share. */
const staleAfter = 0.1

/**
 * Removes common words from queries of a large memory, because ranking every episode that contains them makes
 * a search slow. A query of only common words is left unchanged.
 */
export async function withoutCommonWords(
  host: Pick<Host, 'sql' | 'process'>,
  query: KeywordQuery,
): Promise<KeywordQuery> {
  if (query.kind !== 'words' || query.words.length < 2) return query
  const [row] = await host.sql.read<{ rows: number | null }>('SELECT max(rowid) AS rows FROM episodes')
  const episodes = row?.rows ?? 0
  if (episodes < largeMemory) return query
  const rare: string[] = []
  for (const word of query.words) if (!(await isCommon(host, word, episodes))) rare.push(word)
  return rare.length === 0 || rare.length === query.words.length
    ? query
    : { kind: 'words', words: rare, expression: expressionOf(rare) }
}

async function isCommon(host: Pick<Host, 'sql' | 'process'>, word: string, episodes: number): Promise<boolean> {
  const { words } = searchState(host)
  const cached = words.get(word)
  if (cached && Math.abs(cached.episodes - episodes) <= staleAfter * cached.episodes) return cached.common
  const enough = Math.ceil(commonShare * episodes)
  const [row] = await host.sql.read<{ episodes: number }>(
    'SELECT count(*) AS episodes FROM (SELECT 1 FROM episodes_fts WHERE episodes_fts MATCH ? LIMIT ?)',
    [expressionOf([word]), enough],
  )
  const common = (row?.episodes ?? 0) >= enough
  words.set(word, { common, episodes })
  return common
}

/** Importance and age of rows. */
export async function weightsOf(
  { sql }: Sql,
  rowids: readonly number[],
): Promise<Map<number, { importance: number; created_at: string }>> {
  const rows = await sql.read<{ rowid: number; importance: number; created_at: string }>(
    'SELECT rowid, importance, created_at FROM episodes WHERE rowid IN (SELECT value FROM json_each(?))',
    [JSON.stringify(rowids)],
  )
  return new Map(rows.map(({ rowid, ...weights }) => [rowid, weights]))
}

/** A candidate or one of its neighbours in the conversation. */
export interface PoolRow {
  rowid: number
  conversation_id: string | null
  position: number | null
  /** The first 600 characters. */
  text: string
  length: number
  /** 1 if the episode includes a reply. */
  answered: number
  importance: number
  created_at: string
  /** Number of answers that used it after a recall, and that ignored it. */
  used: number
  ignored: number
}

const poolColumns = {
  rowid: 'episodes.rowid',
  conversation_id: 'conversation_id',
  position: 'position',
  text: 'substr(content, 1, 600)',
  length: 'length(content)',
  answered: "reply <> ''",
  importance: 'importance',
  created_at: 'created_at',
  used: 'coalesce(used, 0)',
  ignored: 'coalesce(ignored, 0)',
}

/** The episodes of these rows and up to `reach` neighbours on either side that pass the filter. */
export async function poolOf(
  host: Reader,
  rowids: readonly number[],
  { filter, reach }: { filter: EpisodeFilter; reach: number },
): Promise<PoolRow[]> {
  const condition = selected(host, filter)
  const list = JSON.stringify(rowids)
  return readPacked<PoolRow>(
    host,
    {
      columns: poolColumns,
      from: `FROM (
        SELECT value AS episode FROM json_each(?)
        UNION SELECT near.rowid FROM json_each(?) AS candidate
        JOIN episodes AS anchor ON anchor.rowid = candidate.value
        JOIN episodes AS near ON near.conversation_id = anchor.conversation_id
          AND near.position BETWEEN anchor.position - ${reach} AND anchor.position + ${reach}
      ) CROSS JOIN episodes ON episodes.rowid = episode
      LEFT JOIN episode_recalls ON episode_id = episodes.id WHERE ${condition.sql}`,
    },
    [list, list, ...condition.args],
  )
}

/** The latest episodes of a time span. */
export async function storedIn(
  host: Reader,
  { from, until }: Span,
  { filter, limit }: { filter: EpisodeFilter; limit: number },
): Promise<number[]> {
  const condition = selected(host, filter)
  const rows = await host.sql.read<{ rowid: number }>(
    `SELECT rowid FROM episodes WHERE created_at >= ? AND created_at < ? AND ${condition.sql}
    ORDER BY created_at DESC LIMIT ?`,
    [iso(from), iso(until), ...condition.args, limit],
  )
  return rows.map(({ rowid }) => rowid)
}

/**
 * Episodes per document of the conversation index. A long conversation has several topics, so it is indexed
 * as several pieces. The triggers of the table `episodes` use the same number.
 */
const pieceLength = 40

export const pieceOf = (conversation: string, position: number | null): string =>
  pieceKey(conversation, Math.floor((position ?? 0) / pieceLength))

const pieceKey = (conversation: string, piece: number): string => `${piece}/${conversation}`

interface StalePiece {
  rowid: number
  conversation_id: string
  piece: number
}

/** Updates at most `limit` pieces whose episodes have changed. */
export async function refreshConversations(
  { sql, clock }: Pick<Context, 'sql' | 'clock'>,
  limit = Number.MAX_SAFE_INTEGER,
): Promise<void> {
  const pace = new Pace({ min: 1, max: 50 }, 4)
  for (let left = limit; left > 0; ) {
    const stale = await sql.read<StalePiece>(
      'SELECT rowid, conversation_id, piece FROM conversation_pieces WHERE stale = 1 LIMIT ?',
      [Math.min(pace.size, left)],
    )
    if (stale.length === 0) return
    left -= stale.length
    await pace.time(clock.now, () => sql.write(stale.flatMap(refreshPiece), { durable: false }))
    await clock.after(0)
  }
}

const inPiece = `conversation_id = ? AND coalesce(position, 0) / ${pieceLength} = ?`

/** The text is read by the write itself, so that it is current. A piece without episodes is deleted. */
function refreshPiece({ rowid, conversation_id, piece }: StalePiece): Statement[] {
  return [
    { sql: 'DELETE FROM conversations_fts WHERE rowid = ?', args: [rowid] },
    {
      sql: `INSERT INTO conversations_fts (rowid, text)
        SELECT ?, group_concat(content || ' ' || reply, char(10)) FROM episodes WHERE ${inPiece} HAVING count(*) > 0`,
      args: [rowid, conversation_id, piece],
    },
    {
      sql: `DELETE FROM conversation_pieces WHERE rowid = ? AND NOT EXISTS (SELECT 1 FROM episodes WHERE ${inPiece})`,
      args: [rowid, conversation_id, piece],
    },
    { sql: 'UPDATE conversation_pieces SET stale = 0 WHERE rowid = ?', args: [rowid] },
  ]
}

const maxPieces = 200

/** BM25 of the best conversation pieces for an expression, by the key of `pieceOf`. */
export async function pieceScores(host: Reader, expression: string): Promise<Map<string, number>> {
  const { owner_id = null } = visible(host, {})
  const rows = await readPacked<{ conversation_id: string; piece: number; score: number }>(
    host,
    {
      columns: { conversation_id: 'conversation_id', piece: 'piece', score: 'score' },
      from: `FROM (
        SELECT conversation_id, piece, -bm25(conversations_fts) AS score FROM conversations_fts
        JOIN conversation_pieces ON conversation_pieces.rowid = conversations_fts.rowid
        WHERE conversations_fts MATCH ? AND owner_id = coalesce(?, owner_id) ORDER BY score DESC LIMIT ${maxPieces})`,
    },
    [expression, owner_id],
    await readOptionsOf(host, 'conversations_fts'),
  )
  return new Map(rows.map(({ conversation_id, piece, score }) => [pieceKey(conversation_id, piece), score]))
}

const bigramBatch = 200

/** Computes missing bigrams: of episodes with a new reply, and of those stored by an earlier release. */
export async function fillBigrams(context: Context): Promise<void> {
  for (;;) {
    context.signal.throwIfAborted()
    const rows = await context.sql.read<{ id: string; content: string; reply: string; topics: string }>(
      'SELECT id, content, reply, topics FROM episodes WHERE pairs IS NULL LIMIT ?',
      [bigramBatch],
    )
    if (rows.length === 0) return
    await context.commit(
      rows.map(({ id, content, reply, topics }) => ({
        sql: 'UPDATE episodes SET pairs = ? WHERE id = ? AND content = ? AND pairs IS NULL',
        args: [bigramTerms([content, reply, ...(JSON.parse(topics) as string[])].join('\n')), id, content],
      })),
    )
  }
}

/** A link from one episode to another. */
export interface Link {
  id: string
  /** 0 to 1. */
  score: number
}

/** Episodes that mention the same entities. Rare entities count more. */
export const sharingEntities = ({ sql }: Sql, id: string, limit: number): Promise<Link[]> =>
  sql.read<Link>(
    `SELECT other.episode_id AS id, min(1.0, sum(1.0 / (1 + ln(1 + entities.mentions)))) AS score
    FROM episode_entities AS own
    JOIN entities ON entities.rowid = own.entity AND entities.graph = (SELECT id FROM graphs WHERE state = 'live')
    JOIN episode_entities AS other ON other.entity = own.entity AND other.episode_id <> own.episode_id
    WHERE own.episode_id = ? GROUP BY other.episode_id ORDER BY score DESC, other.episode_id DESC LIMIT ?`,
    [id, limit],
  )

/** Neighbours in the conversation. Closer ones score higher. */
export const conversationNeighbours = ({ sql }: Sql, id: string, limit: number): Promise<Link[]> =>
  sql.read<Link>(
    `SELECT other.id, 1.0 / (1 + abs(other.position - own.position)) AS score FROM episodes AS own
    JOIN episodes AS other ON other.conversation_id = own.conversation_id AND other.id <> own.id
      AND other.owner_id = own.owner_id AND other.position BETWEEN own.position - 5 AND own.position + 5
    WHERE own.id = ? ORDER BY score DESC, other.id LIMIT ?`,
    [id, limit],
  )

/** Episodes of the same agent within one hour. Closer ones score higher. */
export const withinTheHour = ({ sql }: Sql, id: string, limit: number): Promise<Link[]> =>
  sql.read<Link>(
    `SELECT other.id, 0.3 * (1 - abs(unixepoch(other.created_at) - unixepoch(own.created_at)) / 3600.0) AS score
    FROM episodes AS own JOIN episodes AS other ON other.owner_id = own.owner_id
      AND other.agent_id IS own.agent_id AND other.id <> own.id
      AND other.created_at BETWEEN strftime('%Y-%m-%dT%H:%M:%fZ', own.created_at, '-1 hour')
        AND strftime('%Y-%m-%dT%H:%M:%fZ', own.created_at, '+1 hour')
    WHERE own.id = ? ORDER BY score DESC, other.id DESC LIMIT ?`,
    [id, limit],
  )

/** The Jaccard index of an episode's topics and those of each candidate. */
export const sharingTopics = ({ sql }: Sql, id: string, candidates: readonly string[]): Promise<Link[]> =>
  sql.read<Link>(
    `WITH own AS (SELECT lower(topic.value) AS name FROM episodes, json_each(episodes.topics) AS topic WHERE episodes.id = ?),
      theirs AS (SELECT DISTINCT episodes.id AS id, lower(topic.value) AS name FROM episodes, json_each(episodes.topics) AS topic
        WHERE episodes.id IN (SELECT value FROM json_each(?)))
    SELECT id, 1.0 * sum(name IN own) / (count(*) + (SELECT count(DISTINCT name) FROM own) - sum(name IN own)) AS score
    FROM theirs GROUP BY id HAVING sum(name IN own) > 0`,
    [id, JSON.stringify(candidates)],
  )

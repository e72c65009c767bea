import { everyone, ownerOf, visibleOwner } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { changedByAnother } from '../fault.ts'
import type { Page } from '../http/page.ts'
import { sumOf } from '../numbers.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { raw, readRow, readRows, sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import type { Change, Episode, EpisodeVersion, WholeEpisode } from './schema.ts'
import { bigramTerms } from './search/query.ts'

/** A context, or a host for the daemon's work on the memory of all owners. */
export type Reader = Sql & Partial<Pick<Context, 'caller'>>

/** Which episodes are included. It is applied before ranking. */
export interface EpisodeFilter {
  owner_id?: string | undefined
  source?: string | undefined
  agent_id?: string | undefined
  conversation_id?: string | undefined
  cluster_id?: string | undefined
  /** Episodes with one of these topics. */
  topics?: readonly string[] | undefined
  /** Episodes that mention this entity of the live graph. */
  entity_id?: string | undefined
  /** Episodes of these agents, and those that belong to no agent. */
  visible_to?: readonly string[] | undefined
  /** In the stored form of times, inclusive. */
  start_date?: string | undefined
  end_date?: string | undefined
}

/** Limits a filter to what the caller may see. */
export const visible = ({ caller }: Partial<Pick<Context, 'caller'>>, filter: EpisodeFilter): EpisodeFilter =>
  caller ? { ...filter, owner_id: visibleOwner({ caller }) } : filter

/** A condition on the table `episodes`, for what the caller may see. */
export function selected(host: Partial<Pick<Context, 'caller'>>, options: EpisodeFilter): Condition {
  const filter = visible(host, options)
  const parts: [string, Value | undefined][] = [
    ['episodes.owner_id = ?', filter.owner_id],
    ['episodes.source = ?', filter.source],
    ['episodes.agent_id = ?', filter.agent_id],
    ['episodes.conversation_id = ?', filter.conversation_id],
    ['episodes.id IN (SELECT episode_id FROM episode_clusters WHERE cluster_id = ?)', filter.cluster_id],
    [
      `episodes.id IN (SELECT episode_id FROM episode_entities JOIN entities ON entities.rowid = entity
        JOIN graphs ON graphs.id = entities.graph AND graphs.state = 'live' WHERE entities.id = ?)`,
      filter.entity_id,
    ],
    [
      'EXISTS (SELECT 1 FROM json_each(episodes.topics) AS own WHERE own.value IN (SELECT value FROM json_each(?)))',
      filter.topics && JSON.stringify(filter.topics),
    ],
    ['episodes.created_at >= ?', filter.start_date],
    ['episodes.created_at <= ?', filter.end_date],
    [
      '(episodes.agent_id IS NULL OR episodes.agent_id IN (SELECT value FROM json_each(?)))',
      filter.visible_to && JSON.stringify(filter.visible_to),
    ],
  ]
  const used = parts.filter((part): part is [string, Value] => part[1] !== undefined)
  return { sql: used.map(([sql]) => sql).join(' AND ') || 'true', args: used.map(([, value]) => value) }
}

const columns = `episodes.id, episodes.content, episodes.summary, episodes.source, episodes.valence,
  episodes.importance, episodes.access_count, episodes.topics, episodes.agent_id, episodes.provenance,
  episodes.trust, episodes.created_at, episodes.updated_at,
  (SELECT max(cluster_id) FROM episode_clusters WHERE episode_id = episodes.id) AS cluster_id`

const episodes = new Table<Episode, 'owner_id' | 'reply' | 'pairs' | 'conversation_id' | 'position'>('episodes', {
  json: ['topics', 'provenance'],
  select: columns,
})

/** An episode that the caller may see. */
export const findEpisode = async (host: Reader, id: string): Promise<Episode | null> =>
  (await episodesById(host, [id]))[0] ?? null

/** The episodes that still exist and that the caller may see, in no order. */
export async function episodesById(host: Reader, ids: readonly string[]): Promise<Episode[]> {
  const listed = JSON.stringify([...new Set(ids)])
  // In this order, or all episodes of the owner would be read.
  const rows = await readRows<object>(
    host,
    sql`SELECT ${raw(columns)} FROM json_each(${listed}) AS one CROSS JOIN episodes ON episodes.id = one.value
      WHERE ${selected(host, {})}`,
  )
  return rows.map((row) => episodes.decode(row))
}

const listOf = (values: readonly (string | number)[]) => sql`(SELECT value FROM json_each(${JSON.stringify(values)}))`

/** The replies of episodes by episode id. */
export async function repliesOf(host: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const query = sql`SELECT id, reply FROM episodes WHERE id IN ${listOf(ids)}`
  return new Map((await readRows<{ id: string; reply: string }>(host, query)).map(({ id, reply }) => [id, reply]))
}

export interface EpisodeRow {
  rowid: number
  episode: Episode
  reply: string
}

export async function episodesByRow(host: Sql, rowids: readonly number[]): Promise<EpisodeRow[]> {
  const rows = await readRows<{ rowid: number; reply: string }>(
    host,
    sql`SELECT episodes.rowid AS rowid, reply, ${raw(columns)} FROM episodes WHERE rowid IN ${listOf(rowids)}`,
  )
  return rows.map(({ rowid, reply, ...row }) => ({ rowid, reply, episode: episodes.decode(row) }))
}

/** Newest first. */
export const listEpisodes = (host: Reader, filter: EpisodeFilter, { limit, offset }: Page): Promise<Episode[]> =>
  episodes.list(host, `created_at DESC, rowid DESC LIMIT ${limit} OFFSET ${offset}`, selected(host, filter))

export const countEpisodes = (host: Reader, filter: EpisodeFilter) => episodes.count(host, selected(host, filter))

export const hasEpisodes = (host: Reader) => episodes.exists(host, selected(host, {}))

/** The memory data available to a job's condition: the number of episodes, and the start of the latest ones. */
export async function memoryOverview(host: Reader) {
  const latest = await readRows<{ created_at: string }>(
    host,
    sql`SELECT id, source, agent_id, created_at, importance, valence, topics, substr(content, 1, 500) AS content
      FROM episodes WHERE ${selected(host, {})} ORDER BY created_at DESC LIMIT 20`,
  )
  return { episodes: await countEpisodes(host, {}), last_episode_at: latest[0]?.created_at ?? null, latest }
}

/** Reads the full-text index, so that a health check notices a damaged one. */
export const probeIndex = (host: Sql) =>
  readRows<object>(host, sql`SELECT count(*) AS count FROM episodes_fts WHERE episodes_fts MATCH 'health'`)

/** The numbers of `GET /api/memory/stats` about episodes. */
export async function episodeStats(host: Reader) {
  // One pass over one index.
  const groups = await readRows<{ source: string; bucket: number; count: number; importance: number; valence: number }>(
    host,
    sql`SELECT source, min(9, CAST(importance * 10 AS INTEGER)) AS bucket, count(*) AS count, sum(importance) AS importance,
      sum(valence) AS valence FROM episodes WHERE ${selected(host, {})} GROUP BY source, bucket`,
  )
  const total_episodes = sumOf(groups, ({ count }) => count)
  const importance_distribution = Array<number>(10).fill(0)
  const source_distribution: Record<string, number> = {}
  for (const { source, bucket, count } of groups) {
    importance_distribution[bucket] = (importance_distribution[bucket] ?? 0) + count
    source_distribution[source] = (source_distribution[source] ?? 0) + count
  }
  return {
    total_episodes,
    avg_importance: sumOf(groups, ({ importance }) => importance) / (total_episodes || 1),
    avg_valence: sumOf(groups, ({ valence }) => valence) / (total_episodes || 1),
    importance_distribution,
    source_distribution,
  }
}

/** The users who have episodes. */
export async function memoryOwners(host: Sql): Promise<string[]> {
  const rows = await readRows<{ owner_id: string }>(host, sql`SELECT DISTINCT owner_id FROM episodes ORDER BY owner_id`)
  return rows.map(({ owner_id }) => owner_id)
}

/** The owners whose memory a context works on: all of them for the daemon. */
export const ownersFor = async (context: Pick<Context, 'sql' | 'caller'>): Promise<string[]> =>
  context.caller.owner_id === everyone ? memoryOwners(context) : [ownerOf(context)]

const rowOf = (owner_id: string, episode: WholeEpisode) => {
  const { id, content, reply, summary, source, valence, importance, access_count, topics } = episode
  const { agent_id, provenance, trust, created_at, updated_at } = episode
  return {
    ...{ id, owner_id, content, reply, summary, source, valence, importance, access_count, topics },
    ...{ agent_id, provenance, trust, created_at, updated_at, pairs: pairsOf(episode) },
    conversation_id: provenance?.conversation_id ?? null,
  }
}

const pairsOf = ({ content, reply = '', topics }: Pick<Episode, 'content' | 'topics'> & { reply?: string }) =>
  bigramTerms([content, reply, ...topics].join('\n'))

/** Without a position, the episode becomes the last of its conversation. */
export const insertEpisode = (owner_id: string, episode: WholeEpisode): Statement => {
  const row = rowOf(owner_id, episode)
  const next = sql`(SELECT max(position) + 1 FROM episodes WHERE conversation_id = ${row.conversation_id})`
  return episodes.insert({ ...row, position: sql`coalesce(${episode.position}, ${next}, 0)` })
}

/** Inserts an episode unchanged. An existing one is kept. */
export const reinsertEpisode = (owner_id: string, episode: WholeEpisode): Statement =>
  episodes.insert({ ...rowOf(owner_id, episode), position: episode.position }, 'ON CONFLICT (id) DO NOTHING')

/**
 * Stores a changed episode if it has not been changed since `before` was read. Bigrams of a reply are not known here: the
 * next index run computes them.
 */
export const updateEpisode = (episode: Episode, before: Episode): Statement => {
  const { id, content, summary, valence, importance, topics, agent_id, updated_at } = episode
  const pairs = sql`iif(reply = '', ${bigramTerms([content, ...topics].join('\n'))}, NULL)`
  return episodes.update(
    { content, summary, valence, importance, topics, agent_id, updated_at, pairs },
    { id, updated_at: before.updated_at, summary: before.summary, topics: before.topics },
    changedByAnother('episode'),
  )
}

export const replaceReply = (id: string, reply: string, updated_at: string): Statement =>
  episodes.update({ reply, updated_at }, { id })

/** Fills in an empty summary and empty topics. */
export const describeEpisode = (id: string, summary: string | null, topics: readonly string[]): Statement =>
  episodes.update(
    {
      summary: sql`coalesce(summary, ${summary})`,
      topics: sql`iif(topics = '[]', ${JSON.stringify(topics)}, topics)`,
    },
    { id },
  )

export const deleteEpisode = (id: string): Statement => episodes.delete({ id }, 'The episode was already deleted')

/** Increments the access counts of episodes. */
export const countAccess = (id: readonly string[]): Statement =>
  episodes.update({ access_count: sql`access_count + 1` }, { id })

/** The episode made of a user message, if any. */
export async function episodeOfMessage(host: Sql, conversation: string, message: string) {
  return readRow<{ id: string; reply: string }>(
    host,
    sql`SELECT id, reply FROM episodes WHERE conversation_id = ${conversation} AND source = 'conversation'
      AND position IS NOT NULL
      AND provenance ->> '$.message_id' = ${message} LIMIT 1`,
  )
}

/** The ids of the messages of a conversation that episodes were made of. */
export async function capturedMessages(host: Sql, conversation: string): Promise<Set<string>> {
  const rows = await readRows<{ id: string }>(
    host,
    sql`SELECT provenance ->> '$.message_id' AS id FROM episodes
    WHERE conversation_id = ${conversation} AND source = 'conversation' AND provenance IS NOT NULL`,
  )
  return new Set(rows.map(({ id }) => id))
}

/** Which of these ids exist. */
export const existingIds = async (host: Sql, ids: readonly string[]): Promise<Set<string>> =>
  new Set(await episodes.values(host, 'id', 'id', { id: ids }))

/** The members of `WholeEpisode`, for `json_object`. */
export const episodeJson = `'id', id, 'content', content, 'reply', reply, 'summary', summary, 'source', source,
  'valence', valence, 'importance', importance, 'access_count', access_count, 'topics', json(topics),
  'agent_id', agent_id, 'provenance', json(provenance), 'trust', trust, 'position', position,
  'created_at', created_at, 'updated_at', updated_at`

/** Number of versions kept per episode. */
const maxVersions = 20

/** Saves the current version of an episode. It must precede the statement that changes the episode. */
export const saveVersion = (
  id: string,
  { change, by, at }: { change: Change; by: string; at: string },
): Statement[] => [
  sql`INSERT INTO episode_versions (owner_id, episode_id, version, change, changed_by, changed_at, body)
      SELECT owner_id, id, (SELECT coalesce(max(version), 0) + 1 FROM episode_versions
      WHERE episode_id = episodes.id), ${change}, ${by}, ${at},
        json_object(${raw(episodeJson)})
      FROM episodes WHERE id = ${id}`,
  sql`DELETE FROM episode_versions WHERE episode_id = ${id} AND version <= (
      SELECT max(version) - ${maxVersions} FROM episode_versions WHERE episode_id = ${id})`,
]

/** The versions of an episode that were replaced after `since`, newest first. */
export async function versionsOf(host: Reader, id: string, since: string): Promise<EpisodeVersion[]> {
  const { owner_id = null } = visible(host, {})
  const rows = await readRows<Omit<EpisodeVersion, 'episode'> & { body: string }>(
    host,
    sql`SELECT version, change, changed_by, changed_at, body FROM episode_versions
    WHERE episode_id = ${id} AND changed_at >= ${since} AND owner_id = coalesce(${owner_id}, owner_id)
    ORDER BY version DESC`,
  )
  return rows.map(({ body, ...row }) => ({ ...row, episode: JSON.parse(body) as WholeEpisode }))
}

export const deleteVersions = (id: string): Statement => sql`DELETE FROM episode_versions WHERE episode_id = ${id}`

export const pruneVersions = (before: string): Statement =>
  sql`DELETE FROM episode_versions WHERE changed_at < ${before}`

export async function oldestVersion(host: Sql): Promise<string | null> {
  const row = await readRow<{ at: string | null }>(host, sql`SELECT min(changed_at) AS at FROM episode_versions`)
  return row?.at ?? null
}

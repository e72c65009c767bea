import { everyone, ownerOf, visibleOwner } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { changedByAnother } from '../fault.ts'
import type { Page } from '../http/page.ts'
import type { Condition, Statement, Value } from '../ports/sql.ts'
import { raw, readRow, readRows, sql } from '../statement.ts'
import type { Sql } from '../table.ts'
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
  /** Episodes that mention this entity of the live graph. */
  entity_id?: string | undefined
  /** Episodes of these agents, and those that belong to no agent. */
  visible_to?: readonly string[] | undefined
  /** In the stored form of times, inclusive. */
  start_date?: string | undefined
  end_date?: string | undefined
}

/** Limits a filter to what the caller may see. Every statement that selects episodes for a context uses it. */
export const visible = ({ caller }: Partial<Pick<Context, 'caller'>>, filter: EpisodeFilter): EpisodeFilter =>
  caller ? { ...filter, owner_id: visibleOwner({ caller }) } : filter

/** A condition on the table `episodes`; its SQL is empty without a filter. */
export function conditionOf(filter: EpisodeFilter): Condition {
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
    ['episodes.created_at >= ?', filter.start_date],
    ['episodes.created_at <= ?', filter.end_date],
    [
      '(episodes.agent_id IS NULL OR episodes.agent_id IN (SELECT value FROM json_each(?)))',
      filter.visible_to && JSON.stringify(filter.visible_to),
    ],
  ]
  const used = parts.filter((part): part is [string, Value] => part[1] !== undefined)
  return { sql: used.map(([sql]) => sql).join(' AND '), args: used.map(([, value]) => value) }
}

const where = ({ sql }: Condition): string => (sql === '' ? '' : `WHERE ${sql}`)

interface Row extends Omit<Episode, 'topics' | 'provenance'> {
  topics: string
  provenance: string | null
}

const columns = `episodes.id, episodes.content, episodes.summary, episodes.source, episodes.valence,
  episodes.importance, episodes.access_count, episodes.topics, episodes.agent_id, episodes.provenance,
  episodes.trust, episodes.created_at, episodes.updated_at,
  (SELECT max(cluster_id) FROM episode_clusters WHERE episode_id = episodes.id) AS cluster_id`

const toEpisode = ({ topics, provenance, ...row }: Row): Episode => ({
  ...row,
  topics: JSON.parse(topics) as string[],
  provenance: provenance === null ? null : (JSON.parse(provenance) as Episode['provenance']),
})

/** An episode that the caller may see. */
export async function findEpisode(host: Reader, id: string): Promise<Episode | null> {
  return (await episodesById(host, [id]))[0] ?? null
}

/** The episodes that still exist and that the caller may see, in no order. */
export async function episodesById(host: Reader, ids: readonly string[]): Promise<Episode[]> {
  const own = conditionOf(visible(host, {}))
  const rows = await host.sql.read<Row>(
    // In this order, or all episodes of the owner would be read.
    `SELECT ${columns} FROM json_each(?) AS one CROSS JOIN episodes ON episodes.id = one.value ${where(own)}`,
    [JSON.stringify([...new Set(ids)]), ...own.args],
  )
  return rows.map(toEpisode)
}

/** The replies of episodes by episode id. */
export async function repliesOf(host: Sql, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await readRows<{ id: string; reply: string }>(
    host,
    sql`SELECT id, reply FROM episodes WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )
  return new Map(rows.map(({ id, reply }) => [id, reply]))
}

export interface EpisodeRow {
  rowid: number
  episode: Episode
  reply: string
}

export async function episodesByRow(host: Sql, rowids: readonly number[]): Promise<EpisodeRow[]> {
  const rows = await readRows<Row & { rowid: number; reply: string }>(
    host,
    sql`SELECT episodes.rowid AS rowid, reply, ${raw(columns)} FROM episodes WHERE rowid IN (SELECT value
      FROM json_each(${JSON.stringify(rowids)}))`,
  )
  return rows.map(({ rowid, reply, ...row }) => ({ rowid, reply, episode: toEpisode(row) }))
}

/** Newest first. */
export async function listEpisodes(host: Reader, filter: EpisodeFilter, page: Page): Promise<Episode[]> {
  const condition = conditionOf(visible(host, filter))
  const rows = await host.sql.read<Row>(
    `SELECT ${columns} FROM episodes ${where(condition)} ORDER BY created_at DESC, rowid DESC LIMIT ? OFFSET ?`,
    [...condition.args, page.limit, page.offset],
  )
  return rows.map(toEpisode)
}

export async function countEpisodes(host: Reader, filter: EpisodeFilter): Promise<number> {
  const condition = conditionOf(visible(host, filter))
  const rows = await host.sql.read<{ total: number }>(
    `SELECT count(*) AS total FROM episodes ${where(condition)}`,
    condition.args,
  )
  return rows[0]?.total ?? 0
}

export async function hasEpisodes(host: Reader): Promise<boolean> {
  const own = conditionOf(visible(host, {}))
  return (await host.sql.read(`SELECT 1 FROM episodes ${where(own)} LIMIT 1`, own.args)).length > 0
}

/** The memory data available to a job's condition: the number of episodes, and the start of the latest ones. */
export async function memoryOverview(host: Reader) {
  const own = conditionOf(visible(host, {}))
  const episodes = await countEpisodes(host, {})
  const latest = await host.sql.read<{ created_at: string }>(
    `SELECT id, source, agent_id, created_at, importance, valence, topics, substr(content, 1, 500) AS content
    FROM episodes ${where(own)} ORDER BY created_at DESC LIMIT 20`,
    own.args,
  )
  return { episodes, last_episode_at: latest[0]?.created_at ?? null, latest }
}

/** Reads the full-text index, so that a health check notices a damaged one. */
export const probeIndex = (host: Sql) =>
  readRows<object>(host, sql`SELECT count(*) AS count FROM episodes_fts WHERE episodes_fts MATCH 'health'`)

/** The numbers of `GET /api/memory/stats` about episodes. */
export async function episodeStats(host: Reader) {
  const { sql } = host
  const own = conditionOf(visible(host, {}))
  const from = `FROM episodes ${where(own)}`
  const [[averages], buckets, sources] = await Promise.all([
    sql.read<{ total: number; importance: number; valence: number }>(
      `SELECT count(*) AS total, coalesce(avg(importance), 0) AS importance, coalesce(avg(valence), 0) AS valence ${from}`,
      own.args,
    ),
    sql.read<{ bucket: number; count: number }>(
      `SELECT min(9, CAST(importance * 10 AS INTEGER)) AS bucket, count(*) AS count ${from} GROUP BY bucket`,
      own.args,
    ),
    sql.read<{ source: string; count: number }>(`SELECT source, count(*) AS count ${from} GROUP BY source`, own.args),
  ])
  const distribution = Array<number>(10).fill(0)
  for (const { bucket, count } of buckets) distribution[bucket] = count
  return {
    total_episodes: averages?.total ?? 0,
    avg_importance: averages?.importance ?? 0,
    avg_valence: averages?.valence ?? 0,
    importance_distribution: distribution,
    source_distribution: Object.fromEntries(sources.map(({ source, count }) => [source, count])),
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

const columnsToInsert = `id, content, reply, summary, source, valence, importance, access_count, topics, agent_id,
  provenance, trust, created_at, updated_at, pairs, conversation_id, owner_id, position`

const valuesToInsert = (owner_id: string, episode: Omit<WholeEpisode, 'position'>): Value[] => [
  episode.id,
  episode.content,
  episode.reply,
  episode.summary,
  episode.source,
  episode.valence,
  episode.importance,
  episode.access_count,
  JSON.stringify(episode.topics),
  episode.agent_id,
  episode.provenance && JSON.stringify(episode.provenance),
  episode.trust,
  episode.created_at,
  episode.updated_at,
  bigramTerms([episode.content, episode.reply, ...episode.topics].join('\n')),
  episode.provenance?.conversation_id ?? null,
  owner_id,
]

/** Without a position, the episode becomes the last of its conversation. */
export const insertEpisode = (owner_id: string, episode: WholeEpisode): Statement => ({
  sql: `INSERT INTO episodes (${columnsToInsert}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?16, ?17,
    coalesce(?18, (SELECT max(position) + 1 FROM episodes WHERE conversation_id = ?16), 0))`,
  args: [...valuesToInsert(owner_id, episode), episode.position],
})

/** Inserts an episode unchanged. An existing one is kept. */
export const reinsertEpisode = (owner_id: string, episode: WholeEpisode): Statement => ({
  sql: `INSERT INTO episodes (${columnsToInsert}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO NOTHING`,
  args: [...valuesToInsert(owner_id, episode), episode.position],
})

/**
 * Stores a changed episode if it has not been changed since `before` was read. Bigrams of a reply are not known here: the
 * next index run computes them.
 */
export const updateEpisode = (episode: Episode, before: Episode): Statement => ({
  ...sql`UPDATE episodes
    SET content = ${episode.content}, summary = ${episode.summary}, valence = ${episode.valence},
    importance = ${episode.importance}, topics = ${JSON.stringify(episode.topics)}, agent_id = ${episode.agent_id},
    updated_at = ${episode.updated_at},
    pairs = iif(reply = '', ${bigramTerms([episode.content, ...episode.topics].join('\n'))}, NULL)
    WHERE id = ${episode.id} AND updated_at = ${before.updated_at} AND summary IS ${before.summary}
    AND topics = ${JSON.stringify(before.topics)}`,
  guard: changedByAnother('episode'),
})

export const replaceReply = (id: string, reply: string, now: string): Statement =>
  sql`UPDATE episodes SET reply = ${reply}, updated_at = ${now} WHERE id = ${id}`

/** Fills in an empty summary and empty topics. */
export const describeEpisode = (id: string, summary: string | null, topics: readonly string[]): Statement =>
  sql`UPDATE episodes
    SET summary = coalesce(summary, ${summary}), topics = iif(topics = '[]', ${JSON.stringify(topics)}, topics)
    WHERE id = ${id}`

export const deleteEpisode = (id: string): Statement => ({
  ...sql`DELETE FROM episodes WHERE id = ${id}`,
  guard: 'The episode was already deleted',
})

/** Increments the access counts of episodes. */
export const countAccess = (ids: readonly string[]): Statement =>
  sql`UPDATE episodes SET access_count = access_count + 1 WHERE id IN (SELECT value
    FROM json_each(${JSON.stringify(ids)}))`

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
export async function existingIds(host: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await readRows<{ id: string }>(
    host,
    sql`SELECT id FROM episodes WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  )
  return new Set(rows.map(({ id }) => id))
}

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

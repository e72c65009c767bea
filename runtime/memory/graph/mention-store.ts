import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import type { Entity, EntityType } from '../schema.ts'
import { type GraphState, graphOf } from './generations.ts'

type Sql = Pick<Host, 'sql'>

/** By which means an episode was read. */
export type Method = 'offline' | 'model'

/** What of an episode is read, and how it stood then. */
export interface ReadEpisode {
  id: string
  hash: string
  updated_at: string
}

export interface Mention {
  /** For an entity that is new. */
  id: string
  name: string
  key: string
  type: EntityType
  mentions: number
}

interface Mentioning {
  read: readonly { episode: ReadEpisode; mentions: readonly Mention[] }[]
  now: string
  state: GraphState
}

const items = `SELECT value ->> 'episode' AS episode, value ->> 'id' AS id, value ->> 'name' AS name, value ->> 'key' AS key,
  value ->> 'type' AS type, value ->> 'mentions' AS mentions FROM json_each(?)`

/**
 * What some episodes mention, in the place of what they did. An entity that is known by its name stays what it is, and a
 * rebuild gives it the id that it has. An episode that was deleted meanwhile adds nothing. What a fact of an episode
 * stands on stays.
 */
export function replaceMentions({ read, now, state }: Mentioning): Statement[] {
  const json = JSON.stringify(
    read.flatMap(({ episode, mentions }) => mentions.map((one) => ({ episode: episode.id, ...one }))),
  )
  const ids = JSON.stringify(read.map(({ episode }) => episode.id))
  return [
    {
      sql: `INSERT INTO entities (graph, id, name, key, type, since, created_at)
        SELECT graphs.id, coalesce((
            SELECT known.id FROM entities AS known JOIN graphs AS live ON live.id = known.graph AND live.state = 'live'
            WHERE known.key = item.key), item.id),
          item.name, item.key, item.type, episodes.created_at, ?
        FROM (${items}) AS item CROSS JOIN graphs CROSS JOIN episodes
        WHERE graphs.state = ? AND episodes.id = item.episode
        ON CONFLICT (graph, key) DO UPDATE SET since = min(since, excluded.since), type = iif(type = 'other', excluded.type, type)
        WHERE since > excluded.since OR (type = 'other' AND excluded.type <> 'other')`,
      args: [now, json, state],
    },
    {
      sql: `INSERT INTO episode_entities (episode_id, entity, mentions)
        SELECT episodes.id, entities.rowid, item.mentions
        FROM (${items}) AS item CROSS JOIN graphs CROSS JOIN episodes CROSS JOIN entities
        WHERE graphs.state = ? AND episodes.id = item.episode AND entities.graph = graphs.id AND entities.key = item.key
        ON CONFLICT (episode_id, entity) DO UPDATE SET mentions = excluded.mentions WHERE mentions <> excluded.mentions`,
      args: [json, state],
    },
    {
      sql: `DELETE FROM episode_entities WHERE episode_id IN (SELECT value FROM json_each(?1))
        AND EXISTS (SELECT 1 FROM entities JOIN graphs ON graphs.id = entities.graph WHERE entities.rowid = entity
          AND graphs.state = ?2 AND (episode_id, entities.key) NOT IN (
            SELECT value ->> 'episode', value ->> 'key' FROM json_each(?3)))
        AND NOT EXISTS (SELECT 1 FROM relation_episodes AS proof JOIN relations ON relations.rowid = proof.relation
          WHERE proof.episode_id = episode_entities.episode_id AND entity IN (relations.source, relations.target))`,
      args: [ids, state, json],
    },
  ]
}

interface Mark {
  episodes: readonly ReadEpisode[]
  reading: 'mentions' | 'facts'
  method: Method
  now: string
  state: GraphState
}

/** Notes that episodes were read as they stand, so that nobody reads them again before they change. */
export const markRead = ({ episodes, reading, method, now, state }: Mark): Statement => ({
  sql: `INSERT INTO extractions (graph, episode_id, reading, method, hash, updated_at, at)
    SELECT graphs.id, episodes.id, ?, ?, item.value ->> 'hash', item.value ->> 'updated_at', ?
    FROM json_each(?) AS item CROSS JOIN graphs CROSS JOIN episodes
    WHERE graphs.state = ? AND episodes.id = item.value ->> 'id'
    ON CONFLICT (graph, episode_id, reading) DO UPDATE SET method = excluded.method, hash = excluded.hash,
      updated_at = excluded.updated_at, at = excluded.at`,
  args: [reading, method, now, JSON.stringify(episodes.map(marked)), state],
})

const marked = ({ id, hash, updated_at }: ReadEpisode) => ({ id, hash, updated_at })

export interface KnownMark {
  episode_id: string
  hash: string
  updated_at: string
}

/** Marks of these episodes in the live graph. */
export async function marksOf(
  { sql }: Sql,
  reading: 'mentions' | 'facts',
  ids: readonly string[],
): Promise<Map<string, KnownMark & { method: Method }>> {
  const rows = await sql.read<KnownMark & { method: Method }>(
    `SELECT episode_id, hash, updated_at, method FROM extractions WHERE graph = ${graphOf} AND reading = ?
      AND episode_id IN (SELECT value FROM json_each(?))`,
    ['live', reading, JSON.stringify(ids)],
  )
  return new Map(rows.map((row) => [row.episode_id, row]))
}

/** The episode was changed in something that is not read. */
export const stillRead = ({ id, hash, updated_at }: ReadEpisode): Statement => ({
  sql: `UPDATE extractions SET updated_at = ? WHERE graph = ${graphOf} AND episode_id = ? AND hash = ? AND updated_at < ?`,
  args: [updated_at, 'live', id, hash, updated_at],
})

/** Text of an episode as it is read for the graph. */
export interface EpisodeText {
  id: string
  content: string
  reply: string
  updated_at: string
}

export function textsOf({ sql }: Sql, ids: readonly string[]): Promise<EpisodeText[]> {
  return sql.read<EpisodeText>(
    'SELECT id, content, reply, updated_at FROM episodes WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
}

/** What each of these episodes mentions, the most often mentioned first; `mentions` counts within the episode. */
export async function entitiesOf({ sql }: Sql, ids: readonly string[]): Promise<Map<string, Entity[]>> {
  const rows = await sql.read<Entity & { episode_id: string }>(
    `SELECT episode_id, entities.id, name, type, episode_entities.mentions FROM episode_entities
    JOIN entities ON entities.rowid = entity
    WHERE episode_id IN (SELECT value FROM json_each(?)) AND graph = ${graphOf}
    ORDER BY episode_entities.mentions DESC, name`,
    [JSON.stringify(ids), 'live'],
  )
  const found = new Map<string, Entity[]>()
  for (const { episode_id, ...entity } of rows) {
    const known = found.get(episode_id)
    if (known) known.push(entity)
    else found.set(episode_id, [entity])
  }
  return found
}

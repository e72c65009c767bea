import { owned } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import type { EntityType } from '../../english/entity-type.ts'
import type { Statement, Value } from '../../ports/sql.ts'
import { readRows, sql } from '../../statement.ts'
import type { Sql } from '../../table.ts'
import type { Trust } from '../../trust.ts'
import type { Entity } from '../schema.ts'
import { type GraphState, graphOf } from './generation-store.ts'

export interface EpisodeText {
  id: string
  content: string
  reply: string
  updated_at: string
}

/** An episode to read facts from, with the columns that a reading may fill in. */
export interface FactText extends EpisodeText {
  trust: Trust
  created_at: string
  summary: string | null
  /** JSON. */
  topics: string
  agent_id: string | null
  source: string
}

/** A fact of an episode that is to be stored. Source and target are name keys. */
export interface Claim {
  episode_id: string
  source: string
  target: string
  type: string
  fact: string
  valid_at: string
  ended_at: string | null
  external: boolean
}

/** A fact that is stored or about to be. */
export interface StoredFact extends Omit<Claim, 'episode_id'> {
  id: string
  invalid_at: string | null
}

export interface Placement {
  claim: Claim
  relation: StoredFact
  /** The fact is new. */
  fresh: boolean
}

/** How an episode was read. */
export type Method = 'offline' | 'model'

/** An episode as it was read. */
export interface ReadEpisode {
  id: string
  hash: string
  updated_at: string
}

export interface Mention {
  /** Used if the entity is new. */
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
 * Replaces the mentions of episodes. An entity with a earlier name keeps its id and type, also in a rebuild. A
 * deleted episode adds nothing. Entities that the facts of an episode refer to stay.
 */
export function replaceMentions({ read, now, state }: Mentioning): Statement[] {
  const json = JSON.stringify(
    read.flatMap(({ episode, mentions }) => mentions.map((one) => ({ episode: episode.id, ...one }))),
  )
  const ids = JSON.stringify(read.map(({ episode }) => episode.id))
  return [
    {
      sql: `INSERT INTO entities (owner_id, graph, id, name, key, type, since, created_at)
        SELECT episodes.owner_id, graphs.id, coalesce((
            SELECT earlier.id FROM entities AS earlier JOIN graphs AS live ON live.id = earlier.graph AND live.state = 'live'
            WHERE earlier.owner_id = episodes.owner_id AND earlier.key = item.key), item.id),
          item.name, item.key, item.type, episodes.created_at, ?
        FROM (${items}) AS item CROSS JOIN graphs CROSS JOIN episodes
        WHERE graphs.state = ? AND episodes.id = item.episode
        ON CONFLICT (graph, owner_id, key) DO UPDATE SET since = min(since, excluded.since), type = iif(type = 'other', excluded.type, type)
        WHERE since > excluded.since OR (type = 'other' AND excluded.type <> 'other')`,
      args: [now, json, state],
    },
    {
      sql: `INSERT INTO episode_entities (episode_id, entity, mentions)
        SELECT episodes.id, entities.rowid, item.mentions
        FROM (${items}) AS item CROSS JOIN graphs CROSS JOIN episodes CROSS JOIN entities
        WHERE graphs.state = ? AND episodes.id = item.episode AND entities.graph = graphs.id
          AND entities.owner_id = episodes.owner_id AND entities.key = item.key
        ON CONFLICT (episode_id, entity) DO UPDATE SET mentions = excluded.mentions WHERE mentions <> excluded.mentions`,
      args: [json, state],
    },
    sql`DELETE FROM episode_entities WHERE episode_id IN (SELECT value FROM json_each(${ids}))
        AND EXISTS (SELECT 1 FROM entities JOIN graphs ON graphs.id = entities.graph WHERE entities.rowid = entity
          AND graphs.state = ${state} AND (episode_id, entities.key) NOT IN (
            SELECT value ->> 'episode', value ->> 'key' FROM json_each(${json})))
        AND NOT EXISTS (SELECT 1 FROM relation_episodes AS proof JOIN relations ON relations.rowid = proof.relation
          WHERE proof.episode_id = episode_entities.episode_id AND entity IN (relations.source, relations.target))`,
  ]
}

interface Marking {
  episodes: readonly ReadEpisode[]
  reading: 'mentions' | 'facts'
  method: Method
  now: string
  state: GraphState
}

/** Marks episodes as read, so that they are not read again before they change. */
export const markRead = ({
  episodes,
  reading,
  method,
  now,
  state,
}: Marking): Statement => sql`INSERT INTO extractions (graph, episode_id, reading, method, hash, updated_at, at)
    SELECT graphs.id, episodes.id, ${reading}, ${method}, item.value ->> 'hash', item.value ->> 'updated_at', ${now}
    FROM json_each(${JSON.stringify(episodes.map(marked))}) AS item CROSS JOIN graphs CROSS JOIN episodes
    WHERE graphs.state = ${state} AND episodes.id = item.value ->> 'id'
    ON CONFLICT (graph, episode_id, reading) DO UPDATE SET method = excluded.method, hash = excluded.hash,
      updated_at = excluded.updated_at, at = excluded.at`

const marked = ({ id, hash, updated_at }: ReadEpisode) => ({ id, hash, updated_at })

export interface Mark {
  episode_id: string
  hash: string
  updated_at: string
}

/** The marks of these episodes in the live graph. */
export async function marksOf(
  { sql }: Sql,
  reading: 'mentions' | 'facts',
  ids: readonly string[],
): Promise<Map<string, Mark & { method: Method }>> {
  const rows = await sql.read<Mark & { method: Method }>(
    `SELECT episode_id, hash, updated_at, method FROM extractions WHERE graph = ${graphOf} AND reading = ?
      AND episode_id IN (SELECT value FROM json_each(?))`,
    ['live', reading, JSON.stringify(ids)],
  )
  return new Map(rows.map((row) => [row.episode_id, row]))
}

/** Marks an edited episode whose text is unchanged as read. */
export const touchMark = ({ id, hash, updated_at }: ReadEpisode): Statement => ({
  sql: `UPDATE extractions SET updated_at = ? WHERE graph = ${graphOf} AND episode_id = ? AND hash = ? AND updated_at < ?`,
  args: [updated_at, 'live', id, hash, updated_at],
})

/** The text of an episode that is read for the graph. */
export function textsOf(host: Sql, ids: readonly string[]): Promise<EpisodeText[]> {
  return readRows<EpisodeText>(
    host,
    sql`SELECT id, content, reply, updated_at FROM episodes WHERE id IN (SELECT value
      FROM json_each(${JSON.stringify(ids)}))`,
  )
}

/** The entities of each episode, most mentioned first. `mentions` counts within the episode. */
export async function entitiesOf({ sql }: Sql, ids: readonly string[]): Promise<Map<string, Entity[]>> {
  const rows = await sql.read<Entity & { episode_id: string }>(
    `SELECT episode_id, entities.id, name, type, episode_entities.mentions FROM episode_entities
    JOIN entities ON entities.rowid = entity
    WHERE episode_id IN (SELECT value FROM json_each(?)) AND graph = ${graphOf}
    ORDER BY episode_entities.mentions DESC, name`,
    [JSON.stringify(ids), 'live'],
  )
  const byEpisode = new Map<string, Entity[]>()
  for (const { episode_id, ...entity } of rows) {
    const list = byEpisode.get(episode_id)
    if (list) list.push(entity)
    else byEpisode.set(episode_id, [entity])
  }
  return byEpisode
}

interface ToRead {
  reading: 'mentions' | 'facts'
  agent_id?: string | undefined
  /** Includes episodes that were read already and have not changed since. */
  all?: boolean
  /** A reading by rules does not count. */
  by_model?: boolean
  state?: GraphState
  limit?: number | undefined
}

/** The ids of the episodes that are new or changed since they were read, newest first. */
export async function episodesToRead(context: Pick<Context, 'sql' | 'caller'>, filter: ToRead): Promise<string[]> {
  const { reading, agent_id, all = false, by_model = false, state = 'live', limit = -1 } = filter
  const own = owned(context, 'episodes.owner_id')
  const conditions = [
    own.sql,
    ...(agent_id === undefined ? [] : ['episodes.agent_id = ?']),
    ...(all ? [] : ['(mark.episode_id IS NULL OR mark.updated_at <> episodes.updated_at OR (? AND mark.method <> ?))']),
  ]
  const args: Value[] = [
    state,
    reading,
    ...own.args,
    ...(agent_id === undefined ? [] : [agent_id]),
    ...(all ? [] : [Number(by_model), 'model']),
    limit,
  ]
  const rows = await context.sql.read<{ id: string }>(
    `SELECT episodes.id FROM episodes LEFT JOIN extractions AS mark
      ON mark.graph = ${graphOf} AND mark.episode_id = episodes.id AND mark.reading = ?
    WHERE ${conditions.join(' AND ')}
    ORDER BY episodes.created_at DESC, episodes.rowid DESC LIMIT ?`,
    args,
  )
  return rows.map(({ id }) => id)
}

/** Episodes to read facts from, oldest first. */
export function readableEpisodes(host: Sql, ids: readonly string[]): Promise<FactText[]> {
  return readRows<FactText>(
    host,
    sql`SELECT id, content, reply, updated_at, trust, created_at, summary, topics, agent_id, source FROM episodes
    WHERE id IN (SELECT value FROM json_each(${JSON.stringify(ids)})) ORDER BY created_at, rowid`,
  )
}

type FactRow = Omit<StoredFact, 'external'> & { external: number }

/** The owner's stored facts about these subjects that other episodes than these state. */
export async function storedFacts(
  context: Pick<Context, 'sql' | 'caller'>,
  state: GraphState,
  { sources, episodes }: { sources: readonly string[]; episodes: readonly string[] },
): Promise<StoredFact[]> {
  const own = owned(context, 'source.owner_id')
  const rows = await context.sql.read<FactRow>(
    `SELECT relations.id, source.key AS source, target.key AS target, relations.type, fact, valid_at, ended_at, invalid_at, external
    FROM entities AS source JOIN relations ON relations.source = source.rowid
    JOIN entities AS target ON target.rowid = relations.target
    WHERE source.graph = ${graphOf} AND ${own.sql} AND source.key IN (SELECT value FROM json_each(?)) AND EXISTS (
      SELECT 1 FROM relation_episodes WHERE relation = relations.rowid
        AND episode_id NOT IN (SELECT value FROM json_each(?)))`,
    [state, ...own.args, JSON.stringify(sources), JSON.stringify(episodes)],
  )
  return rows.map((row) => ({ ...row, external: row.external === 1 }))
}

/** Removes these episodes as evidence. A fact without evidence is deleted by a trigger. */
export const removeEvidence = (state: GraphState, episodes: readonly string[]): Statement => ({
  sql: `DELETE FROM relation_episodes WHERE episode_id IN (SELECT value FROM json_each(?))
    AND EXISTS (SELECT 1 FROM relations WHERE relations.rowid = relation AND graph = ${graphOf})`,
  args: [JSON.stringify(episodes), state],
})

interface Placing {
  state: GraphState
  exclusive: boolean
  now: string
}

/** Stores a fact with its episode as evidence, unless the episode was deleted. */
export function placeFact({ claim, relation, fresh }: Placement, placing: Placing): Statement[] {
  const { state } = placing
  return [
    fresh ? insertFact(claim, relation, placing) : widenFact(relation, state),
    {
      sql: `INSERT INTO relation_episodes (relation, episode_id)
        SELECT relations.rowid, episodes.id FROM relations, episodes
        WHERE relations.graph = ${graphOf} AND relations.id = ? AND episodes.id = ? ON CONFLICT DO NOTHING`,
      args: [state, relation.id, claim.episode_id],
    },
  ]
}

const insertFact = (
  claim: Claim,
  relation: StoredFact,
  { state, exclusive, now }: Placing,
): Statement => sql`INSERT INTO relations (owner_id, graph, id, source, target, type, fact, valid_at, ended_at,
  invalid_at, exclusive, external, created_at)
    SELECT episodes.owner_id, graphs.id, ${relation.id}, source.rowid, target.rowid, ${relation.type}, ${relation.fact},
    ${relation.valid_at}, ${relation.ended_at}, ${relation.ended_at}, ${Number(exclusive)},
    ${Number(relation.external)}, ${now} FROM graphs, episodes
    JOIN entities AS source ON source.graph = graphs.id AND source.owner_id = episodes.owner_id
    AND source.key = ${relation.source}
    JOIN entities AS target ON target.graph = graphs.id AND target.owner_id = episodes.owner_id
    AND target.key = ${relation.target}
    WHERE graphs.state = ${state} AND episodes.id = ${claim.episode_id}`

/** Extends a stored fact to an earlier start or a earlier end. */
const widenFact = ({ id, valid_at, ended_at, external }: StoredFact, state: GraphState): Statement => ({
  sql: `UPDATE relations SET invalid_at = iif(exclusive, invalid_at, ?1), valid_at = ?2, ended_at = ?1, external = ?3
    WHERE graph = ${graphOf.replace('?', '?4')} AND id = ?5 AND (valid_at, ended_at, external) IS NOT (?2, ?1, ?3)`,
  args: [ended_at, valid_at, Number(external), state, id],
})

import type { Host } from '../../host.ts'
import type { Value } from '../../ports/sql.ts'
import type { Entity } from '../schema.ts'
import { nameKey } from './names.ts'
import type { GraphEdge, GraphQuery } from './schema.ts'

type Sql = Pick<Host, 'sql'>

const live = `(SELECT id FROM graphs WHERE state = 'live')`

export interface Part {
  sql: string
  args: Value[]
}

/** What counts as a node of the answer. */
function nodeCondition({ agent_id, type, q = '', at }: GraphQuery): Part {
  const key = nameKey(q)
  const pattern = `%${key.replace(/[\\%_]/g, '\\$&')}%`
  const parts: [string, Value[]][] = [[`entities.graph = ${live}`, []]]
  if (type !== undefined) parts.push(['entities.type = ?', [type]])
  if (key !== '') parts.push([`entities.key LIKE ? ESCAPE '\\'`, [pattern]])
  if (at !== undefined) parts.push([`(entities.since <= ? OR ${inFact})`, [at, at, at, at, at]])
  if (agent_id !== undefined)
    parts.push([
      `entities.rowid IN (SELECT entity FROM episodes JOIN episode_entities ON episode_id = episodes.id
        WHERE episodes.agent_id = ?)`,
      [agent_id],
    ])
  return { sql: parts.map(([sql]) => sql).join(' AND '), args: parts.flatMap(([, args]) => args) }
}

const held = 'relations.valid_at <= ? AND (relations.invalid_at IS NULL OR relations.invalid_at > ?)'

/** A fact may be older than the first word about it. */
const inFact = `EXISTS (SELECT 1 FROM relations WHERE relations.source = entities.rowid AND ${held})
  OR EXISTS (SELECT 1 FROM relations WHERE relations.target = entities.rowid AND ${held})`

/** What counts as an edge, wherever it leads. The plus keeps the planner off the index of whole graphs, which ends nowhere. */
function edgeCondition({ agent_id, at }: GraphQuery): Part {
  const parts: [string, Value[]][] = [[`+relations.graph = ${live}`, []]]
  if (at !== undefined) parts.push([held, [at, at]])
  if (agent_id !== undefined)
    parts.push([
      `relations.rowid IN (SELECT relation FROM episodes JOIN relation_episodes ON episode_id = episodes.id
        WHERE episodes.agent_id = ?)`,
      [agent_id],
    ])
  return { sql: parts.map(([sql]) => sql).join(' AND '), args: parts.flatMap(([, args]) => args) }
}

export type NodeRow = Entity & { rowid: number }

/** The most often mentioned first. */
export async function listNodes({ sql }: Sql, query: GraphQuery): Promise<NodeRow[]> {
  const { sql: where, args } = nodeCondition(query)
  return sql.read<NodeRow>(
    `SELECT rowid, id, name, type, mentions FROM entities WHERE ${where} ORDER BY mentions DESC, id LIMIT ?`,
    [...args, query.limit],
  )
}

export interface Totals {
  nodes: number
  /** Between any two nodes that count, shown or not. */
  edges: number
}

export async function countMatches({ sql }: Sql, query: GraphQuery): Promise<Totals> {
  const edges = edgeCondition(query)
  const node = nodeCondition(query)
  const whole = query.type === undefined && query.q === undefined && query.agent_id === undefined
  const counted = whole
    ? `SELECT (SELECT count(*) FROM entities WHERE ${node.sql}) AS nodes,
        (SELECT count(*) FROM relations WHERE relations.graph = ${live} AND ${edges.sql}) AS edges`
    : `WITH matched AS MATERIALIZED (SELECT entities.rowid AS entity FROM entities WHERE ${node.sql})
      SELECT (SELECT count(*) FROM matched) AS nodes, (
        SELECT count(*) FROM matched JOIN relations ON relations.source = matched.entity
        WHERE relations.target IN (SELECT entity FROM matched) AND ${edges.sql}) AS edges`
  const [row] = await sql.read<Totals>(counted, [...node.args, ...edges.args])
  return row ?? { nodes: 0, edges: 0 }
}

type EdgeRow = Omit<GraphEdge, 'weight' | 'episode_ids'> & { episode_ids: string }

/** Facts between these nodes, those that most episodes speak of first. */
export async function listEdges(
  { sql }: Sql,
  query: GraphQuery,
  page: { nodes: readonly number[]; limit: number },
): Promise<GraphEdge[]> {
  const { sql: where, args } = edgeCondition(query)
  const nodes = JSON.stringify(page.nodes)
  const own =
    query.agent_id === undefined ? '' : 'JOIN episodes ON episodes.id = episode_id AND episodes.agent_id = ?'
  const rows = await sql.read<EdgeRow>(
    `WITH shown AS MATERIALIZED (SELECT value AS entity FROM json_each(?))
    SELECT relations.id, source.id AS source, target.id AS target, relations.type, fact, valid_at, invalid_at,
      (SELECT json_group_array(episode_id) FROM relation_episodes ${own} WHERE relation = relations.rowid) AS episode_ids
    FROM shown JOIN relations ON relations.source = shown.entity
    JOIN entities AS source ON source.rowid = relations.source
    JOIN entities AS target ON target.rowid = relations.target
    WHERE relations.target IN (SELECT entity FROM shown) AND ${where}
    ORDER BY json_array_length(episode_ids) DESC, relations.id LIMIT ?`,
    [nodes, ...(query.agent_id === undefined ? [] : [query.agent_id]), ...args, page.limit],
  )
  return rows.map(({ episode_ids, ...row }) => {
    const ids = JSON.parse(episode_ids) as string[]
    return { ...row, weight: ids.length, episode_ids: ids }
  })
}

export interface Reach {
  first: string | null
  last: string | null
}

/** When the first and the last fact began. */
export async function reachOf({ sql }: Sql, { agent_id }: Pick<GraphQuery, 'agent_id'>): Promise<Reach> {
  const { sql: where, args } = edgeCondition({ agent_id, limit: 0 })
  const [row] = await sql.read<Reach>(
    `SELECT min(valid_at) AS first, max(valid_at) AS last FROM relations WHERE relations.graph = ${live} AND ${where}`,
    args,
  )
  return row ?? { first: null, last: null }
}

/** An entity of the live graph. */
export async function findEntity({ sql }: Sql, id: string): Promise<Entity | null> {
  const [row] = await sql.read<Entity>(
    `SELECT id, name, type, mentions FROM entities WHERE graph = ${live} AND id = ?`,
    [id],
  )
  return row ?? null
}

/** For the statistics. */
export async function countGraph({ sql }: Sql) {
  const [types, relations] = await Promise.all([
    sql.read<{ type: string; count: number }>(
      `SELECT type, count(*) AS count FROM entities WHERE graph = ${live} GROUP BY type`,
    ),
    sql.read<{ total: number }>(`SELECT count(*) AS total FROM relations WHERE graph = ${live}`),
  ])
  return {
    total_entities: types.reduce((sum, { count }) => sum + count, 0),
    total_relations: relations[0]?.total ?? 0,
    entity_type_distribution: Object.fromEntries(types.map(({ type, count }) => [type, count])),
  }
}

import { owned } from '../../auth/owner.ts'
import { notFound } from '../../fault.ts'
import type { Page } from '../../http/page.ts'
import { sumOf } from '../../numbers.ts'
import type { Condition, Value } from '../../ports/sql.ts'
import type { Reader } from '../../table.ts'
import type { Entity, EntityEpisodes, Graph, GraphEdge, GraphQuery } from '../schema.ts'
import { countEpisodes, listEpisodes } from '../store.ts'
import { liveGraph } from './generation-store.ts'
import { nameKey } from './names.ts'

/** Which entities match the query. */
function nodeCondition(context: Reader, { agent_id, type, q = '', at }: GraphQuery): Condition {
  const own = owned(context, 'entities.owner_id')
  const key = nameKey(q)
  const parts: [string, readonly Value[]][] = [[`entities.graph = ${liveGraph} AND ${own.sql}`, own.args]]
  if (type !== undefined) parts.push(['entities.type = ?', [type]])
  if (key !== '') parts.push(['instr(entities.key, ?) > 0', [key]])
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

/** Whether the entity is part of a fact at that time: a fact may start before its first mention. */
const inFact = `EXISTS (SELECT 1 FROM relations WHERE relations.source = entities.rowid AND ${held})
  OR EXISTS (SELECT 1 FROM relations WHERE relations.target = entities.rowid AND ${held})`

/** Which facts match the query. The unary plus keeps the planner from using the index on whole graphs, which is slow. */
function edgeCondition(context: Reader, { agent_id, at }: GraphQuery): Condition {
  const own = owned(context, 'relations.owner_id')
  const parts: [string, readonly Value[]][] = [[`+relations.graph = ${liveGraph} AND ${own.sql}`, own.args]]
  if (at !== undefined) parts.push([held, [at, at]])
  if (agent_id !== undefined)
    parts.push([
      `relations.rowid IN (SELECT relation FROM episodes JOIN relation_episodes ON episode_id = episodes.id
        WHERE episodes.agent_id = ?)`,
      [agent_id],
    ])
  return { sql: parts.map(([sql]) => sql).join(' AND '), args: parts.flatMap(([, args]) => args) }
}

type NodeRow = Entity & { rowid: number }

/** Most mentioned first. */
async function listNodes(context: Reader, query: GraphQuery): Promise<NodeRow[]> {
  const { sql: where, args } = nodeCondition(context, query)
  return context.sql.read<NodeRow>(
    `SELECT rowid, id, name, type, mentions FROM entities WHERE ${where} ORDER BY mentions DESC, id LIMIT ?`,
    [...args, query.limit],
  )
}

interface Totals {
  nodes: number
  /** Between any two matching nodes, whether they are returned or not. */
  edges: number
}

async function countMatches(context: Reader, query: GraphQuery): Promise<Totals> {
  const edges = edgeCondition(context, query)
  const node = nodeCondition(context, query)
  const whole = query.type === undefined && query.q === undefined && query.agent_id === undefined
  const counted = whole
    ? `SELECT (SELECT count(*) FROM entities WHERE ${node.sql}) AS nodes,
        (SELECT count(*) FROM relations WHERE relations.graph = ${liveGraph} AND ${edges.sql}) AS edges`
    : `WITH matched AS MATERIALIZED (SELECT entities.rowid AS entity FROM entities WHERE ${node.sql})
      SELECT (SELECT count(*) FROM matched) AS nodes, (
        SELECT count(*) FROM matched JOIN relations ON relations.source = matched.entity
        WHERE relations.target IN (SELECT entity FROM matched) AND ${edges.sql}) AS edges`
  const [row] = await context.sql.read<Totals>(counted, [...node.args, ...edges.args])
  return row ?? { nodes: 0, edges: 0 }
}

type EdgeRow = Omit<GraphEdge, 'weight' | 'episode_ids'> & { episode_ids: string }

/** Facts between these nodes; those that most episodes state come first. */
async function listEdges(
  context: Reader,
  query: GraphQuery,
  page: { nodes: readonly number[]; limit: number },
): Promise<GraphEdge[]> {
  const { sql: where, args } = edgeCondition(context, query)
  const nodes = JSON.stringify(page.nodes)
  const own = query.agent_id === undefined ? '' : 'JOIN episodes ON episodes.id = episode_id AND episodes.agent_id = ?'
  const rows = await context.sql.read<EdgeRow>(
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

interface FactRange {
  first: string | null
  last: string | null
}

/** Start of the earliest and of the latest fact. */
async function factRange(context: Reader, { agent_id }: Pick<GraphQuery, 'agent_id'>): Promise<FactRange> {
  const { sql: where, args } = edgeCondition(context, { agent_id, limit: 0 })
  const [row] = await context.sql.read<FactRange>(
    `SELECT min(valid_at) AS first, max(valid_at) AS last FROM relations WHERE relations.graph = ${liveGraph} AND ${where}`,
    args,
  )
  return row ?? { first: null, last: null }
}

/** An entity of the live graph that the caller may see. */
async function findEntity(context: Reader, id: string): Promise<Entity | null> {
  const own = owned(context)
  const [row] = await context.sql.read<Entity>(
    `SELECT id, name, type, mentions FROM entities WHERE graph = ${liveGraph} AND id = ? AND ${own.sql}`,
    [id, ...own.args],
  )
  return row ?? null
}

/** The numbers of `GET /api/memory/stats` about the graph. */
export async function countGraph(context: Reader) {
  const own = owned(context)
  const [types, relations] = await Promise.all([
    context.sql.read<{ type: string; count: number }>(
      `SELECT type, count(*) AS count FROM entities WHERE graph = ${liveGraph} AND ${own.sql} GROUP BY type`,
      own.args,
    ),
    context.sql.read<{ total: number }>(
      `SELECT count(*) AS total FROM relations WHERE graph = ${liveGraph} AND ${own.sql}`,
      own.args,
    ),
  ])
  return {
    total_entities: sumOf(types, ({ count }) => count),
    total_relations: relations[0]?.total ?? 0,
    entity_type_distribution: Object.fromEntries(types.map(({ type, count }) => [type, count])),
  }
}

/** Maximum number of edges in an answer: more cannot be drawn. */
const maxEdges = 5_000

/** The most mentioned entities and the facts between them. */
export async function showGraph(context: Reader, query: GraphQuery): Promise<Graph> {
  const nodes = await listNodes(context, query)
  const page = { nodes: nodes.map(({ rowid }) => rowid), limit: maxEdges }
  const [edges, totals, range] = await Promise.all([
    listEdges(context, query, page),
    countMatches(context, query),
    factRange(context, query),
  ])
  return {
    nodes: nodes.map(({ rowid: _, ...node }) => node),
    edges,
    total_nodes: totals.nodes,
    total_edges: totals.edges,
    truncated: totals.nodes > nodes.length || totals.edges > edges.length,
    first_valid_at: range.first,
    last_valid_at: range.last,
  }
}

/** One page of the episodes that mention an entity, newest first, or a 404. */
export async function episodesOfEntity(context: Reader, id: string, page: Page): Promise<EntityEpisodes> {
  const entity = await findEntity(context, id)
  if (!entity) throw notFound(`The entity ${id}`)
  const filter = { entity_id: id }
  const [episodes, total] = await Promise.all([listEpisodes(context, filter, page), countEpisodes(context, filter)])
  return { entity, episodes, total, ...page }
}

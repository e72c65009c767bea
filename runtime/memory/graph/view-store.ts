import { owned } from '../../auth/owner.ts'
import { notFound } from '../../fault.ts'
import type { Page } from '../../http/page.ts'
import { sumOf } from '../../numbers.ts'
import type { Condition } from '../../ports/sql.ts'
import { allOf, raw, readRow, readRows, sql } from '../../statement.ts'
import { type Reader, Table } from '../../table.ts'
import type { Entity, EntityEpisodes, Graph, GraphEdge, GraphQuery } from '../schema.ts'
import { countEpisodes, listEpisodes } from '../store.ts'
import { liveGraph } from './generation-store.ts'
import { nameKey } from './names.ts'

/** Which entities match the query. */
function nodeCondition(context: Reader, { agent_id, type, q = '', at }: GraphQuery): Condition {
  const key = nameKey(q)
  return allOf([
    sql`entities.graph = ${raw(liveGraph)} AND ${owned(context, 'entities.owner_id')}`,
    ...(type === undefined ? [] : [sql`entities.type = ${type}`]),
    ...(key === '' ? [] : [sql`instr(entities.key, ${key}) > 0`]),
    ...(at === undefined ? [] : [sql`(entities.since <= ${at} OR ${inFact(at)})`]),
    ...(agent_id === undefined
      ? []
      : [
          sql`entities.rowid IN (SELECT entity FROM episodes JOIN episode_entities ON episode_id = episodes.id
            WHERE episodes.agent_id = ${agent_id})`,
        ]),
  ])
}

const held = (at: string) =>
  sql`relations.valid_at <= ${at} AND (relations.invalid_at IS NULL OR relations.invalid_at > ${at})`

/** Whether the entity is part of a fact at that time: a fact may start before its first mention. */
const inFact = (at: string) =>
  sql`EXISTS (SELECT 1 FROM relations WHERE relations.source = entities.rowid AND ${held(at)})
    OR EXISTS (SELECT 1 FROM relations WHERE relations.target = entities.rowid AND ${held(at)})`

/** Which facts match the query. The unary plus keeps the planner from using the index on whole graphs, which is slow. */
const edgeCondition = (context: Reader, { agent_id, at }: GraphQuery): Condition =>
  allOf([
    sql`+relations.graph = ${raw(liveGraph)} AND ${owned(context, 'relations.owner_id')}`,
    ...(at === undefined ? [] : [held(at)]),
    ...(agent_id === undefined
      ? []
      : [
          sql`relations.rowid IN (SELECT relation FROM episodes JOIN relation_episodes ON episode_id = episodes.id
            WHERE episodes.agent_id = ${agent_id})`,
        ]),
  ])

type NodeRow = Entity & { rowid: number }

const entities = new Table<Entity>('entities')
const relations = new Table<GraphEdge>('relations')

/** Most mentioned first. */
const listNodes = (context: Reader, query: GraphQuery): Promise<NodeRow[]> =>
  readRows<NodeRow>(
    context,
    sql`SELECT rowid, id, name, type, mentions FROM entities WHERE ${nodeCondition(context, query)}
      ORDER BY mentions DESC, id LIMIT ${query.limit}`,
  )

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
    ? sql`SELECT (SELECT count(*) FROM entities WHERE ${node}) AS nodes,
        (SELECT count(*) FROM relations WHERE relations.graph = ${raw(liveGraph)} AND ${edges}) AS edges`
    : sql`WITH matched AS MATERIALIZED (SELECT entities.rowid AS entity FROM entities WHERE ${node})
      SELECT (SELECT count(*) FROM matched) AS nodes, (
        SELECT count(*) FROM matched JOIN relations ON relations.source = matched.entity
        WHERE relations.target IN (SELECT entity FROM matched) AND ${edges}) AS edges`
  return (await readRow<Totals>(context, counted)) ?? { nodes: 0, edges: 0 }
}

type EdgeRow = Omit<GraphEdge, 'weight' | 'episode_ids'> & { episode_ids: string }

/** Facts between these nodes; those that most episodes state come first. */
async function listEdges(
  context: Reader,
  query: GraphQuery,
  page: { nodes: readonly number[]; limit: number },
): Promise<GraphEdge[]> {
  const { agent_id } = query
  const ofAgent =
    agent_id === undefined
      ? raw('')
      : sql`JOIN episodes ON episodes.id = episode_id AND episodes.agent_id = ${agent_id}`
  const rows = await readRows<EdgeRow>(
    context,
    sql`WITH shown AS MATERIALIZED (SELECT value AS entity FROM json_each(${JSON.stringify(page.nodes)}))
    SELECT relations.id, source.id AS source, target.id AS target, relations.type, fact, valid_at, invalid_at,
      (SELECT json_group_array(episode_id) FROM relation_episodes ${ofAgent} WHERE relation = relations.rowid) AS episode_ids
    FROM shown JOIN relations ON relations.source = shown.entity
    JOIN entities AS source ON source.rowid = relations.source
    JOIN entities AS target ON target.rowid = relations.target
    WHERE relations.target IN (SELECT entity FROM shown) AND ${edgeCondition(context, query)}
    ORDER BY json_array_length(episode_ids) DESC, relations.id LIMIT ${page.limit}`,
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
  const range = await readRow<FactRange>(
    context,
    sql`SELECT min(valid_at) AS first, max(valid_at) AS last FROM relations
      WHERE relations.graph = ${raw(liveGraph)} AND ${edgeCondition(context, { agent_id, limit: 0 })}`,
  )
  return range ?? { first: null, last: null }
}

/** An entity of the live graph that the caller may see. */
const findEntity = (context: Reader, id: string) =>
  readRow<Entity>(
    context,
    sql`SELECT id, name, type, mentions FROM entities
      WHERE graph = ${raw(liveGraph)} AND id = ${id} AND ${owned(context)}`,
  )

/** The numbers of `GET /api/memory/stats` about the graph. */
export async function countGraph(context: Reader) {
  const own = sql`graph = ${raw(liveGraph)} AND ${owned(context)}`
  const [types, total_relations] = await Promise.all([
    entities.countBy(context, 'type', own),
    relations.count(context, own),
  ])
  return {
    total_entities: sumOf(Object.values(types), (count) => count),
    total_relations,
    entity_type_distribution: types,
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

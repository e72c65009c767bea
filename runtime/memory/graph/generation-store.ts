import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import { raw, readRow, sql } from '../../statement.ts'
import { hasWork, type WorkFilter } from '../../work/select.ts'

/** The graph that is in use, or the one that a rebuild is building. */
export type GraphState = 'live' | 'building'

/** Number of earlier graphs kept, so that a rebuild can be undone. */
const maxKept = 3

/** An SQL expression for the number of a graph. Its parameter is the state. */
export const graphOf = '(SELECT id FROM graphs WHERE state = ?)'
export const liveGraph = `(SELECT id FROM graphs WHERE state = 'live')`
const keptGraph = `(SELECT max(id) FROM graphs WHERE state = 'kept')`
const buildingGraph = `(SELECT id FROM graphs WHERE state = 'building')`

/** Fails the commit if the graph no longer exists. */
export const guardGraph = (state: GraphState): Statement => ({
  ...sql`UPDATE graphs SET state = state WHERE state = ${state}`,
  guard: 'The graph was cleared',
})

/** Fails the commit while such work is open in any process. */
export function guardNoWork(filter: WorkFilter): Statement {
  const { sql, args } = hasWork(filter)
  return {
    sql: `UPDATE graphs SET state = state WHERE state = 'live' AND NOT ${sql}`,
    args,
    guard: 'A memory job is still running; try again in a moment',
  }
}

export const dropBuilding: Statement = { sql: `DELETE FROM graphs WHERE state = 'building'` }

/** Starts an empty graph and drops what an interrupted rebuild left. */
export const beginBuilding: readonly Statement[] = [
  dropBuilding,
  { sql: `INSERT INTO graphs (state) VALUES ('building')` },
]

/**
 * Replaces the live graph with the new one and keeps the old one. What the rebuild did not read is copied.
 */
export const swapGraphs = (now: string): Statement[] => [
  guardGraph('building'),
  ...carryOver(liveGraph, buildingGraph),
  sql`UPDATE graphs SET state = 'kept', kept_at = ${now} WHERE state = 'live'`,
  { sql: `UPDATE graphs SET state = 'live' WHERE state = 'building'` },
  sql`DELETE FROM graphs WHERE state = 'kept' AND id NOT IN (
      SELECT id FROM graphs WHERE state = 'kept' ORDER BY id DESC LIMIT ${maxKept})`,
]

/**
 * Makes the latest kept graph live again. What was read since it was replaced is copied; the rest of the
 * newer graph is deleted.
 */
export const restoreGraph = (latest: number): Statement[] => [
  {
    ...sql`UPDATE graphs SET state = state WHERE id = ${latest} AND id = ${raw(keptGraph)}`,
    guard: 'Another request has already restored it',
  },
  ...carryOver(liveGraph, keptGraph, `SELECT kept_at FROM graphs WHERE id = ${keptGraph}`),
  { sql: `DELETE FROM graphs WHERE state = 'live'` },
  {
    sql: `UPDATE graphs SET state = 'live', kept_at = NULL WHERE id = ${keptGraph}`,
    guard: 'There is no earlier graph',
  },
]

/** Tables whose triggers maintain counts and times row by row, which is slow when all rows are deleted. */
export const countedTables = ['episode_entities', 'relation_episodes', 'relations'] as const

/**
 * Deletes every entity and fact, also of kept graphs. Referencing rows go first, so that no deletion has to
 * cascade.
 */
export const wipeGraph = (): Statement[] => [
  ...[...countedTables, 'extractions', 'entities'].map((table) => ({ sql: `DELETE FROM ${table}` })),
  { sql: `DELETE FROM graphs WHERE state <> 'live'` },
]

/**
 * Copies everything about the episodes that one graph has read (after a time, if given) and the other has
 * not. The marks are copied last, because they define which episodes those are.
 */
function carryOver(from: string, to: string, after = `SELECT ''`): Statement[] {
  const unread = (episode: string) => `EXISTS (
      SELECT 1 FROM extractions AS newer WHERE newer.graph = ${from} AND newer.episode_id = ${episode}
        AND newer.reading = 'mentions' AND newer.at > (${after}))
    AND NOT EXISTS (
      SELECT 1 FROM extractions AS earlier WHERE earlier.graph = ${to} AND earlier.episode_id = ${episode}
        AND earlier.reading = 'mentions')`
  return [
    {
      sql: `INSERT INTO entities (owner_id, graph, id, name, key, type, since, created_at)
        SELECT old.owner_id, ${to}, old.id, old.name, old.key, old.type, old.since, old.created_at FROM entities AS old
        WHERE old.graph = ${from} AND EXISTS (
          SELECT 1 FROM episode_entities WHERE entity = old.rowid AND ${unread('episode_entities.episode_id')})
        ON CONFLICT (graph, owner_id, key) DO UPDATE SET since = min(since, excluded.since)`,
    },
    {
      sql: `INSERT INTO episode_entities (episode_id, entity, mentions)
        SELECT episode_id, new.rowid, episode_entities.mentions FROM episode_entities
        JOIN entities AS old ON old.rowid = entity AND old.graph = ${from}
        JOIN entities AS new ON new.graph = ${to} AND new.owner_id = old.owner_id AND new.key = old.key
        WHERE ${unread('episode_entities.episode_id')}`,
    },
    {
      sql: `INSERT INTO relations (owner_id, graph, id, source, target, type, fact, valid_at, ended_at, invalid_at, exclusive, external, created_at)
        SELECT old.owner_id, ${to}, old.id, source.rowid, target.rowid, old.type, old.fact, old.valid_at, old.ended_at, old.ended_at,
          old.exclusive, old.external, old.created_at
        FROM relations AS old
        JOIN entities AS old_source ON old_source.rowid = old.source
        JOIN entities AS old_target ON old_target.rowid = old.target
        JOIN entities AS source ON source.graph = ${to} AND source.owner_id = old.owner_id
          AND source.key = old_source.key
        JOIN entities AS target ON target.graph = ${to} AND target.owner_id = old.owner_id
          AND target.key = old_target.key
        WHERE old.graph = ${from} AND EXISTS (
          SELECT 1 FROM relation_episodes WHERE relation = old.rowid AND ${unread('relation_episodes.episode_id')})
        ON CONFLICT (graph, id) DO NOTHING`,
    },
    {
      sql: `INSERT INTO relation_episodes (relation, episode_id)
        SELECT new.rowid, episode_id FROM relation_episodes
        JOIN relations AS old ON old.rowid = relation AND old.graph = ${from}
        JOIN relations AS new ON new.graph = ${to} AND new.id = old.id
        WHERE ${unread('relation_episodes.episode_id')} ON CONFLICT DO NOTHING`,
    },
    {
      sql: `INSERT INTO extractions (graph, episode_id, reading, method, hash, updated_at, at)
        SELECT ${to}, episode_id, reading, method, hash, updated_at, at FROM extractions AS mark
        WHERE mark.graph = ${from} AND ${unread('mark.episode_id')}
        ORDER BY reading ON CONFLICT DO NOTHING`,
    },
  ]
}

/** The kept graphs: how many, and the number of the latest. */
export async function keptGraphs(host: Pick<Host, 'sql'>): Promise<{ count: number; latest: number | null }> {
  const row = await readRow<{ count: number; latest: number | null }>(
    host,
    sql`SELECT count(*) AS count, max(id) AS latest FROM graphs WHERE state = 'kept'`,
  )
  return row ?? { count: 0, latest: null }
}

import type { Host } from '../../host.ts'
import type { Statement } from '../../ports/sql.ts'
import type { Claim, Placement, Standing } from './facts.ts'
import { type GraphState, graphOf } from './generations.ts'

type Sql = Pick<Host, 'sql'>

type StandingRow = Omit<Standing, 'external'> & { external: number }

/** The facts about these subjects that other episodes than these speak of. */
export async function standingFacts(
  { sql }: Sql,
  state: GraphState,
  { sources, episodes }: { sources: readonly string[]; episodes: readonly string[] },
): Promise<Standing[]> {
  const rows = await sql.read<StandingRow>(
    `SELECT relations.id, source.key AS source, target.key AS target, relations.type, fact, valid_at, ended_at, invalid_at, external
    FROM entities AS source JOIN relations ON relations.source = source.rowid
    JOIN entities AS target ON target.rowid = relations.target
    WHERE source.graph = ${graphOf} AND source.key IN (SELECT value FROM json_each(?)) AND EXISTS (
      SELECT 1 FROM relation_episodes WHERE relation = relations.rowid
        AND episode_id NOT IN (SELECT value FROM json_each(?)))`,
    [state, JSON.stringify(sources), JSON.stringify(episodes)],
  )
  return rows.map((row) => ({ ...row, external: row.external === 1 }))
}

/** What these episodes said until now says nobody any more, unless another does too. */
export const forgetFacts = (state: GraphState, episodes: readonly string[]): Statement => ({
  sql: `DELETE FROM relation_episodes WHERE episode_id IN (SELECT value FROM json_each(?))
    AND EXISTS (SELECT 1 FROM relations WHERE relations.rowid = relation AND graph = ${graphOf})`,
  args: [JSON.stringify(episodes), state],
})

interface Placing {
  state: GraphState
  exclusive: boolean
  now: string
}

/** Stores a fact and that its episode says so. An episode that was deleted meanwhile says nothing. */
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

const insertFact = (claim: Claim, relation: Standing, { state, exclusive, now }: Placing): Statement => ({
  sql: `INSERT INTO relations (graph, id, source, target, type, fact, valid_at, ended_at, invalid_at, exclusive, external, created_at)
    SELECT graphs.id, ?, source.rowid, target.rowid, ?, ?, ?, ?, ?, ?, ?, ? FROM graphs, episodes
    JOIN entities AS source ON source.graph = graphs.id AND source.key = ?
    JOIN entities AS target ON target.graph = graphs.id AND target.key = ?
    WHERE graphs.state = ? AND episodes.id = ?`,
  args: [
    relation.id,
    relation.type,
    relation.fact,
    relation.valid_at,
    relation.ended_at,
    relation.ended_at,
    Number(exclusive),
    Number(relation.external),
    now,
    relation.source,
    relation.target,
    state,
    claim.episode_id,
  ],
})

/** Another episode knows it from an earlier time, or knows its end. */
const widenFact = ({ id, valid_at, ended_at, external }: Standing, state: GraphState): Statement => ({
  sql: `UPDATE relations SET invalid_at = iif(exclusive, invalid_at, ?1), valid_at = ?2, ended_at = ?1, external = ?3
    WHERE graph = ${graphOf.replace('?', '?4')} AND id = ?5 AND (valid_at, ended_at, external) IS NOT (?2, ?1, ?3)`,
  args: [ended_at, valid_at, Number(external), state, id],
})

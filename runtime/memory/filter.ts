import type { Value } from '../ports/sql.ts'

/** Which episodes count, before anything is ranked. */
export interface EpisodeFilter {
  source?: string | undefined
  agent_id?: string | undefined
  conversation_id?: string | undefined
  cluster_id?: string | undefined
  /** Mention it, in the graph as it is now. */
  entity_id?: string | undefined
  /** Agents whose episodes may be seen; those that belong to no agent may be seen by all. */
  visible_to?: readonly string[] | undefined
  /** Stored form of times, both ends included. */
  start_date?: string | undefined
  end_date?: string | undefined
}

export interface Condition {
  sql: string
  args: Value[]
}

export function conditionOf(filter: EpisodeFilter): Condition {
  const parts: [string, Value | undefined][] = [
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
/** The condition alone, for a query that has no other. */
export const where = ({ sql }: Condition): string => (sql === '' ? '' : `WHERE ${sql}`)

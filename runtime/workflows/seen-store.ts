import type { Statement } from '../ports/sql.ts'
import { readRows, sql } from '../statement.ts'
import type { Sql } from '../table.ts'

/** What a node remembers items for; without a node, all such nodes of the workflow do. */
export interface SeenPlace {
  workflow_id: string
  node_id: string
}

const of = ({ workflow_id, node_id }: SeenPlace) => sql`workflow_id = ${workflow_id} AND node_id = ${node_id}`

/** Remembers the keys that nobody has seen for a run, and forgets all but the latest `max`. */
export const remember = (
  place: SeenPlace,
  { run, keys, max }: { run: string; keys: readonly string[]; max: number },
): Statement[] => [
  sql`INSERT OR IGNORE INTO workflow_seen (workflow_id, node_id, key, run)
    SELECT ${place.workflow_id}, ${place.node_id}, value, ${run} FROM json_each(${JSON.stringify(keys)})`,
  sql`DELETE FROM workflow_seen WHERE id IN
    (SELECT id FROM workflow_seen WHERE ${of(place)} ORDER BY id DESC LIMIT -1 OFFSET ${max})`,
]

/** The keys that this run was the first to see: the same ones if it runs again after a crash. */
export async function firstSeenBy(host: Sql, place: SeenPlace, run: string): Promise<Set<string>> {
  const rows = await readRows<{ key: string }>(
    host,
    sql`SELECT key FROM workflow_seen WHERE ${of(place)} AND run = ${run}`,
  )
  return new Set(rows.map(({ key }) => key))
}

export const forgetSeen = (place: SeenPlace): Statement => sql`DELETE FROM workflow_seen WHERE ${of(place)}`

import type { Host } from '../../host.ts'
import { graphOf } from '../graph/generations.ts'
import type { WholeEpisode } from './schema.ts'

type Sql = Pick<Host, 'sql'>

/** One row of a list in the export, with the row number that the next page begins behind. */
export interface ExportRow {
  rowid: number
  body: string
}

/** Each list of an export: rows after `after`, as JSON objects in text. */
const lists = {
  episodes: `SELECT episodes.rowid AS rowid, json_object('id', id, 'content', content, 'reply', reply,
    'summary', summary, 'source', source, 'valence', valence, 'importance', importance,
    'access_count', access_count, 'topics', json(topics), 'agent_id', agent_id, 'provenance', json(provenance),
    'trust', trust, 'position', position, 'created_at', created_at, 'updated_at', updated_at,
    'recalled', coalesce(recalled, 0), 'used', coalesce(used, 0), 'ignored', coalesce(ignored, 0)) AS body
    FROM episodes LEFT JOIN episode_recalls ON episode_id = id WHERE episodes.rowid > ?1`,
  entities: `SELECT entities.rowid AS rowid, json_object('id', id, 'name', name, 'type', type, 'mentions', mentions,
    'created_at', created_at, 'episode_ids', (SELECT json_group_array(episode_id) FROM episode_entities WHERE entity = entities.rowid)) AS body
    FROM entities WHERE graph = ${graphOf.replace('?', "'live'")} AND entities.rowid > ?1`,
  relations: `SELECT relations.rowid AS rowid, json_object('id', relations.id, 'source', source.id, 'target', target.id,
    'type', relations.type, 'fact', fact, 'valid_at', valid_at, 'invalid_at', invalid_at, 'created_at', relations.created_at,
    'episode_ids', (SELECT json_group_array(episode_id) FROM relation_episodes WHERE relation = relations.rowid)) AS body
    FROM relations JOIN entities AS source ON source.rowid = relations.source
    JOIN entities AS target ON target.rowid = relations.target
    WHERE relations.graph = ${graphOf.replace('?', "'live'")} AND relations.rowid > ?1`,
} as const

export type ExportList = keyof typeof lists
export const exportLists = Object.keys(lists) as ExportList[]

export const exportRows = ({ sql }: Sql, list: ExportList, page: { after: number; limit: number }) =>
  sql.read<ExportRow>(`${lists[list]} ORDER BY rowid LIMIT ?2`, [page.after, page.limit])

/** Which of these are there already. */
export async function knownIds({ sql }: Sql, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql.read<Pick<WholeEpisode, 'id'>>(
    'SELECT id FROM episodes WHERE id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(ids)],
  )
  return new Set(rows.map(({ id }) => id))
}

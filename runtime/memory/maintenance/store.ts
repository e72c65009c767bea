import { owned } from '../../auth/owner.ts'
import type { Context } from '../../context.ts'
import type { Statement, Value } from '../../ports/sql.ts'
import type { Sql } from '../../table.ts'
import { countedTables, liveGraph, wipeGraph } from '../graph/generation-store.ts'
import { wipeVectors } from '../search/vector-store.ts'
import type { MemorySettings } from '../settings.ts'
import { countEpisodes, episodeJson, type Reader, visible } from '../store.ts'

/** The lists of an export: rows after `?1` as JSON objects; `?3` is the owner, or null for all. */
const lists = {
  episodes: `SELECT episodes.rowid AS rowid, json_object(${episodeJson},
    'recalled', coalesce(recalled, 0), 'used', coalesce(used, 0), 'ignored', coalesce(ignored, 0)) AS body
    FROM episodes LEFT JOIN episode_recalls ON episode_id = id WHERE episodes.rowid > ?1 AND owner_id = coalesce(?3, owner_id)`,
  entities: `SELECT entities.rowid AS rowid, json_object('id', id, 'name', name, 'type', type, 'mentions', mentions,
    'created_at', created_at, 'episode_ids', (SELECT json_group_array(episode_id) FROM episode_entities WHERE entity = entities.rowid)) AS body
    FROM entities WHERE graph = ${liveGraph} AND entities.rowid > ?1 AND owner_id = coalesce(?3, owner_id)`,
  relations: `SELECT relations.rowid AS rowid, json_object('id', relations.id, 'source', source.id, 'target', target.id,
    'type', relations.type, 'fact', fact, 'valid_at', valid_at, 'invalid_at', invalid_at, 'created_at', relations.created_at,
    'episode_ids', (SELECT json_group_array(episode_id) FROM relation_episodes WHERE relation = relations.rowid)) AS body
    FROM relations JOIN entities AS source ON source.rowid = relations.source
    JOIN entities AS target ON target.rowid = relations.target
    WHERE relations.graph = ${liveGraph} AND relations.rowid > ?1
      AND relations.owner_id = coalesce(?3, relations.owner_id)`,
} as const

export type ExportList = keyof typeof lists
export const exportLists = Object.keys(lists) as ExportList[]

export const exportRows = (host: Reader, list: ExportList, page: { after: number; limit: number }) =>
  host.sql.read<{ rowid: number; body: string }>(`${lists[list]} ORDER BY rowid LIMIT ?2`, [
    page.after,
    page.limit,
    visible(host, {}).owner_id ?? null,
  ])

/** Memories that the owner wrote by hand are deleted by age only. */
const notByHand = `NOT (source = 'manual' AND trust = 'owner')`

/**
 * The ids of at most `limit` episodes of an owner to delete by the retention rules: first the old and the
 * unimportant, and only when none of these are left the least important of too many.
 */
export async function episodesToDelete(
  context: Pick<Context, 'sql' | 'caller'>,
  rules: MemorySettings['retention'],
  { before, limit }: { before: string; limit: number },
): Promise<string[]> {
  const own = owned(context)
  const conditions: [string, Value | null][] = [
    ['created_at < ?', rules.max_age_days === null ? null : before],
    [`importance < ? AND ${notByHand}`, rules.delete_below_importance],
  ]
  const used = conditions.filter((one): one is [string, Value] => one[1] !== null)
  const ids = new Set<string>()
  for (const [condition, value] of used) {
    const rows = await context.sql.read<{ id: string }>(
      `SELECT id FROM episodes WHERE ${own.sql} AND ${condition} ORDER BY created_at LIMIT ?`,
      [...own.args, value, limit],
    )
    for (const { id } of rows) ids.add(id)
  }
  if (ids.size > 0 || rules.max_episodes === null) return [...ids].slice(0, limit)
  return excessEpisodes(context, rules.max_episodes, limit)
}

/** Ordered by importance, then by use in answers, then by age. */
async function excessEpisodes(context: Pick<Context, 'sql' | 'caller'>, max: number, limit: number): Promise<string[]> {
  const own = owned(context)
  const excess = Math.min(limit, (await countEpisodes(context, {})) - max)
  if (excess <= 0) return []
  const rows = await context.sql.read<{ id: string }>(
    `SELECT id FROM episodes LEFT JOIN episode_recalls ON episode_id = id WHERE ${own.sql} AND ${notByHand}
    ORDER BY importance, coalesce(used, 0), created_at LIMIT ?`,
    [...own.args, excess],
  )
  return rows.map(({ id }) => id)
}

/** Deletes one owner's data row by row, so that the triggers keep the data of others. */
export const wipeOwnerStatements = (owner_id: string): Statement[] => [
  { sql: 'DELETE FROM episodes WHERE owner_id = ?', args: [owner_id] },
  { sql: 'DELETE FROM episode_versions WHERE owner_id = ?', args: [owner_id] },
  { sql: `DELETE FROM memory_maps WHERE scope = ?1 OR scope LIKE ?1 || ' %'`, args: [owner_id] },
  ...['episodes_fts', 'pairs_fts'].map((table) => ({
    sql: `INSERT INTO ${table} (${table}) VALUES ('optimize')`,
  })),
]

/** Deletes everything of all owners and leaves no trace of the text in the indexes. */
export async function wipeStatements(host: Sql): Promise<Statement[]> {
  const triggers = await triggersOf(host, ['episodes', ...countedTables])
  return [
    ...triggers.map(({ name }) => ({ sql: `DROP TRIGGER "${name}"` })),
    ...wipeGraph(),
    ...wipeVectors(),
    { sql: 'DELETE FROM episodes' },
    ...triggers.map(({ sql }) => ({ sql })),
    // Rebuilt from no episodes, these indexes are empty.
    ...['episodes_fts', 'pairs_fts'].map((table) => ({
      sql: `INSERT INTO ${table} (${table}) VALUES ('rebuild')`,
    })),
    { sql: 'DELETE FROM episode_versions' },
    { sql: 'DELETE FROM memory_maps' },
  ]
}

/** Triggers work row by row, which is slow for all rows, and what they maintain is emptied anyway. */
const triggersOf = ({ sql }: Sql, tables: readonly string[]) =>
  sql.read<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(tables)],
  )

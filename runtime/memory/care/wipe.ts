import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import type { Statement } from '../../ports/sql.ts'
import { iso } from '../../time.ts'
import { captureKind } from '../capture/kind.ts'
import { countedTables, wipeGraph } from '../graph/generations.ts'
import { wipeVectors } from '../retrieval/vector-store.ts'
import { countEpisodes } from '../store.ts'
import { endMemoryWork, guardIdle } from './end-work.ts'

/**
 * Deletes every episode and all that was made of them: vectors, the graph with its snapshots, histories, counts of
 * recall. What waits to be captured is not captured any more, and jobs of the memory end: nothing is stored behind it.
 * Nothing is left in the file, and its room is given back.
 */
export async function clearMemory(context: Context): Promise<{ cleared: number }> {
  await endMemoryWork(context)
  const cleared = await countEpisodes(context, {})
  const triggers = await triggersOf(context, ['episodes', ...countedTables])
  await context.commit(
    [
      guardIdle,
      ...triggers.map(({ name }) => ({ sql: `DROP TRIGGER "${name}"` })),
      ...wipeGraph(),
      ...wipeVectors(),
      { sql: 'DELETE FROM episodes' },
      ...triggers.map(({ sql }) => ({ sql })),
      ...emptied.map((table) => ({ sql: `INSERT INTO ${table} (${table}) VALUES ('rebuild')` })),
      { sql: 'DELETE FROM episode_versions' },
      { sql: 'DELETE FROM memory_maps' },
      cancelCaptures(iso(context.clock.now())),
      auditStatement(context, { action: 'memory.cleared', target: 'memory' }),
    ],
    [{ type: 'memory.cleared', data: { cleared } }],
    { long: true },
  )
  await context.sql.compact()
  return { cleared }
}

/** Indexes that read the episodes: made anew of none they are empty, without a trace of what was deleted. */
const emptied = ['episodes_fts', 'pairs_fts']

/** They work row by row, which takes long for all rows and is of no use when everything they keep is emptied. */
const triggersOf = ({ sql }: Pick<Context, 'sql'>, tables: readonly string[]) =>
  sql.read<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(tables)],
  )

const cancelCaptures = (now: string): Statement => ({
  sql: `UPDATE work SET status = 'cancelled', finished_at = ? WHERE kind = ? AND status = 'queued'`,
  args: [now, captureKind],
})

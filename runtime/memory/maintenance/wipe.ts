import { auditStatement } from '../../auth/audit.ts'
import type { Context } from '../../context.ts'
import { GuardFailed, type Statement } from '../../ports/sql.ts'
import { second } from '../../time.ts'
import { cancelWork } from '../../work/cancel.ts'
import { requireKind } from '../../work/kinds.ts'
import { cancelQueuedWork, hasWork, listWork } from '../../work/select.ts'
import { countedTables, wipeGraph } from '../graph/generation-store.ts'
import { wipeVectors } from '../search/vector-store.ts'
import { countEpisodes } from '../store.ts'
import { captureKind, jobKind } from '../work.ts'

/**
 * Deletes every episode and everything derived from it: vectors, graphs, histories, recall counts. Queued captures are
 * cancelled and memory jobs are stopped first. Afterwards the file contains no trace of the data and has shrunk.
 */
export async function clearMemory(context: Context): Promise<{ cleared: number }> {
  await stopMemoryWork(context)
  const cleared = await countEpisodes(context, {})
  const triggers = await triggersOf(context, ['episodes', ...countedTables])
  await context.commit(
    [
      guardIdle(),
      ...triggers.map(({ name }) => ({ sql: `DROP TRIGGER "${name}"` })),
      ...wipeGraph(),
      ...wipeVectors(),
      { sql: 'DELETE FROM episodes' },
      ...triggers.map(({ sql }) => ({ sql })),
      ...rebuiltIndexes.map((table) => ({ sql: `INSERT INTO ${table} (${table}) VALUES ('rebuild')` })),
      { sql: 'DELETE FROM episode_versions' },
      { sql: 'DELETE FROM memory_maps' },
      cancelQueuedWork(context, { kind: captureKind }),
      auditStatement(context, { action: 'memory.cleared', target: 'memory' }),
    ],
    [{ type: 'memory.cleared', data: { cleared } }],
    { long: true },
  )
  await context.sql.compact()
  return { cleared }
}

/** Rebuilt from no episodes, these indexes are empty and keep no trace of deleted text. */
const rebuiltIndexes = ['episodes_fts', 'pairs_fts']

/** Triggers work row by row, which is slow for all rows, and what they maintain is emptied anyway. */
const triggersOf = ({ sql }: Pick<Context, 'sql'>, tables: readonly string[]) =>
  sql.read<{ name: string; sql: string }>(
    `SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(tables)],
  )

/** Kinds of work that add to memory. */
const addingKinds = [jobKind, captureKind]

/** How long to wait for running work to stop at its next step. */
const patience = 10 * second

/** Cancels all work that adds to memory and waits until it has stopped, up to a limit. */
async function stopMemoryWork(context: Context): Promise<void> {
  const stopped: string[] = []
  for (const work of await listWork(context, { kind: addingKinds })) {
    const kind = await requireKind(context, work.kind)
    await cancelWork(context, kind, work, 'Memory was cleared').catch(ignoreEnded)
    stopped.push(work.id)
  }
  if (stopped.length === 0) return
  const waited = new AbortController()
  const late = context.clock.after(patience, waited.signal).catch(() => undefined)
  await Promise.race([context.process.running.settled(stopped), late])
  waited.abort()
}

function ignoreEnded(thrown: unknown): void {
  if (!(thrown instanceof GuardFailed)) throw thrown
}

/** Fails the commit while any process still runs work that adds to memory. */
function guardIdle(): Statement {
  const { sql, args } = hasWork({ kind: addingKinds, status: 'running' })
  return {
    sql: `UPDATE graphs SET state = state WHERE state = 'live' AND NOT ${sql}`,
    args,
    guard: 'A memory job is still running; try again in a moment',
  }
}

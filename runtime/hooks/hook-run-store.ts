import { z } from 'zod'
import type { Page } from '../http/page.ts'
import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { countLog, type KeptRows, type Listed, type Log, pruneLog } from './log-store.ts'

export const Decision = z.enum(['allow', 'deny', 'ask'])

/** `skipped`: too many hooks and workflows triggered each other before the event, or the hook was disabled. */
const HookRunStatus = z.enum(['pending', 'succeeded', 'failed', 'skipped'])

export const HookRun = z.object({
  id: z.string(),
  hook_id: z.string(),
  event_type: z.string(),
  status: HookRunStatus,
  decision: Decision.nullable(),
  /** Ids of the started objects, or the response. */
  result: z.record(z.string(), z.unknown()).nullable(),
  error: z.string().nullable(),
  created_at: z.string(),
  completed_at: z.string().nullable(),
})
export type HookRun = z.output<typeof HookRun>

export const HookRunDetails = HookRun.extend({
  event: z.object({ type: z.string(), ts: z.string(), data: z.unknown() }),
})
export type HookRunDetails = z.output<typeof HookRunDetails>

const runs = new Table<HookRunDetails>('hook_runs', { json: ['event', 'result'] })

/** Runs without their events, which may be large. */
const runsInLists = new Table<HookRun>('hook_runs', {
  json: ['result'],
  select: Object.keys(HookRun.shape).join(', '),
})

const log: Log = { table: 'hook_runs', owner: 'hook_id', at: 'created_at' }

export async function runCounts(host: Sql, hook: string) {
  const { count, failed, last_at } = await countLog(host, log, hook)
  return { runs: count, failed, last_run_at: last_at }
}

export const insertRun = (run: HookRunDetails): Statement => runs.insert(run)

export const endRun = (id: string, end: Pick<HookRun, 'status' | 'result' | 'error' | 'completed_at'>): Statement =>
  runs.update(end, { id })

export const findRun = (host: Sql, id: string) => runs.find(host, { id })

/** A page of the runs of a hook, newest first. */
export const listRuns = (host: Sql, hook_id: string, page: Page) => runsInLists.page(host, page, 'id DESC', { hook_id })

export const hookRuns: Listed = { kind: 'hook', log, parents: 'hooks', page: '/hooks/events/' }

export const pruneRuns = (limits: KeptRows): Statement[] => pruneLog(log, limits)

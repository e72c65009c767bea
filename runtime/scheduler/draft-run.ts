import type { Context } from '../context.ts'
import { newId } from '../id.ts'
import { iso } from '../time.ts'
import type { RunTrigger } from './run-schema.ts'
import type { NewRun } from './run-store.ts'

/** A run that is not stored yet. */
export function draftRun(
  context: Context,
  of: { job_id: string; trigger: RunTrigger; at: number; chain_run_id?: string | null },
): NewRun {
  const now = context.clock.now()
  return {
    id: newId('run', now),
    job_id: of.job_id,
    status: 'queued',
    trigger: of.trigger,
    scheduled_for: iso(of.at),
    attempt: 1,
    error: null,
    created_at: iso(now),
    completed_at: null,
    chain_run_id: of.chain_run_id ?? null,
  }
}

import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredJob } from './job-store.ts'
import type { StoredRun } from './run-store.ts'
import type { RunOutcome, startable } from './schema.ts'

/** What a job can start. A new kind is one file and one line below. */
export interface Target {
  /**
   * Queues the work of a run, for the commit that makes it running. That work queues `scheduler.end` when it has ended.
   * Throws a `Fault` that says why the run cannot start.
   */
  start(context: Context, job: StoredJob, run: Pick<StoredRun, 'id' | 'trigger'>): Promise<Started>
  /** How the work ended; null while it is running. */
  outcome(context: Context, run: StoredRun): Promise<RunOutcome | null>
  /** Stops the work. False while another process runs it; then ask again. */
  stop(context: Context, run: Pick<StoredRun, 'message_id'>): Promise<boolean>
}

export interface Started {
  conversation_id: string | null
  message_id: string | null
  statements: Statement[]
  events: EventInput[]
}

export type TargetKind = StoredJob['target']['kind']

/** Loaded when the first job of the kind is due. */
const targets: Record<(typeof startable)[number], () => Promise<Target>> = {
  agent: async () => (await import('./agent-target.ts')).agentTarget,
}

/** Undefined for a kind that cannot be started here. */
export const targetOf = async (kind: TargetKind): Promise<Target | undefined> =>
  (targets as Partial<Record<TargetKind, () => Promise<Target>>>)[kind]?.()

/** Stops the work of a run. False while another process runs it, or if it cannot be stopped here. */
export const stopTarget = async (
  kind: TargetKind,
  context: Context,
  run: Parameters<Target['stop']>[1],
): Promise<boolean> => (await targetOf(kind))?.stop(context, run) ?? false

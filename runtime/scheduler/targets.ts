import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredJob } from './job-store.ts'
import type { StoredRun } from './run-store.ts'
import type { Job, JobSettings, RunOutcome, TargetKind } from './schema.ts'

/** What a job can start. Areas contribute them by kind; see `Area.targets`. */
export interface Target {
  /**
   * Checks a new or changed job before it is stored, and returns its ids, with defaults where none were given. Throws a
   * `Fault` that names the field.
   */
  check(context: Context, job: Checked): Promise<TargetIds>
  /**
   * Queues the work of a run, for the commit that makes it running. When that work has ended, it queues
   * `endOf(run)` of `kinds.ts` in its own commit. Throws a `Fault` that says why the run cannot start.
   */
  start(context: Context, job: StartingJob, run: Pick<StoredRun, 'id' | 'trigger'>): Promise<Started>
  /** How the work ended; null while it is running. */
  outcome(context: Context, run: StoredRun): Promise<RunOutcome | null>
  /** What the units of its work are about: the time limit counts while one of them runs. */
  subjects(context: Context, run: StartedRun): Promise<string[]>
  /** Stops the work. False while another process runs it; then ask again. */
  stop(context: Context, run: StartedRun): Promise<boolean>
}

/** The fields of a job that a start needs. A hook or a webhook that starts something has them too. */
export type StartingJob = Pick<
  StoredJob,
  'id' | 'name' | 'goal' | 'agent_id' | 'execution_mode' | 'model' | 'budget' | 'target' | 'trust'
>

export interface TargetIds {
  agent_id: string | null
  /** `target.id` of the job. */
  id: string | null
}

/** The fields of a job on which a target may depend. */
export interface Checked extends Pick<JobSettings, 'target' | 'execution_mode' | 'model'> {
  agent_id: Job['agent_id']
}

/** What a run has started. */
export type StartedRun = Pick<StoredRun, 'message_id' | 'started_id'>

export interface Started {
  conversation_id: string | null
  message_id: string | null
  /** The project, loop run or execution that was started; null for an agent, whose `message_id` it is. */
  started_id: string | null
  statements: Statement[]
  events: EventInput[]
}

/** Loaded when the first job of the kind is used. Undefined for a kind that cannot be started here. */
export async function targetOf(
  { areas }: Pick<Host, 'areas'>,
  kind: TargetKind,
): Promise<Target | undefined> {
  for (const { targets } of areas) if (targets?.[kind]) return targets[kind]()
  return undefined
}

/** Stops the work of a run. False while another process runs it, or if it cannot be stopped here. */
export const stopTarget = async (kind: TargetKind, context: Context, run: StartedRun): Promise<boolean> =>
  (await targetOf(context, kind))?.stop(context, run) ?? false

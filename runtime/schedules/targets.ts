import { z } from 'zod'
import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { ExecutionMode } from '../tools/modes.ts'
import type { Trust } from '../trust.ts'

/** What a job can start. Areas contribute the targets; a kind without one is refused. */
export const TargetKind = z.enum(['agent', 'workflow', 'project', 'loop', 'webhook'])
export type TargetKind = z.output<typeof TargetKind>

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
  start(context: Context, job: StartingJob, run: { id: string; trigger: string }): Promise<Started>
  /** How the work ended; null while it is running. */
  outcome(context: Context, run: StartedRun): Promise<RunOutcome | null>
  /** What the units of its work are about: the time limit counts while one of them runs. */
  subjects(context: Context, run: StartedRun): Promise<string[]>
  /** Stops the work. False while another process runs it; then ask again. */
  stop(context: Context, run: StartedRun): Promise<boolean>
}

/** The fields of a job on which a target may depend. */
export interface Checked {
  target: { kind: TargetKind; id: string | null }
  execution_mode: ExecutionMode
  /** `provider/model`; null for the agent's model. */
  model: string | null
  agent_id: string | null
}

/** The fields of a job that a start needs. A hook or a webhook that starts something has them too. */
export interface StartingJob extends Checked {
  id: string
  name: string
  goal: string
  budget: { run_usd: number | null; daily_usd: number | null } | null
  trust: Trust
}

export interface TargetIds {
  agent_id: string | null
  /** `target.id` of the job. */
  id: string | null
}

/** What a run has started. */
export interface StartedRun {
  message_id: string | null
  started_id: string | null
}

/** The outcome of a run. */
export interface RunOutcome {
  status: 'succeeded' | 'failed' | 'timed_out' | 'cancelled' | 'skipped' | 'lost'
  output?: string | null
  error?: string | null
  input_tokens?: number
  output_tokens?: number
  cost_usd?: number
  /** Do not retry: another attempt would fail the same way. */
  final?: boolean
}

export interface Started {
  conversation_id: string | null
  message_id: string | null
  /** The project, loop run or execution that was started; null for an agent, whose `message_id` it is. */
  started_id: string | null
  statements: Statement[]
  events: EventInput[]
}

/** Loaded when the first job of the kind is used. Undefined for a kind that cannot be started here. */
export async function targetOf({ areas }: Pick<Host, 'areas'>, kind: TargetKind): Promise<Target | undefined> {
  for (const { targets } of areas) if (targets?.[kind]) return targets[kind]()
  return undefined
}

/** Stops the work of a run. False while another process runs it, or if it cannot be stopped here. */
export const stopTarget = async (kind: TargetKind, context: Context, run: StartedRun): Promise<boolean> =>
  (await targetOf(context, kind))?.stop(context, run) ?? false

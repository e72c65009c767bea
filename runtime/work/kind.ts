import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import type { Work } from './schema.ts'

/** What belongs to the end of a unit: rows and events of the same commit, and what is told once it is durable. */
export interface WorkEnding {
  statements?: Statement[]
  events?: EventInput[]
  announce?(): void
}

/** How one try ended. */
export interface WorkOutcome extends WorkEnding {
  status: 'succeeded' | 'failed' | 'waiting' | 'cancelled'
  output?: Record<string, unknown>
}

export interface RetryPolicy {
  /** All tries together, the first included. */
  max_attempts: number
  /** Seconds before try `attempt + 1`. */
  delay_seconds(attempt: number): number
}

/** What the queue must know to run one kind of work. */
export interface WorkKind {
  kind: string
  /** Units of this kind that one process runs at once. */
  max_running: number
  /** A try that takes longer is aborted and counts as failed. Default: none. */
  timeout_seconds?: number
  /** What to do when a try throws; default is to fail at once. */
  retry?: RetryPolicy
  /** Whether a unit whose process died is tried again (under `retry`), or is lost and told so by `lost`. */
  after_crash: 'retry' | 'lose'
  /** Whether a unit that was cut goes on from where it was, though its kind is otherwise lost. */
  resumable?(work: Work, context: Context): Promise<boolean>
  /** `signal` of the context aborts when the unit is cancelled, times out or the daemon stops. */
  run(work: Work, context: Context): Promise<WorkOutcome>
  /** Marks the end of a unit that is lost, cancelled while not running, or out of tries. */
  ended?(work: Work, status: 'lost' | 'cancelled' | 'failed', context: Context): Promise<WorkEnding>
}

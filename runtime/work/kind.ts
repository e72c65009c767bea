import type { Context } from '../context.ts'
import type { EventInput } from '../events/event.ts'
import type { Statement } from '../ports/sql.ts'
import type { Work } from './schema.ts'

/** Rows and events committed with the end of a unit, and a callback to run after the commit. */
export interface WorkEnding {
  statements?: Statement[]
  events?: EventInput[]
  announce?(): void
}

/** Outcome of one attempt. */
export interface WorkOutcome extends WorkEnding {
  status: 'succeeded' | 'failed' | 'waiting' | 'cancelled'
  output?: Record<string, unknown>
  /** Of a unit that has begun before it was stored: it has ended before, too, so nothing is left to store. */
  unstored?: true
}

export interface RetryPolicy {
  /** Maximum attempts, including the first. */
  max_attempts: number
  /** Delay before attempt `attempt + 1`, in seconds. */
  delay_seconds(attempt: number): number
}

/** How an interrupted unit resumes. */
export interface Resumption {
  delay_seconds: number
  /** Rows committed when the unit is queued again. */
  statements?: Statement[]
}

/** Defines how the queue runs one kind of work. */
export interface WorkKind {
  kind: string
  /** Maximum units of this kind that one process runs at once. */
  max_running: number
  /** Whether a unit that waits for another attempt blocks its lane, so that no later unit overtakes it. */
  ordered?: true
  /** Time limit of an attempt, in seconds. An attempt that exceeds it is aborted and fails. Default: none. */
  timeout_seconds?: number
  /** Retry policy for attempts that throw. Default: no retries. */
  retry?: RetryPolicy
  /** Whether it reports events to someone. What is due when a daemon stops is sent before it stops. */
  reports_events?: true
  /** Whether a unit whose process died is retried (under `retry`) or is lost. */
  after_crash: 'retry' | 'lose'
  /** How this interrupted unit resumes, although its kind is otherwise lost; null if it is lost. */
  resume?(work: Work, context: Context): Promise<Resumption | null>
  /** The context's `signal` aborts if the unit is cancelled or times out, or the daemon stops. */
  run(work: Work, context: Context): Promise<WorkOutcome>
  /** Called when a unit is lost, cancelled while not running, or out of attempts. */
  ended?(work: Work, status: 'lost' | 'cancelled' | 'failed', context: Context): Promise<WorkEnding>
}

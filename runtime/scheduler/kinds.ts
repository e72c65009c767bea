import type { Job } from './schema.ts'

/** Kind of the work that begins a run. Its subject is the run. */
export const runKind = 'scheduler.run'

/** The same for runs that are made up for: few of them go on at once. */
export const catchUpKind = 'scheduler.catchup'

/** Kind of the work that closes a run once its turn has ended. */
export const endKind = 'scheduler.end'

/** Kind of the work that stops what a run does: when its time is up, or when it was cancelled. */
export const stopKind = 'scheduler.stop'

/** Payload of a stop that outlives its run. */
export interface Leftover {
  target: Job['target']['kind']
  message_id: string | null
}

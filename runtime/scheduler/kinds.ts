import type { Job } from './schema.ts'

/** Kind of the work that begins a run. Its subject is the run. */
export const runKind = 'scheduler.run'

/** The same for runs that are made up for: few of them go on at once. */
export const catchUpKind = 'scheduler.catchup'

/** Kind of the work that closes a run once its turn has ended. */
export const endKind = 'scheduler.end'

/** Kind of the work that stops what a run does: when its time is up, or when it was cancelled. */
export const stopKind = 'scheduler.stop'

/** Kind of the work that brings what came of a run to where its job says. Its subject is the run. */
export const deliveryKind = 'scheduler.delivery'

/** Kind of the work that goes on with the chains behind a run that has ended. Its subject is the run, or a run of a chain. */
export const chainKind = 'scheduler.chain'

/** Payload of a stop that outlives its run. */
export interface Leftover {
  target: Job['target']['kind']
  message_id: string | null
}

import { processState } from '../process-state.ts'

/** What this process knows about its last scheduler tick, for `GET /api/scheduler/status`. */
export const schedulerState = processState(() => ({
  /** Jobs that were due at the last tick. */
  jobs_checked: 0,
}))

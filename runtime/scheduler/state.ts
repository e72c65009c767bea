import { processState } from '../process-state.ts'

/** What this process knows of its last look at the calendar, for `GET /api/scheduler/status`. */
export const schedulerState = processState(() => ({
  /** Jobs that were due at the last tick. */
  jobs_checked: 0,
}))

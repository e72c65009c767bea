/** What one process knows of its last look at the calendar, for `GET /api/scheduler/status`. */
export class SchedulerState {
  /** Jobs that the last tick found due. */
  checked = 0
  /** When the next tick is needed, in milliseconds since the epoch; null before the first. */
  next_at: number | null = null
}

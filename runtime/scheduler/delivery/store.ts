import type { Statement } from '../../ports/sql.ts'

export const markDelivered = (run: string, at: string): Statement => ({
  sql: `UPDATE scheduler_runs SET delivery_status = 'delivered', delivery_attempts = delivery_attempts + 1, delivery_error = NULL,
    delivered_at = ? WHERE id = ? AND delivery_status = 'pending'`,
  args: [at, run],
})

/** A try that did not arrive. */
export const noteFailedTry = (run: string, error: string): Statement => ({
  sql: `UPDATE scheduler_runs SET delivery_attempts = delivery_attempts + 1, delivery_error = ?
    WHERE id = ? AND delivery_status = 'pending'`,
  args: [error, run],
})

/** No further try follows. */
export const markFailed = (run: string): Statement => ({
  sql: `UPDATE scheduler_runs SET delivery_status = 'failed', delivery_error = coalesce(delivery_error, 'Its delivery was cut off')
    WHERE id = ? AND delivery_status = 'pending'`,
  args: [run],
})

export const markUndelivered = (run: string): Statement => ({
  sql: `UPDATE scheduler_runs SET delivery_status = 'none' WHERE id = ? AND delivery_status = 'pending'`,
  args: [run],
})

/** Not for a run that goes on, and not while a try of its delivery is under way. */
export const deliverAnew = (run: string, kind: string): Statement => ({
  sql: `UPDATE scheduler_runs SET delivery_status = 'pending', delivery_attempts = 0, delivery_error = NULL, delivered_at = NULL
    WHERE id = ? AND status NOT IN ('queued', 'running')
      AND NOT EXISTS (SELECT 1 FROM work WHERE kind = ? AND subject = scheduler_runs.id AND status = 'running')`,
  args: [run, kind],
  guard: 'The run is under way or its result is being delivered in this very moment',
})

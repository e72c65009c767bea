import { z } from 'zod'

/**
 * `queued` waits for its time and its lane, `running` holds a lease, `waiting` has suspended itself until somebody
 * resumes it; the rest are ends. `lost` was running when its process died and its kind does not run again.
 */
export const WorkStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'lost'])
export type WorkStatus = z.infer<typeof WorkStatus>

/** A durable unit that outlives the request that asked for it. */
export interface Work {
  id: string
  /** Names the `WorkKind` that runs it, for example `chat.turn`. */
  kind: string
  /** Id of what it is about. */
  subject: string
  /** Units of one lane run one after the other, oldest first; null runs beside anything. */
  lane: string | null
  payload: Record<string, unknown>
  status: WorkStatus
  due_at: string
  /** Tries begun, the present one included. */
  attempt: number
  created_at: string
  started_at: string | null
  finished_at: string | null
  outcome: Record<string, unknown> | null
  lease_owner: string | null
  lease_until: string | null
  /** Why its process is asked to end it. */
  stop_requested: string | null
}

export interface NewWork {
  kind: string
  subject: string
  lane?: string
  payload?: Record<string, unknown>
  /** Milliseconds since the epoch; default now. */
  due?: number
}

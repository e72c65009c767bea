import { z } from 'zod'

/**
 * `queued` waits for its due time and lane, `running` has a lease, `waiting` has suspended itself until it is resumed;
 * the others are final. `lost` was running when its process died and its kind is not retried.
 */
export const WorkStatus = z.enum(['queued', 'running', 'waiting', 'succeeded', 'failed', 'cancelled', 'lost'])
export type WorkStatus = z.infer<typeof WorkStatus>

/** Why work that continues by itself does not run now, such as a vendor's limit, and until when. */
export const Wait = z.object({ until: z.string(), code: z.string(), message: z.string() })
export type Wait = z.infer<typeof Wait>

/** A durable unit of work that outlives the request that queued it. */
export interface Work {
  id: string
  /** Name of its `WorkKind`, for example `chat.turn`. */
  kind: string
  /** Id of the object that it works on. */
  subject: string
  /** Whose work it is: a user id, or empty for the daemon's own. */
  owner_id: string
  /** Units of one lane run one at a time, oldest first. Null: no restriction. */
  lane: string | null
  payload: Record<string, unknown>
  status: WorkStatus
  due_at: string
  /** Attempts started, including the current one. */
  attempt: number
  created_at: string
  started_at: string | null
  finished_at: string | null
  outcome: Record<string, unknown> | null
  lease_owner: string | null
  lease_until: string | null
  /** Reason for a requested stop; its process reads it when it renews its leases. */
  stop_requested: string | null
  /** See `Context.chain_depth`. */
  chain_depth: number
}

export interface NewWork {
  kind: string
  subject: string
  /** Default: the owner whom the caller works for. */
  owner_id?: string
  lane?: string
  payload?: Record<string, unknown>
  /** Milliseconds since the epoch. Default: now. */
  due?: number
}

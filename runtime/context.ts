import type { Caller } from './auth/caller.ts'
import type { EventInput } from './events/event.ts'
import type { Host } from './host.ts'
import type { Statement, WriteOptions, Written } from './ports/sql.ts'
import type { Span } from './ports/tracer.ts'

/** The host plus the caller. All I/O goes through it; it is passed explicitly. */
export interface Context extends Host {
  caller: Caller
  request_id: string
  /** Aborted when the caller disconnects or the daemon stops. Work that outlives the request must not use it. */
  signal: AbortSignal
  /** The current span, if traces are recorded. */
  span?: Span
  /**
   * Depth of hooks and workflows that triggered each other, which prevents endless chains. Work and events inherit it
   * from the context that causes them. Absent: 0.
   */
  chain_depth?: number
  /**
   * Stores rows and events in one transaction, then publishes the events on the bus.
   * An event is published if and only if its change was stored.
   */
  commit(statements: readonly Statement[], events?: readonly EventInput[], options?: CommitOptions): Promise<Written[]>
}

export interface CommitOptions extends WriteOptions {
  /** What the request answers, if this commit is its whole effect: stored with it for repeats of the `Idempotency-Key`. */
  answer?: unknown
  /** Default: the endpoint's status. */
  answer_status?: number
}

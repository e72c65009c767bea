import type { Caller } from './auth/caller.ts'
import type { EventInput } from './events/event.ts'
import type { Host } from './host.ts'
import type { Statement, WriteOptions, Written } from './ports/sql.ts'

/** The host plus the caller: the only door to the world, passed by hand. */
export interface Context extends Host {
  caller: Caller
  request_id: string
  /** Aborted when the caller has gone or the daemon stops. Work that outlives the request does not use it. */
  signal: AbortSignal
  /**
   * Stores the rows and their events in one transaction, then tells the bus.
   * Nothing is announced that did not happen, and nothing that happened goes unannounced.
   */
  commit(
    statements: readonly Statement[],
    events?: readonly EventInput[],
    options?: WriteOptions,
  ): Promise<Written[]>
}

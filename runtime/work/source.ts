import type { Host } from '../host.ts'

/**
 * A source of work with its own due times, such as schedules. It advances its due times in the same commit
 * that queues the units, so that no due time is lost or repeated.
 */
export interface WorkSource {
  /** Queues due units. Writes nothing if nothing is due. */
  queueDue(host: Host): Promise<void>
  /** The next due time in milliseconds since the epoch; null if there is none. */
  nextDue(host: Host): Promise<number | null>
  /**
   * Called after a clock rollback and at startup: recomputes due times that were computed from a later clock. `latest`
   * is what the clock had reached, in milliseconds; 0 at startup.
   */
  clockSetBack(host: Host, latest: number): Promise<void>
}

export const sourcesOf = ({ areas }: Pick<Host, 'areas'>): WorkSource[] => areas.flatMap(({ sources = [] }) => sources)

import type { Host } from '../host.ts'

/**
 * Something with due times of its own that puts units into the queue when they come, such as a calendar. It moves
 * itself on in the commit that queues them, so that a due time is neither lost nor doubled.
 */
export interface WorkSource {
  /** Queues what is due. Costs as much as there is due, and writes nothing when nothing is. */
  queueDue(host: Host): Promise<void>
  /** The next due time in milliseconds since the epoch, or null. */
  nextDue(host: Host): Promise<number | null>
  /** The clock was set back, or the daemon starts and does not know: what was computed on a clock ahead is computed anew. */
  clockSetBack(host: Host): Promise<void>
}

export const sourcesOf = ({ areas }: Pick<Host, 'areas'>): WorkSource[] =>
  areas.flatMap(({ sources = [] }) => sources)

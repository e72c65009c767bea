import type { WorkEnding } from './kind.ts'

/**
 * Thrown by a unit that cannot continue now through no fault of its own: it returns to the queue until then, and the
 * attempt does not count.
 */
export class Postponed extends Error {
  override name = 'Postponed'
  /** Milliseconds since the epoch. */
  readonly until: number
  /** What it waits for, for example `rate_limit`. */
  readonly code: string
  /** Committed with the return to the queue. */
  ending: WorkEnding = {}

  constructor(message: string, { until, code }: { until: number; code: string }) {
    super(message)
    this.until = until
    this.code = code
  }

  with(ending: WorkEnding): this {
    this.ending = ending
    return this
  }
}

import type { WorkEnding } from './kind.ts'

/** How often one step of a unit was broken off. */
export interface Break {
  /** Counts the steps of the unit, so that a later step starts from zero. */
  step: number
  count: number
}

/** When a step of a unit began to wait, in milliseconds since the epoch. */
export interface Since {
  step: number
  at: number
}

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
  /** Set if the vendor broke the call off, which the call itself may have caused; so the unit stores and limits these waits. */
  readonly broken: Break | null
  /** Since when the same step waits, in milliseconds since the epoch. */
  readonly since: Since
  /** Committed with the return to the queue. */
  ending: WorkEnding = {}

  constructor(
    message: string,
    { until, code, since, broken = null }: { until: number; code: string; since: Since; broken?: Break | null },
  ) {
    super(message)
    this.until = until
    this.code = code
    this.since = since
    this.broken = broken
  }

  with(ending: WorkEnding): this {
    this.ending = ending
    return this
  }
}

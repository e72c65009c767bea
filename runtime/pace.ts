import type { Clock } from './ports/clock.ts'

/** Milliseconds for which one batch or one synchronous stretch may block other requests. */
const target = 8

interface Range {
  min: number
  max: number
}

/** The size of the next batch, after one of `size` took `milliseconds`: at most twice and at least half as large. */
export function nextSize(size: number, milliseconds: number, { min, max }: Range): number {
  const ideal = milliseconds <= 0 ? size * 2 : Math.round((size * target) / milliseconds)
  const near = Math.min(size * 2, Math.max(Math.floor(size / 2), ideal))
  return Math.min(max, Math.max(min, near))
}

/** The batch size of a bulk operation. It adapts to how long the batches take. */
export class Pace {
  readonly #range: Range
  #size: number

  constructor(range: Range, first = range.min) {
    this.#range = range
    this.#size = first
  }

  get size(): number {
    return this.#size
  }

  async time<Result>(now: () => number, work: () => Promise<Result>): Promise<Result> {
    const begun = now()
    const result = await work()
    this.#size = nextSize(this.#size, now() - begun, this.#range)
    return result
  }
}

/** Returns a function to await between steps. It yields to the event loop if the steps since the last yield took long. */
export function yieldBetween(clock: Clock): () => Promise<void> {
  let begun = clock.now()
  return async () => {
    if (clock.now() - begun < target) return
    await clock.after(0)
    begun = clock.now()
  }
}

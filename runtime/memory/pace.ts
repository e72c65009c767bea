/** Milliseconds that one piece of bulk work may hold up the others. */
const wanted = 8

interface Range {
  least: number
  most: number
}

/** How many items the next piece takes, when `size` of them took so long: at most twice as many, at least half. */
export function nextSize(size: number, milliseconds: number, { least, most }: Range): number {
  const ideal = milliseconds <= 0 ? size * 2 : Math.round((size * wanted) / milliseconds)
  const near = Math.min(size * 2, Math.max(Math.floor(size / 2), ideal))
  return Math.min(most, Math.max(least, near))
}

/** The size of the pieces of one piece of bulk work, which follows how long they take. */
export class Pace {
  readonly #range: Range
  #size: number

  constructor(range: Range, begin = range.least) {
    this.#range = range
    this.#size = begin
  }

  get size(): number {
    return this.#size
  }

  /** Runs one piece. */
  async time<Result>(now: () => number, work: () => Promise<Result>): Promise<Result> {
    const begun = now()
    const result = await work()
    this.#size = nextSize(this.#size, now() - begun, this.#range)
    return result
  }
}

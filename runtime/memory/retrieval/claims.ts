/** What one pass of this process embeds now, by `seq`: another pass beside it takes the rest. */
export class Claims {
  readonly #held = new Map<number, Promise<unknown>>()

  /** When the one who embeds it is done; undefined when nobody does. */
  holder(seq: number): Promise<unknown> | undefined {
    return this.#held.get(seq)
  }

  async hold<Result>(seqs: readonly number[], work: () => Promise<Result>): Promise<Result> {
    const done = work()
    for (const seq of seqs) this.#held.set(seq, done)
    try {
      return await done
    } finally {
      for (const seq of seqs) this.#held.delete(seq)
    }
  }
}

/** What was found out about a word holds until the memory has grown or shrunk by this share. */
const staleAfter = 0.1
const mostKept = 5_000

/** What is known of words, so that each is counted once. */
export class WordCounts {
  readonly #known = new Map<string, { common: boolean; episodes: number }>()

  find(word: string, episodes: number): boolean | null {
    const known = this.#known.get(word)
    if (!known || Math.abs(known.episodes - episodes) > staleAfter * known.episodes) return null
    return known.common
  }

  keep(word: string, found: { common: boolean; episodes: number }): void {
    if (this.#known.size >= mostKept) this.#known.clear()
    this.#known.set(word, found)
  }
}

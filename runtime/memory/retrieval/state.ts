import { Claims } from './claims.ts'
import { VectorIndex } from './vector-index.ts'
import { WordCounts } from './word-counts.ts'

const mostQueries = 500

/** What one process keeps in memory so that searches are fast: the index of vectors, and those of late queries. */
export class RetrievalState {
  readonly words = new WordCounts()
  readonly claims = new Claims()
  #index: VectorIndex | undefined
  readonly #queries = new Map<string, Float32Array>()
  /** Per model: what the vectors of questions share, and what those of their statements share. */
  readonly question_means = new Map<string, Promise<readonly Float32Array[]>>()

  /** The index of a model. Those of another are let go, because one model is in use at a time. */
  index(model: string): VectorIndex {
    if (this.#index?.model !== model) this.#index = new VectorIndex(model)
    return this.#index
  }

  query(key: string): Float32Array | undefined {
    const vector = this.#queries.get(key)
    if (!vector) return undefined
    this.#queries.delete(key)
    this.#queries.set(key, vector)
    return vector
  }

  keepQuery(key: string, vector: Float32Array): void {
    this.#queries.set(key, vector)
    const oldest = this.#queries.keys().next()
    if (this.#queries.size > mostQueries && !oldest.done) this.#queries.delete(oldest.value)
  }
}

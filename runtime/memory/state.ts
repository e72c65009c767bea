import { LRUCache } from 'lru-cache'
import { processState } from '../process-state.ts'
import { VectorIndex } from './search/vector-index.ts'

/** The in-memory search state of a process. */
class SearchState {
  /** Vectors of recent queries by model and text. */
  readonly queries = new LRUCache<string, Float32Array>({ max: 500 })
  /** Whether a word is common, and the number of episodes for which that was counted. */
  readonly words = new LRUCache<string, { common: boolean; episodes: number }>({ max: 5_000 })
  /** Per model: the mean vectors of questions and of their statements. */
  readonly question_means = new Map<string, Promise<readonly Float32Array[]>>()
  /** Episodes that are being embedded, by `seq`; each resolves when its vectors are stored. */
  readonly embedding = new Map<number, Promise<unknown>>()
  #index: VectorIndex | undefined

  /** The index of a model. Only one model is in use at a time, so the index of another is freed. */
  index(model: string): VectorIndex {
    if (this.#index?.model !== model) this.#index = new VectorIndex(model)
    return this.#index
  }
}

export const searchState = processState(() => new SearchState())

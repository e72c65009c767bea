/** Properties of an embedding model. */
export interface EmbeddingModel {
  /** The full name, such as `local/universal-sentence-encoder-lite`. Vectors of different models cannot be compared. */
  name: string
  /** The vendor's name of the model. */
  model: string
  /** Maximum characters per text; the rest is ignored. */
  max_characters: number
  /** Maximum texts per call. */
  max_texts: number
  /** `latin`: text in other scripts gets meaningless vectors. */
  scripts: 'any' | 'latin'
  /** Whether questions are near their answers. If not, they are rewritten as statements. */
  understands_questions: boolean
}

export interface EmbedCall {
  provider: string
  /** The vendor's name of the model. Null: the provider's default. */
  model: string | null
  /** Not blank, and not longer than `max_characters`. */
  texts: readonly string[]
  /** Some models embed queries and passages differently. */
  purpose: 'query' | 'passage'
  api_key?: string
  base_url?: string
  signal?: AbortSignal
}

/** The vendor refused, cannot be reached, or sent an invalid answer. The message is safe to show. */
export class EmbeddingError extends Error {
  override name = 'EmbeddingError'
}

/**
 * Converts texts to vectors, so that their similarity can be measured. It never blocks the event loop for long. Every
 * implementation passes `test/contracts/embedder.ts`.
 */
export interface Embedder {
  /** The model; null if this host does not have the provider. */
  describe(provider: string, model: string | null): EmbeddingModel | null
  /** One vector per text, all of the same length. Throws `EmbeddingError`, or the reason of the signal. */
  embed(call: EmbedCall): Promise<Float32Array[]>
  close(): Promise<void>
}

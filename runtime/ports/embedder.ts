/** What must be known of a model before texts are given to it. */
export interface EmbeddingModel {
  /** Its full name, such as `local/universal-sentence-encoder-lite`. Vectors of two names do not compare. */
  name: string
  /** As the vendor calls it. */
  model: string
  /** Characters that it reads of one text; the rest of a longer one would be lost. */
  max_characters: number
  /** Texts of one call. */
  max_texts: number
  /** Whether it tells texts of any script apart, or only those in Latin letters. */
  scripts: 'any' | 'latin'
  /** Whether questions are near to their answers as they stand. Otherwise they are asked for as statements. */
  understands_questions: boolean
}

export interface EmbedCall {
  provider: string
  /** The vendor's name of the model; the provider's usual one when null. */
  model: string | null
  /** None of them blank, none longer than the model reads. */
  texts: readonly string[]
  /** Some vendors embed what is looked for differently from what is looked through. */
  purpose: 'query' | 'passage'
  api_key?: string
  base_url?: string
  signal?: AbortSignal
}

/** The vendor refused, cannot be reached, or has answered nonsense. The message is safe to show. */
export class EmbeddingError extends Error {
  override name = 'EmbeddingError'
}

/**
 * Makes vectors of texts, so that likeness of meaning can be measured. It never blocks the event loop for long.
 * Every implementation passes `test/contracts/embedder.ts`.
 */
export interface Embedder {
  /** The model; null when this host has no such provider. */
  describe(provider: string, model: string | null): EmbeddingModel | null
  /** One vector per text, all of one length. Throws `EmbeddingError`, or the reason of the signal. */
  embed(call: EmbedCall): Promise<Float32Array[]>
  /** Lets go of what it holds. */
  close(): Promise<void>
}

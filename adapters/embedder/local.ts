import { availableParallelism } from 'node:os'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type EmbedCall, type Embedder, EmbeddingError, type EmbeddingModel } from '../../runtime/ports/embedder.ts'
import { Pool, startModule } from '../process/pool.ts'
import type { Answer, Question } from './model-process.ts'

/**
 * Google's Universal Sentence Encoder Lite, 512 dimensions, English, Apache-2.0, from the package registry,
 * so that semantic search works on the first run without a download. It reads about 128 tokens (4.5
 * characters of English each), throws on blank text, and gives all text in other scripts the same vector.
 */
export const localModel: EmbeddingModel = {
  name: 'local/universal-sentence-encoder-lite',
  model: 'universal-sentence-encoder-lite',
  max_characters: 480,
  max_texts: 256,
  scripts: 'latin',
  understands_questions: false,
}

/** Texts per message to the process: a query waits at most for this many, about 0.2 s. */
const batchSize = 16

/**
 * The local model in a process of its own, or in two while a list of texts is embedded. It computes 14 ms for 25 words and
 * 48 ms for a text of full length, without yielding; a thread would leave 25 to 40 MB resident when it ends, and an abort
 * of the native code would end the daemon. `idle_ms`: milliseconds without a request after which the model, about 150 MB
 * in each process, is unloaded.
 */
export class LocalEmbedder implements Embedder {
  readonly #pool

  constructor(options: { clock: Clock; idle_ms: number }) {
    this.#pool = new Pool<ReturnType<typeof startModule>, Question, Answer>({
      ...options,
      max: Math.min(2, availableParallelism()),
      start: () => startModule(new URL('./model-process.ts', import.meta.url)),
      failure: (why) => new EmbeddingError(`The local embedder cannot run: ${why}`),
    })
  }

  /** Id of the process that holds the model; undefined while the model is not loaded. */
  get pid(): number | undefined {
    return [...this.#pool.members][0]?.pid
  }

  describe(provider: string): EmbeddingModel | null {
    return provider === 'local' ? localModel : null
  }

  async embed({ provider, texts, purpose, signal }: EmbedCall): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    if (provider !== 'local') throw new EmbeddingError(`This host has no embedder ${provider}`)
    if (texts.some((text) => text.trim() === '')) throw new EmbeddingError('Blank text cannot be embedded')
    const batches: Promise<Float32Array[]>[] = []
    for (let index = 0; index < texts.length; index += batchSize)
      batches.push(this.#embedBatch(texts.slice(index, index + batchSize), purpose === 'query', signal))
    return (await Promise.all(batches)).flat()
  }

  async #embedBatch(texts: string[], urgent: boolean, signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const answer = await this.#pool.run({ texts }, { urgent, signal })
    if ('error' in answer) throw new EmbeddingError(`The local embedder failed: ${answer.error}`)
    const width = answer.vectors.length / texts.length
    return texts.map((_, index) => answer.vectors.slice(index * width, (index + 1) * width))
  }

  close(): Promise<void> {
    return this.#pool.close()
  }
}

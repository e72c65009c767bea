import { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type Embedder, EmbeddingError, type EmbeddingModel } from '../../runtime/ports/embedder.ts'
import type { Answer } from './messages.ts'

/**
 * Google's Universal Sentence Encoder Lite, 512 dimensions, English; from the package registry, Apache-2.0. It reads
 * about 128 tokens, which are 4.5 characters of English each, and gives everything in other scripts one same vector.
 */
export const localModel: EmbeddingModel = {
  name: 'local/universal-sentence-encoder-lite',
  model: 'universal-sentence-encoder-lite',
  max_characters: 480,
  max_texts: 256,
  scripts: 'latin',
  understands_questions: false,
}

/** Texts of one message to the thread: a query that comes in between waits for no more than these, about 0.2 s. */
const portion = 16

interface Portion {
  id: number
  texts: string[]
  urgent: boolean
  resolve(vectors: Float32Array[]): void
  reject(reason: unknown): void
}

export interface LocalOptions {
  clock: Clock
  /** Milliseconds without a question after which the model is let go: it holds about 150 MB. */
  idle_ms: number
}

/** The local model in a thread of its own, which begins with the first question and ends when none comes. */
export class LocalEmbedder implements Embedder {
  readonly #options: LocalOptions
  #thread: Worker | undefined
  #waiting: Portion[] = []
  #asked: Portion | undefined
  #ids = 0
  #rest = new AbortController()

  constructor(options: LocalOptions) {
    this.#options = options
  }

  /** Whether the model is in memory now. */
  get loaded(): boolean {
    return this.#thread !== undefined
  }

  describe(provider: string): EmbeddingModel | null {
    return provider === 'local' ? localModel : null
  }

  async embed({
    provider,
    texts,
    purpose,
    signal,
  }: Parameters<Embedder['embed']>[0]): Promise<Float32Array[]> {
    signal?.throwIfAborted()
    if (provider !== 'local') throw new EmbeddingError(`There is no embedder ${provider} here`)
    if (texts.some((text) => text.trim() === '')) throw new EmbeddingError('A blank text has no vector')
    const portions: Promise<Float32Array[]>[] = []
    for (let index = 0; index < texts.length; index += portion)
      portions.push(this.#ask(texts.slice(index, index + portion), purpose === 'query', signal))
    return (await Promise.all(portions)).flat()
  }

  async close(): Promise<void> {
    await this.#letGo(new EmbeddingError('The embedder has been closed'))
  }

  #ask(texts: string[], urgent: boolean, signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>()
    this.#ids += 1
    const one = { id: this.#ids, texts, urgent, resolve, reject }
    const abort = () => {
      this.#waiting = this.#waiting.filter((other) => other !== one)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#waiting.push(one)
    this.#next()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Queries go before what is embedded for later. */
  #next(): void {
    if (this.#asked) return
    const one = this.#waiting.find(({ urgent }) => urgent) ?? this.#waiting[0]
    this.#rest.abort()
    if (!one) {
      this.#restLater()
      return
    }
    this.#waiting = this.#waiting.filter((other) => other !== one)
    this.#asked = one
    this.#thread ??= this.#begin()
    this.#thread.ref()
    this.#thread.postMessage({ id: one.id, texts: one.texts })
  }

  #begin(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), { name: 'embedder' })
    thread.on('message', (answer: Answer) => this.#answered(answer))
    thread.on('error', (cause) => this.#lost(thread, cause))
    thread.on('exit', () => this.#lost(thread, new Error('its thread has ended')))
    return thread
  }

  #answered(answer: Answer): void {
    const one = this.#asked
    if (one?.id !== answer.id) return
    this.#asked = undefined
    if ('error' in answer) one.reject(new EmbeddingError(`The local embedder: ${answer.error}`))
    else one.resolve(split(answer.vectors, one.texts.length))
    this.#next()
  }

  #lost(thread: Worker, cause: Error): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    const one = this.#asked
    this.#asked = undefined
    one?.reject(new EmbeddingError(`The local embedder cannot run: ${cause.message}`))
    this.#next()
  }

  #restLater(): void {
    this.#thread?.unref()
    this.#rest = new AbortController()
    this.#options.clock.after(this.#options.idle_ms, this.#rest.signal).then(
      () => this.#letGo(new EmbeddingError('The local embedder was idle')),
      () => undefined,
    )
  }

  async #letGo(reason: EmbeddingError): Promise<void> {
    this.#rest.abort()
    const thread = this.#thread
    this.#thread = undefined
    for (const one of [this.#asked, ...this.#waiting]) one?.reject(reason)
    this.#asked = undefined
    this.#waiting = []
    await thread?.terminate()
  }
}

function split(vectors: Float32Array, count: number): Float32Array[] {
  const width = vectors.length / count
  return Array.from({ length: count }, (_, index) => vectors.slice(index * width, (index + 1) * width))
}

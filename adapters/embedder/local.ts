import { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type Embedder, EmbeddingError, type EmbeddingModel } from '../../runtime/ports/embedder.ts'
import type { Answer } from './thread.ts'

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

/** Texts per message to the thread: a query waits at most for this many, about 0.2 s. */
const batchSize = 16

interface Batch {
  id: number
  texts: string[]
  urgent: boolean
  resolve(vectors: Float32Array[]): void
  reject(reason: unknown): void
}

export interface LocalOptions {
  clock: Clock
  /** Milliseconds without a request after which the model, about 150 MB, is unloaded. */
  idle_ms: number
}

/** The local model in a worker thread, which starts with the first request and ends after an idle time. */
export class LocalEmbedder implements Embedder {
  readonly #options: LocalOptions
  #thread: Worker | undefined
  #queue: Batch[] = []
  #running: Batch | undefined
  #lastId = 0
  #idle = new AbortController()

  constructor(options: LocalOptions) {
    this.#options = options
  }

  /** Whether the model is in memory. */
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
    if (provider !== 'local') throw new EmbeddingError(`This host has no embedder ${provider}`)
    if (texts.some((text) => text.trim() === '')) throw new EmbeddingError('Blank text cannot be embedded')
    const batches: Promise<Float32Array[]>[] = []
    for (let index = 0; index < texts.length; index += batchSize)
      batches.push(this.#enqueue(texts.slice(index, index + batchSize), purpose === 'query', signal))
    return (await Promise.all(batches)).flat()
  }

  async close(): Promise<void> {
    await this.#unload(new EmbeddingError('The embedder was closed'))
  }

  #enqueue(texts: string[], urgent: boolean, signal: AbortSignal | undefined): Promise<Float32Array[]> {
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array[]>()
    this.#lastId += 1
    const batch = { id: this.#lastId, texts, urgent, resolve, reject }
    const abort = () => {
      this.#queue = this.#queue.filter((other) => other !== batch)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#queue.push(batch)
    this.#next()
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  /** Starts the next batch. Queries take precedence over passages. */
  #next(): void {
    if (this.#running) return
    const batch = this.#queue.find(({ urgent }) => urgent) ?? this.#queue[0]
    this.#idle.abort()
    if (!batch) {
      this.#unloadLater()
      return
    }
    this.#queue = this.#queue.filter((other) => other !== batch)
    this.#running = batch
    this.#thread ??= this.#start()
    this.#thread.ref()
    this.#thread.postMessage({ id: batch.id, texts: batch.texts })
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), { name: 'embedder' })
    thread.on('message', (answer: Answer) => this.#receive(answer))
    thread.on('error', (cause) => this.#fail(thread, cause))
    thread.on('exit', () => this.#fail(thread, new Error('its thread has ended')))
    return thread
  }

  #receive(answer: Answer): void {
    const batch = this.#running
    if (batch?.id !== answer.id) return
    this.#running = undefined
    if ('error' in answer) batch.reject(new EmbeddingError(`The local embedder failed: ${answer.error}`))
    else batch.resolve(split(answer.vectors, batch.texts.length))
    this.#next()
  }

  #fail(thread: Worker, cause: Error): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    const batch = this.#running
    this.#running = undefined
    batch?.reject(new EmbeddingError(`The local embedder cannot run: ${cause.message}`))
    this.#next()
  }

  #unloadLater(): void {
    this.#thread?.unref()
    this.#idle = new AbortController()
    this.#options.clock.after(this.#options.idle_ms, this.#idle.signal).then(
      () => this.#unload(new EmbeddingError('The local embedder was idle')),
      () => undefined,
    )
  }

  async #unload(reason: EmbeddingError): Promise<void> {
    this.#idle.abort()
    const thread = this.#thread
    this.#thread = undefined
    for (const batch of [this.#running, ...this.#queue]) batch?.reject(reason)
    this.#running = undefined
    this.#queue = []
    if (thread) await endThread(thread)
  }
}

/**
 * Lets the current batch end: terminating a thread in the middle of its work has aborted the whole process.
 */
async function endThread(thread: Worker): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<unknown>()
  thread.ref()
  thread.once('exit', resolve)
  thread.postMessage(null)
  await promise
}

function split(vectors: Float32Array, count: number): Float32Array[] {
  const width = vectors.length / count
  return Array.from({ length: count }, (_, index) => vectors.slice(index * width, (index + 1) * width))
}

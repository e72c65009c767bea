import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type Embedder, EmbeddingError, type EmbeddingModel } from '../../runtime/ports/embedder.ts'
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

/**
 * The local model in a process of its own, which starts with the first request and ends after an idle time. It computes
 * 12 ms per text without yielding; a thread would leave 25 to 40 MB resident when it ends, and an abort of the native
 * code would end the daemon.
 */
export class LocalEmbedder implements Embedder {
  readonly #options: LocalOptions
  #process: ChildProcess | undefined
  #queue: Batch[] = []
  #running: Batch | undefined
  #lastId = 0
  #idle = new AbortController()

  constructor(options: LocalOptions) {
    this.#options = options
  }

  /** Id of the process that holds the model; undefined while the model is not loaded. */
  get pid(): number | undefined {
    return this.#process?.pid
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
    this.#process ??= this.#start()
    hold(this.#process)
    this.#process.send({ id: batch.id, texts: batch.texts } satisfies Question)
  }

  #start(): ChildProcess {
    const cache = getCompileCacheDir()
    const child = fork(new URL('./model-process.ts', import.meta.url), {
      serialization: 'advanced',
      execArgv: [],
      env: cache ? { NODE_COMPILE_CACHE: dirname(cache) } : {},
    })
    child.on('message', (answer: Answer) => this.#receive(answer))
    child.on('error', (cause) => this.#fail(child, cause))
    child.on('exit', () => this.#fail(child, new Error('its process has ended')))
    return child
  }

  #receive(answer: Answer): void {
    const batch = this.#running
    if (batch?.id !== answer.id) return
    this.#running = undefined
    if ('error' in answer) batch.reject(new EmbeddingError(`The local embedder failed: ${answer.error}`))
    else batch.resolve(split(answer.vectors, batch.texts.length))
    this.#next()
  }

  #fail(child: ChildProcess, cause: Error): void {
    if (this.#process !== child) return
    this.#process = undefined
    const batch = this.#running
    this.#running = undefined
    batch?.reject(new EmbeddingError(`The local embedder cannot run: ${cause.message}`))
    this.#next()
  }

  #unloadLater(): void {
    if (this.#process) release(this.#process)
    this.#idle = new AbortController()
    this.#options.clock.after(this.#options.idle_ms, this.#idle.signal).then(
      () => this.#unload(new EmbeddingError('The local embedder was idle')),
      () => undefined,
    )
  }

  async #unload(reason: EmbeddingError): Promise<void> {
    this.#idle.abort()
    const child = this.#process
    this.#process = undefined
    for (const batch of [this.#running, ...this.#queue]) batch?.reject(reason)
    this.#running = undefined
    this.#queue = []
    if (child) await kill(child)
  }
}

/** Keeps this process alive until the answer has arrived. */
function hold(child: ChildProcess): void {
  child.ref()
  child.channel?.ref()
}

function release(child: ChildProcess): void {
  child.unref()
  child.channel?.unref()
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || !child.kill('SIGKILL')) return
  hold(child)
  await once(child, 'exit')
}

function split(vectors: Float32Array, count: number): Float32Array[] {
  const width = vectors.length / count
  return Array.from({ length: count }, (_, index) => vectors.slice(index * width, (index + 1) * width))
}

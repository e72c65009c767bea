import { Worker } from 'node:worker_threads'
import { DocumentError } from '../../runtime/documents/document.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import type { NamedEntity, Reading } from '../../runtime/ports/reader.ts'
import {
  type DocumentCall,
  type DocumentText,
  type Reader,
  ReaderError,
  type SaidText,
} from '../../runtime/ports/reader.ts'
import { second } from '../../runtime/time.ts'
import { within } from '../../runtime/within.ts'
import { askProcess, ProcessLost } from '../process/ask.ts'

/** Message to the thread. */
export type Question =
  | { id: number; reads: 'names'; texts: readonly string[] }
  | { id: number; reads: 'facts'; texts: readonly SaidText[] }

/** Message from the thread: the result per text, or the error. */
export type Answer = { id: number; found: unknown[] } | { id: number; error: string }

export interface ReaderOptions {
  clock: Clock
  /** Milliseconds of idle time after which the thread ends, because its rules use about 40 MB. */
  idle_ms: number
  /** JavaScript memory of a document's process in MB. Default: 512, far more than any document takes that people made. */
  document_mb?: number
}

interface Asked {
  resolve(found: unknown[]): void
  reject(reason: unknown): void
}

/** Message from the process of a document: its text, why it cannot be read, or an unexpected error. */
export type DocumentAnswer = { found: DocumentText } | { refused: string } | { error: string }

/** Far more than any document takes that people made. */
const maxDocumentTime = 30 * second

const documentProcess = new URL('./document-process.ts', import.meta.url)

const unreadable = (why: string) => new ReaderError(`The document could not be read: ${why}`)

/** A reader in its own thread, which starts with the first request and ends when idle. */
export class ThreadReader implements Reader {
  readonly #options: ReaderOptions
  readonly #asked = new Map<number, Asked>()
  #thread: Worker | undefined
  #ids = 0
  #documents: Promise<unknown> = Promise.resolve()
  readonly #closed = new AbortController()
  #idle = new AbortController()

  constructor(options: ReaderOptions) {
    this.#options = options
  }

  /** Whether the rules are loaded. */
  get loaded(): boolean {
    return this.#thread !== undefined
  }

  names(texts: readonly string[], signal?: AbortSignal): Promise<NamedEntity[][]> {
    return this.#ask({ reads: 'names', texts }, signal) as Promise<NamedEntity[][]>
  }

  facts(texts: readonly SaidText[], signal?: AbortSignal): Promise<Reading[]> {
    const bare = texts.map(({ content, reply, trust, created_at }) => ({ content, reply, trust, created_at }))
    return this.#ask({ reads: 'facts', texts: bare }, signal) as Promise<Reading[]>
  }

  /**
   * Each document gets a process of its own, one after the other: a hostile one is ended with its process.
   */
  document(call: DocumentCall, signal?: AbortSignal): Promise<DocumentText> {
    const reading = this.#documents.then(() => this.#readDocument(call, signal))
    this.#documents = reading.catch(() => undefined)
    return reading
  }

  async #readDocument(call: DocumentCall, signal: AbortSignal | undefined): Promise<DocumentText> {
    const { clock, document_mb = 512 } = this.#options
    const cancel = AbortSignal.any([this.#closed.signal, ...(signal ? [signal] : [])])
    const late = new DocumentError(`it takes longer than ${maxDocumentTime / second} s to read`)
    const answer = await within(
      { clock, signal: cancel },
      { milliseconds: maxDocumentTime, late },
      (signal) =>
        askProcess<DocumentAnswer>({ module: documentProcess, question: call, max_mb: document_mb, signal }),
    ).catch((thrown: unknown) => {
      throw thrown instanceof ProcessLost ? unreadable(thrown.message) : thrown
    })
    if ('found' in answer) return answer.found
    throw 'refused' in answer ? new DocumentError(answer.refused) : unreadable(answer.error)
  }

  async close(): Promise<void> {
    this.#closed.abort(unreadable('the reader was closed'))
    await this.#documents
    await this.#end('the reader was closed')
  }

  async #ask(
    question: { reads: 'names'; texts: readonly string[] } | { reads: 'facts'; texts: readonly SaidText[] },
    signal: AbortSignal | undefined,
  ): Promise<unknown[]> {
    signal?.throwIfAborted()
    if (question.texts.length === 0) return []
    const { promise, resolve, reject } = Promise.withResolvers<unknown[]>()
    this.#ids += 1
    const id = this.#ids
    const abort = () => reject(signal?.reason)
    signal?.addEventListener('abort', abort, { once: true })
    this.#asked.set(id, { resolve, reject })
    this.#idle.abort()
    this.#thread ??= this.#start()
    this.#thread.ref()
    this.#thread.postMessage({ id, ...question } satisfies Question)
    return promise.finally(() => signal?.removeEventListener('abort', abort))
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'reader',
      resourceLimits: { maxYoungGenerationSizeMb: 16 },
    })
    thread.on('message', (answer: Answer) => this.#answered(answer))
    thread.on('error', (cause) => this.#lost(thread, cause.message))
    thread.on('exit', () => this.#lost(thread, 'its thread has ended'))
    return thread
  }

  #answered(answer: Answer): void {
    const asked = this.#asked.get(answer.id)
    this.#asked.delete(answer.id)
    if ('error' in answer) asked?.reject(new ReaderError(`Texts could not be read: ${answer.error}`))
    else asked?.resolve(answer.found)
    if (this.#asked.size === 0) this.#endWhenIdle()
  }

  #lost(thread: Worker, why: string): void {
    if (this.#thread !== thread) return
    this.#thread = undefined
    this.#refuse(why)
  }

  #refuse(why: string): void {
    for (const { reject } of this.#asked.values()) reject(new ReaderError(`Texts could not be read: ${why}`))
    this.#asked.clear()
  }

  #endWhenIdle(): void {
    this.#thread?.unref()
    this.#idle = new AbortController()
    this.#options.clock.after(this.#options.idle_ms, this.#idle.signal).then(
      () => this.#end('its thread was idle'),
      () => undefined,
    )
  }

  async #end(why: string): Promise<void> {
    this.#idle.abort()
    const thread = this.#thread
    this.#thread = undefined
    this.#refuse(why)
    await thread?.terminate()
  }
}

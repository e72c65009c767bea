import { Worker } from 'node:worker_threads'
import { DocumentError } from '../../runtime/documents/document.ts'
import type { Clock } from '../../runtime/ports/clock.ts'
import {
  type DocumentCall,
  type DocumentText,
  type NamedEntity,
  type Reader,
  ReaderError,
  type Reading,
  type SaidText,
} from '../../runtime/ports/reader.ts'
import { second } from '../../runtime/time.ts'
import { within } from '../../runtime/within.ts'
import { askProcess, ProcessLost } from '../process/ask.ts'
import { Pool } from '../process/pool.ts'

/** Message to the thread. */
export type Question = { reads: 'names'; texts: readonly string[] } | { reads: 'facts'; texts: readonly SaidText[] }

/** Message from the thread: the result per text, or the error. */
export type Answer = { values: unknown[] } | { error: string }

interface ReaderOptions {
  clock: Clock
  /** Milliseconds without a request after which the thread ends, because its rules use about 40 MB. */
  idle_ms: number
  /** JavaScript memory of a document's process in MB. Default: 512, far more than any document takes that people made. */
  document_mb?: number
}

/** Message from the process of a document: its text, why it cannot be read, or an unexpected error. */
export type DocumentAnswer = { document: DocumentText } | { refused: string } | { error: string }

/** Far more than any document takes that people made. */
const maxDocumentTime = 30 * second

const documentProcess = new URL('./document-process.ts', import.meta.url)

const unreadable = (why: string) => new ReaderError(`The document could not be read: ${why}`)

/** A reader in its own thread, which starts with the first request and ends when idle. */
export class ThreadReader implements Reader {
  readonly #options: ReaderOptions
  readonly #pool
  #documents: Promise<unknown> = Promise.resolve()
  readonly #closed = new AbortController()

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#pool = new Pool<Worker, Question, Answer>({ ...options, start: startThread, failure: unread })
  }

  /** Whether the rules are loaded. */
  get loaded(): boolean {
    return this.#pool.members.size > 0
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
    const answer = await within({ clock, signal: cancel }, { milliseconds: maxDocumentTime, late }, (signal) =>
      askProcess<DocumentAnswer>({ module: documentProcess, question: call, max_mb: document_mb, signal }),
    ).catch((thrown: unknown) => {
      throw thrown instanceof ProcessLost ? unreadable(thrown.message) : thrown
    })
    if ('document' in answer) return answer.document
    throw 'refused' in answer ? new DocumentError(answer.refused) : unreadable(answer.error)
  }

  async close(): Promise<void> {
    this.#closed.abort(unreadable('the reader was closed'))
    await this.#documents
    await this.#pool.close()
  }

  async #ask(question: Question, signal: AbortSignal | undefined): Promise<unknown[]> {
    signal?.throwIfAborted()
    if (question.texts.length === 0) return []
    const answer = await this.#pool.run(question, { signal })
    if ('error' in answer) throw unread(answer.error)
    return answer.values
  }
}

const unread = (why: string) => new ReaderError(`Texts could not be read: ${why}`)

const startThread = () =>
  new Worker(new URL('./thread.ts', import.meta.url), {
    name: 'reader',
    resourceLimits: { maxYoungGenerationSizeMb: 16 },
  })

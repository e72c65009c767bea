import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type Script, type ScriptCall, ScriptError, type ScriptResult } from '../../runtime/ports/script.ts'
import { jobOf, lateOutcome, resultOf, type ScriptJob } from '../../runtime/sandbox/script-engine.ts'
import type { ThreadMessage } from './thread.ts'

export interface ScriptOptions {
  clock: Clock
  /** Milliseconds of idle time after which the threads end. */
  idle_ms: number
  /** Threads at once. Default: one per core, at most 4. */
  threads?: number
}

interface Waiting {
  job: ScriptJob
  resolve(result: ScriptResult): void
  reject(reason: unknown): void
  done: Promise<ScriptResult>
}

/**
 * After this, native code of the engine that never looks at the time, such as a search in a sparse array, ends with its
 * thread.
 */
const graceMs = 250

/**
 * QuickJS in WebAssembly, in threads of its own, one call per thread at a time. Threads, not processes: the memory of
 * the code is WebAssembly's, which the engine limits itself and which cannot exhaust the thread's own heap, the cause
 * of native aborts.
 */
export class ThreadScript implements Script {
  readonly #options: ScriptOptions
  readonly #max: number
  readonly #free: Worker[] = []
  readonly #threads = new Set<Worker>()
  #queue: Waiting[] = []
  #idle = new AbortController()

  constructor(options: ScriptOptions) {
    this.#options = options
    this.#max = options.threads ?? Math.min(4, availableParallelism())
  }

  /** Number of running threads. */
  get threads(): number {
    return this.#threads.size
  }

  async run(call: ScriptCall, signal?: AbortSignal): Promise<ScriptResult> {
    signal?.throwIfAborted()
    const { promise: done, resolve, reject } = Promise.withResolvers<ScriptResult>()
    const waiting = { job: jobOf(call), resolve, reject, done }
    const abort = () => {
      this.#queue = this.#queue.filter((other) => other !== waiting)
      reject(signal?.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    this.#queue.push(waiting)
    this.#next()
    return done.finally(() => signal?.removeEventListener('abort', abort))
  }

  async close(): Promise<void> {
    this.#idle.abort()
    for (const { reject } of this.#queue.splice(0)) reject(new ScriptError('The engine was closed'))
    this.#free.length = 0
    await Promise.all([...this.#threads].map((thread) => thread.terminate()))
  }

  #next(): void {
    if (this.#queue.length === 0) return
    const thread = this.#free.pop() ?? (this.#threads.size < this.#max ? this.#start() : undefined)
    if (!thread) return
    this.#idle.abort()
    void this.#serve(thread, this.#queue.shift() as Waiting)
  }

  #start(): Worker {
    const thread = new Worker(new URL('./thread.ts', import.meta.url), {
      name: 'script',
      env: {},
      // The engine prints a line before it aborts.
      stderr: true,
      resourceLimits: { maxYoungGenerationSizeMb: 4 },
    })
    // An error ends the thread; `exit` follows.
    thread.on('error', () => undefined)
    thread.on('exit', () => {
      this.#threads.delete(thread)
      this.#next()
    })
    this.#threads.add(thread)
    return thread
  }

  /** Runs one call. A thread whose call was stopped, or did not stop, is ended. */
  async #serve(thread: Worker, waiting: Waiting): Promise<void> {
    const { job, resolve, reject, done } = waiting
    const ended = new AbortController()
    const receive = (message: ThreadMessage) => {
      if ('started' in message) this.#watch(waiting, ended.signal)
      else if ('outcome' in message) answered(message)
      else reject(new ScriptError(`The engine failed: ${message.error}`))
    }
    let reusable = false
    const answered = ({ outcome }: Extract<ThreadMessage, { outcome: unknown }>) => {
      reusable = true
      resolve(resultOf(outcome))
    }
    const lost = () => reject(new ScriptError('The thread of the engine has ended'))
    thread.on('message', receive)
    thread.on('exit', lost)
    thread.ref()
    thread.postMessage(job)
    await done.catch(() => undefined)
    ended.abort()
    thread.off('message', receive)
    thread.off('exit', lost)
    if (reusable && this.#threads.has(thread)) this.#release(thread)
    else await thread.terminate()
  }

  #watch({ job, resolve }: Waiting, signal: AbortSignal): void {
    this.#options.clock.after(job.timeout_ms + graceMs, signal).then(
      () => resolve(resultOf(lateOutcome(job))),
      () => undefined,
    )
  }

  #release(thread: Worker): void {
    thread.unref()
    this.#free.push(thread)
    this.#next()
    if (this.#free.length === this.#threads.size) this.#endWhenIdle()
  }

  #endWhenIdle(): void {
    this.#idle = new AbortController()
    this.#options.clock.after(this.#options.idle_ms, this.#idle.signal).then(
      () => this.close(),
      () => undefined,
    )
  }
}

import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import type { Clock } from '../../runtime/ports/clock.ts'
import { type Script, type ScriptCall, ScriptError, type ScriptResult } from '../../runtime/ports/script.ts'
import { answerWith, jobOf, lateOutcome, resultOf, type ScriptJob } from '../../runtime/sandbox/script-job.ts'
import { errorMessage } from '../../runtime/thrown.ts'
import { Pool } from '../process/pool.ts'
import { type ScriptLibraries, scriptLibraries } from '../process/script-library.ts'
import type { ThreadAnswer, ThreadAsk, ThreadReply } from './thread.ts'

interface ScriptOptions {
  clock: Clock
  /** Milliseconds without a call after which the threads end. */
  idle_ms: number
  /** Threads at once. Default: one per core, at most 4. */
  threads?: number
}

/**
 * Milliseconds after its time limit for a call to end by itself. Native code of the engine that never looks at the time,
 * such as a search in a sparse array, then ends with its thread. The time begins again after each answer of the host, whose
 * own time does not count.
 */
const grace = 250

/**
 * QuickJS in WebAssembly, in threads of its own, one call per thread at a time. Threads, not processes: the memory of
 * the code is WebAssembly's, which the engine limits itself and which cannot exhaust the thread's own heap, the cause
 * of native aborts.
 */
export class ThreadScript implements Script {
  readonly #clock: Clock
  readonly #pool
  #libraries: ScriptLibraries = {}
  #isClosed = false

  constructor({ clock, idle_ms, threads = Math.min(4, availableParallelism()) }: ScriptOptions) {
    this.#clock = clock
    this.#pool = new Pool<Worker, ScriptJob, ThreadAnswer>({
      clock,
      idle_ms,
      max: threads,
      strict: true,
      start: () => startThread(this.#libraries),
      failure: (why) => new ScriptError(`The engine failed: ${why}`),
    })
  }

  /** Number of running threads. */
  get threads(): number {
    return this.#pool.members.size
  }

  async run(call: ScriptCall, signal?: AbortSignal): Promise<ScriptResult> {
    const job = jobOf(call)
    this.#libraries = await scriptLibraries()
    if (this.#isClosed) throw new ScriptError('The engine was closed')
    const late = new AbortController()
    let waiting = new AbortController()
    const stopWaiting = () => waiting.abort()
    const wait = () => {
      waiting = new AbortController()
      this.#clock.after(job.timeout_ms + grace, waiting.signal).then(
        () => late.abort(),
        () => undefined,
      )
    }
    const limits = signal ? AbortSignal.any([signal, late.signal]) : late.signal
    const answer = answerWith(call)
    let open = 0
    const onAsk = async (ask: unknown, reply: (message: ThreadReply) => void) => {
      const { id } = ask as ThreadAsk
      stopWaiting()
      open += 1
      const result = await answer(ask as ThreadAsk).then(
        (json) => ({ json }),
        (thrown: unknown) => ({ failed: errorMessage(thrown) }),
      )
      open -= 1
      if (ended) return
      if (open === 0) wait()
      reply({ id, ...result })
    }
    let ended = false
    try {
      const result = await this.#pool.run(job, { signal: limits, onStart: wait, onAsk })
      if ('error' in result) throw new ScriptError(`The engine failed: ${result.error}`)
      return resultOf(result.outcome)
    } catch (thrown) {
      if (thrown === late.signal.reason) return resultOf(lateOutcome(job))
      throw thrown
    } finally {
      ended = true
      stopWaiting()
    }
  }

  close(): Promise<void> {
    this.#isClosed = true
    return this.#pool.close()
  }
}

const startThread = (libraries: ScriptLibraries) =>
  new Worker(new URL('./thread.ts', import.meta.url), {
    name: 'script',
    env: {},
    workerData: libraries,
    // The engine prints a line before it aborts.
    stderr: true,
    resourceLimits: { maxYoungGenerationSizeMb: 4 },
  })

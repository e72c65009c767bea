import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import type { ScriptFailure } from '../ports/script.ts'
import { errorMessage } from '../thrown.ts'
import { begin, createContext, ending, lengthOf, megabyte, type Prepared, type Run, runJobs } from './script-context.ts'
import {
  type AnswerAsk,
  type Finished,
  failure,
  lateFailure,
  type ScriptJob,
  type ScriptOutcome,
  usualMemory,
} from './script-job.ts'

const noFunctions: AnswerAsk = async ({ name }) => {
  throw new Error(`There is no function ${name}`)
}

const maxLogs = 1_000
/** Memory of WebAssembly never shrinks: an instance that has grown beyond this is replaced. */
const maxKeptBytes = 48 * megabyte
/** Memory of an instance before it runs code. */
const ownBytes = 16 * megabyte
/** Calls of the host's functions without an answer, and the characters of one input. */
const maxOpen = 200
const maxInput = 1_000_000
/** Contexts that an engine keeps for later calls. */
const maxKept = 4

interface AskingRun extends Run {
  answer: AnswerAsk
  /** Calls of the host's functions without an answer. */
  open: Set<QuickJSDeferredPromise>
  /** Hand answers to the code. */
  answers: (() => void)[]
  /** Resolves the wait for an answer. */
  wake(): void
  /** When the time of the code is over. */
  end: number
  logs: string[]
  logged: number
  logs_truncated: boolean
}

/** Loads an instance whose memory grows to at most `max_bytes`. */
export type LoadScriptEngine = (max_bytes: number) => Promise<QuickJSWASMModule>

/** The source of a library, as a script. */
export type ReadLibrary = (name: string) => string

/**
 * QuickJS in WebAssembly. Each call gets a runtime of its own; one that ended badly is dropped with its instance. The memory
 * of the instance is what limits the code: QuickJS's own limit does not count what was allocated before.
 */
export class ScriptEngine {
  readonly #load: LoadScriptEngine
  readonly #now: () => number
  readonly #read: ReadLibrary
  #memory_mb = usualMemory
  #module: QuickJSWASMModule | undefined
  /** The context of the next call, by its library. */
  #next: { library: string; prepared: Prepared } | undefined
  /** Contexts that are used again, the latest last. */
  readonly #kept = new Map<string, Prepared>()
  #run: AskingRun | undefined

  /** `now` returns milliseconds. */
  constructor(load: LoadScriptEngine, now: () => number, read: ReadLibrary) {
    this.#load = load
    this.#now = now
    this.#read = read
  }

  /** Creates the context of the next call ahead of time. Default: one like that of the last call. */
  async prepare(
    { memory_mb, library, reuse }: Pick<ScriptJob, 'memory_mb' | 'library' | 'reuse'> = {
      memory_mb: this.#memory_mb,
      library: this.#next?.library ?? '',
      reuse: '',
    },
  ): Promise<void> {
    if (memory_mb !== this.#memory_mb) {
      this.#memory_mb = memory_mb
      this.#forget()
    }
    if (this.#kept.has(keptAs(library, reuse))) return
    if (this.#next?.library === library) return
    if (this.#next) this.#dispose(this.#next.prepared)
    this.#module ??= await this.#load(memory_mb * megabyte + ownBytes)
    this.#next = { library, prepared: this.#create(this.#module, library) }
  }

  /** Calls must not overlap. */
  async run(job: ScriptJob, answer: AnswerAsk = noFunctions): Promise<ScriptOutcome> {
    await this.prepare(job)
    const key = keptAs(job.library, job.reuse)
    const prepared = this.#kept.get(key) ?? (this.#next?.prepared as Prepared)
    this.#kept.delete(key)
    if (prepared === this.#next?.prepared) this.#next = undefined
    const run: AskingRun = {
      job,
      answer,
      open: new Set(),
      answers: [],
      wake: () => undefined,
      end: this.#now() + job.timeout_ms,
      late: () => this.#now() > run.end,
      logs: [],
      logged: 0,
      logs_truncated: false,
    }
    this.#run = run
    const result = await this.#attempt(prepared, run)
    this.#run = undefined
    for (const promise of run.open) promise.dispose()
    this.#release(prepared, { job, result })
    const { logs, logs_truncated } = run
    return { ...result, logs, logs_truncated }
  }

  #create(module: QuickJSWASMModule, library: string): Prepared {
    return createContext(module, library, {
      late: () => this.#run?.late() ?? false,
      write: (context, line) => this.#write(context, line),
      ask: (context, name, input) => this.#ask(context, name, input),
      read: this.#read,
    })
  }

  /** Reads no more of a line than there is room for. */
  #write(context: QuickJSContext, line: QuickJSHandle): void {
    const run = this.#run
    if (!run) return
    const room = run.job.output_chars - run.logged
    const fits = run.logs.length < maxLogs && lengthOf(context, line) <= room
    if (!fits) run.logs_truncated = true
    else {
      const text = context.getString(line)
      run.logged += text.length
      run.logs.push(text)
    }
  }

  /** Asks the host. The answer is handed over between two jobs of the code, never while the engine runs. */
  #ask(context: QuickJSContext, name: QuickJSHandle, input: QuickJSHandle): QuickJSHandle {
    const run = this.#run
    if (!run) return context.undefined
    if (run.open.size >= maxOpen) throw new Error(`At most ${maxOpen} calls may be open at once`)
    if (lengthOf(context, input) > maxInput) throw new Error(`An input is JSON of at most ${maxInput} characters`)
    const promise = context.newPromise()
    run.open.add(promise)
    const settle = (hand: () => void) => {
      run.answers.push(() => {
        run.open.delete(promise)
        hand()
      })
      run.wake()
    }
    run.answer({ name: context.getString(name), input: context.getString(input) }).then(
      (json) => settle(() => context.newString(json).consume((handle) => promise.resolve(handle))),
      (thrown: unknown) =>
        settle(() => context.newError(errorMessage(thrown)).consume((handle) => promise.reject(handle))),
    )
    return promise.handle
  }

  /** Runs the code of a job; whatever the engine does is an outcome. */
  async #attempt(prepared: Prepared, run: AskingRun): Promise<Finished> {
    try {
      const started = begin(prepared, run)
      if ('ok' in started) return started
      for (;;) {
        const stopped = runJobs(prepared, run)
        if (stopped) return stopped
        const state = prepared.context.getPromiseState(started.value)
        if (state.type !== 'pending' || run.open.size === 0) return ending(prepared, run, state)
        await this.#wait(run)
      }
    } catch (thrown) {
      if (run.late()) return lateFailure(run.job)
      const name = thrown instanceof Error ? thrown.name : 'error'
      return failure('memory', `The engine could not continue: ${name}`)
    }
  }

  /** Waits until the host has answered, which is no time of the code. */
  async #wait(run: AskingRun): Promise<void> {
    const begun = this.#now()
    await new Promise<void>((resolve) => {
      run.wake = resolve
      if (run.answers.length > 0) resolve()
    })
    run.end += this.#now() - begun
    for (const hand of run.answers.splice(0)) hand()
  }

  #release(
    prepared: Prepared,
    { job, result }: { job: ScriptJob; result: Pick<ScriptOutcome, 'ok'> & { error?: ScriptFailure } },
  ): void {
    const isSmall = (this.#module?.getWasmMemory().buffer.byteLength ?? 0) <= maxKeptBytes
    if (!isSmall || !(result.ok || result.error === 'syntax' || result.error === 'exception')) this.#forget()
    else if (job.reuse === '' || !result.ok || !tidied(prepared, job)) this.#dispose(prepared)
    else this.#keep(prepared, job)
  }

  #keep(prepared: Prepared, job: ScriptJob): void {
    for (const handle of prepared.handles.splice(prepared.kept)) if (handle.alive) handle.dispose()
    this.#kept.set(keptAs(job.library, job.reuse), prepared)
    const [oldest] = this.#kept
    if (!oldest || this.#kept.size <= maxKept) return
    this.#kept.delete(oldest[0])
    this.#dispose(oldest[1])
  }

  #dispose({ context, handles, runtime }: Prepared): void {
    try {
      for (const handle of handles) if (handle.alive) handle.dispose()
      context.dispose()
      runtime.dispose()
    } catch {
      this.#forget()
    }
  }

  /** Leaves the instance with all of its contexts. */
  #forget(): void {
    this.#module = undefined
    this.#next = undefined
    this.#kept.clear()
  }
}

/** Removes the globals that code has added; parts of a library are globals too. Returns whether this was possible. */
function tidied({ context, tidy }: Prepared, { library }: ScriptJob): boolean {
  if (library !== '') return true
  const result = context.callFunction(tidy, context.undefined)
  result.dispose()
  return !result.error
}

const keptAs = (library: string, reuse: string): string => (reuse === '' ? '' : `${library} ${reuse}`)

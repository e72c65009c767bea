import type { QuickJSContext, QuickJSDeferredPromise, QuickJSHandle, QuickJSWASMModule } from 'quickjs-emscripten-core'
import { errorMessage } from '../thrown.ts'
import { begin, createContext, ending, lengthOf, megabyte, type Prepared, type Run, runJobs } from './script-context.ts'
import {
  type AnswerAsk,
  type Finished,
  failure,
  lateFailure,
  type ScriptJob,
  type ScriptOutcome,
} from './script-job.ts'
import { type Snapshot, snapshot } from './script-memory.ts'
import type { Natives } from './script-natives.ts'

const noFunctions: AnswerAsk = async ({ name }) => {
  throw new Error(`There is no function ${name}`)
}

const maxLogs = 1_000
/** Memory of WebAssembly never shrinks: an instance that has grown beyond this is replaced. */
const maxKeptBytes = 48 * megabyte
/** Memory of an instance before it runs code. */
const ownBytes = 16 * megabyte
/** Instances with different limits of memory. */
const maxInstances = 2
/** Calls of the host's functions without an answer, and the characters of one input. */
const maxOpen = 200
const maxInput = 1_000_000
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

/** QuickJS in WebAssembly with one limit of memory, and a context for each library. */
interface Instance {
  module: QuickJSWASMModule
  contexts: Map<string, Prepared>
  /** The memory with all contexts, before code has run in any of them. */
  clean?: Snapshot
}

type Kind = Pick<ScriptJob, 'memory_mb' | 'library'>

/**
 * QuickJS in WebAssembly. Each call finds its context as it was before any code ran in it: the memory of the instance is put
 * back after a call, which takes a tenth of the time of a new context. An instance in which a call ended badly is dropped. Its
 * memory is what limits the code: QuickJS's own limit does not count what was allocated before.
 */
export class ScriptEngine {
  readonly #load: LoadScriptEngine
  readonly #now: () => number
  readonly #read: ReadLibrary
  readonly #natives: Natives
  /** By their limit of memory, the latest last. */
  readonly #instances = new Map<number, Instance>()
  /** What code has loaded, by limit of memory and library: later contexts have it from the beginning. */
  readonly #parts = new Map<string, Set<string>>()
  #run: AskingRun | undefined

  /** `now` returns milliseconds. */
  constructor(load: LoadScriptEngine, now: () => number, read: ReadLibrary, natives: Natives = {}) {
    this.#load = load
    this.#now = now
    this.#read = read
    this.#natives = natives
  }

  /** Creates the context of a call ahead of time. */
  async prepare(kind: Kind): Promise<void> {
    await this.#prepared(kind)
  }

  /** Calls must not overlap. */
  async run(job: ScriptJob, answer: AnswerAsk = noFunctions): Promise<ScriptOutcome> {
    const { instance, prepared } = await this.#prepared(job)
    const parts = this.#partsOf(job)
    const partsBefore = parts.size
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
    const isIntact = (result.ok || result.error === 'syntax' || result.error === 'exception') && prepared.reserve.alive
    const isSmall = instance.module.getWasmMemory().buffer.byteLength <= maxKeptBytes
    if (isIntact && isSmall && parts.size === partsBefore) instance.clean?.restore()
    else this.#instances.delete(job.memory_mb)
    const { logs, logs_truncated } = run
    return { ...result, logs, logs_truncated }
  }

  async #prepared(kind: Kind): Promise<{ instance: Instance; prepared: Prepared }> {
    const { memory_mb, library } = kind
    const instance = this.#instances.get(memory_mb) ?? (await this.#instance(memory_mb))
    // One in which a context cannot be created is not used again.
    this.#instances.delete(memory_mb)
    let prepared = instance.contexts.get(library)
    if (!prepared) {
      instance.clean?.clear()
      prepared = this.#create(instance.module, kind)
      instance.contexts.set(library, prepared)
      instance.clean = snapshot(instance.module.getWasmMemory())
    }
    this.#instances.set(memory_mb, instance)
    const [oldest] = this.#instances.keys()
    if (oldest !== undefined && this.#instances.size > maxInstances) this.#instances.delete(oldest)
    return { instance, prepared }
  }

  async #instance(memory_mb: number): Promise<Instance> {
    const module = await this.#load(memory_mb * megabyte + ownBytes)
    return { module, contexts: new Map() }
  }

  #partsOf({ memory_mb, library }: Kind): Set<string> {
    const key = `${memory_mb} ${library}`
    const parts = this.#parts.get(key) ?? new Set()
    this.#parts.set(key, parts)
    return parts
  }

  #create(module: QuickJSWASMModule, kind: Kind): Prepared {
    const parts = this.#partsOf(kind)
    const { library } = kind
    return createContext(
      module,
      { library, parts: [...parts] },
      {
        late: () => this.#run?.late() ?? false,
        write: (context, line) => this.#write(context, line),
        ask: (context, name, input) => this.#ask(context, name, input),
        read: (name) => {
          if (name !== library) parts.add(name)
          return this.#read(name)
        },
        natives: this.#natives,
      },
    )
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
}

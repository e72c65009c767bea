import type {
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
  VmCallResult,
} from 'quickjs-emscripten-core'
import type { ScriptCall, ScriptFailure, ScriptResult } from '../ports/script.ts'

/** A call with its limits, its input as JSON. Plain data, so that it can be sent to a thread. */
export interface ScriptJob {
  code: string
  input: string
  timeout_ms: number
  memory_mb: number
  output_chars: number
}

/** The result with its value as JSON. */
export type ScriptOutcome = Exclude<ScriptResult, { ok: true }> | (Success & { json: string })
type Success = Omit<Extract<ScriptResult, { ok: true }>, 'value'>

const megabyte = 1024 * 1024
/** The WebAssembly stack has 5 MB; a deeper recursion is an exception that the code can catch. */
const stackBytes = megabyte
const maxLogs = 1_000
/** Deeper JSON would exceed the stack of programs that process it recursively. */
const maxDepth = 200
/** Memory of WebAssembly never shrinks: an instance that has grown beyond this is replaced. */
const maxKeptBytes = 48 * megabyte
/** Memory of an instance before it runs code. */
const ownBytes = 16 * megabyte
/** Kept free by each context, to describe why there is no more memory. */
const reserveBytes = megabyte / 4
/** Memory of calls that do not say how much they may use. */
const usualMemory = 64
/** Promise jobs between two checks of the time. */
const jobsPerCheck = 1_000

const clamp = (value: number | undefined, [usual, max]: [number, number]) =>
  Math.min(Math.max(1, Number.isFinite(value) ? Number(value) : usual), max)

/** Throws a TypeError if the input is not JSON. */
export const jobOf = ({
  code,
  input = null,
  timeout_ms,
  memory_mb,
  output_chars,
}: ScriptCall): ScriptJob => ({
  code,
  input: JSON.stringify(input) ?? 'null',
  timeout_ms: clamp(timeout_ms, [5_000, 60_000]),
  memory_mb: clamp(memory_mb, [usualMemory, 256]),
  output_chars: clamp(output_chars, [100_000, 4_000_000]),
})

/** Parses the value, without `__proto__` keys: they would become prototypes where objects are copied. */
export function resultOf(outcome: ScriptOutcome): ScriptResult {
  if (!outcome.ok) return outcome
  const { json, ...rest } = outcome
  const inert = json.includes('"__proto__"')
    ? (key: string, value: unknown) => (key === '__proto__' ? undefined : value)
    : undefined
  return { ...rest, value: JSON.parse(json, inert) }
}

export const lateOutcome = ({ timeout_ms }: Pick<ScriptJob, 'timeout_ms'>): ScriptOutcome => ({
  ...failure('timeout', `The code ran longer than ${timeout_ms} ms`),
  logs: [],
  logs_truncated: false,
})

/**
 * Evaluated before the code, which can reach nothing of it but `console`. Returns what the host calls later, so that
 * the code cannot replace it.
 */
const prelude = `((write) => {
  const { parse, stringify } = JSON, text = String, Failure = Error
  const show = (value) => {
    try {
      if (typeof value === 'string') return value
      if (value instanceof Failure) return text(value)
      return stringify(value) ?? text(value)
    } catch { return '[unprintable]' }
  }
  const log = (...values) => {
    let line = ''
    for (let index = 0; index < values.length; index++) line += (index ? ' ' : '') + show(values[index])
    write(line)
  }
  globalThis.console = { log, info: log, warn: log, error: log, debug: log }
  const describe = (thrown) => {
    if (!(thrown instanceof Failure)) return stringify({ message: show(thrown) })
    return stringify({ name: text(thrown.name), message: text(thrown.message), stack: text(thrown.stack) })
  }
  return { parse, stringify, describe }
})`

interface Prepared {
  runtime: QuickJSRuntime
  context: QuickJSContext
  /** A runtime can be freed only after all of its handles. */
  handles: QuickJSHandle[]
  reserve: QuickJSHandle
  parse: QuickJSHandle
  stringify: QuickJSHandle
  describe: QuickJSHandle
}

type Failed = Pick<Extract<ScriptResult, { ok: false }>, 'ok' | 'error' | 'message' | 'line'>

const failure = (error: ScriptFailure, message: string, line: number | null = null): Failed => ({
  ok: false,
  error,
  message,
  line,
})

/** The state of one run. */
interface Run {
  job: ScriptJob
  late(): boolean
  logs: string[]
  logged: number
  logs_truncated: boolean
}

/** Loads an instance whose memory grows to at most `max_bytes`. */
export type LoadScriptEngine = (max_bytes: number) => Promise<QuickJSWASMModule>

/**
 * QuickJS in WebAssembly. Each call gets a runtime of its own; one that ended badly is dropped with its instance. The memory
 * of the instance is what limits the code: QuickJS's own limit does not count what was allocated before.
 */
export class ScriptEngine {
  readonly #load: LoadScriptEngine
  readonly #now: () => number
  #memory_mb = usualMemory
  #module: QuickJSWASMModule | undefined
  #next: Prepared | undefined
  #run: Run | undefined

  /** `now` returns milliseconds. */
  constructor(load: LoadScriptEngine, now: () => number) {
    this.#load = load
    this.#now = now
  }

  /** Creates the context of the next call ahead of time. Default: with as much memory as the last one. */
  async prepare({ memory_mb }: Pick<ScriptJob, 'memory_mb'> = { memory_mb: this.#memory_mb }): Promise<void> {
    if (memory_mb !== this.#memory_mb) {
      this.#memory_mb = memory_mb
      this.#module = undefined
      this.#next = undefined
    }
    this.#module ??= await this.#load(memory_mb * megabyte + ownBytes)
    this.#next ??= this.#create(this.#module)
  }

  /** Calls must not overlap. */
  async run(job: ScriptJob): Promise<ScriptOutcome> {
    await this.prepare(job)
    const prepared = this.#next as Prepared
    this.#next = undefined
    const end = this.#now() + job.timeout_ms
    const run: Run = { job, late: () => this.#now() > end, logs: [], logged: 0, logs_truncated: false }
    this.#run = run
    const result = attempt(prepared, run)
    this.#run = undefined
    this.#release(prepared, result.ok || ['syntax', 'exception'].includes(result.error))
    const { logs, logs_truncated } = run
    return { ...result, logs, logs_truncated }
  }

  #create(module: QuickJSWASMModule): Prepared {
    const runtime = module.newRuntime({ maxStackSizeBytes: stackBytes })
    runtime.setInterruptHandler(() => this.#run?.late() ?? false)
    const context = runtime.newContext()
    const handles: QuickJSHandle[] = []
    const own = (handle: QuickJSHandle) => owned({ handles }, handle)
    const write = own(context.newFunction('write', (line) => this.#write(context, line)))
    const start = own(context.unwrapResult(context.evalCode(prelude)))
    const made = own(context.unwrapResult(context.callFunction(start, context.undefined, write)))
    const part = (name: string) => own(context.getProp(made, name))
    const [parse, stringify, describe] = [part('parse'), part('stringify'), part('describe')]
    const reserve = own(context.newArrayBuffer(new ArrayBuffer(reserveBytes)))
    return { runtime, context, handles, reserve, parse, stringify, describe }
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

  #release(prepared: Prepared, sound: boolean): void {
    const kept = (this.#module?.getWasmMemory().buffer.byteLength ?? 0) <= maxKeptBytes
    try {
      if (!sound || !kept) throw replaced
      for (const handle of prepared.handles) if (handle.alive) handle.dispose()
      prepared.context.dispose()
      prepared.runtime.dispose()
    } catch {
      this.#module = undefined
    }
  }
}

const replaced = new Error('the instance is replaced')

/** Runs the code of a job; whatever the engine does is an outcome. */
function attempt(prepared: Prepared, run: Run): Failed | { ok: true; json: string } {
  try {
    return evaluate(prepared, run)
  } catch (thrown) {
    if (run.late()) return lateFailure(run.job)
    return failure(
      'memory',
      `The engine could not continue: ${thrown instanceof Error ? thrown.name : 'error'}`,
    )
  }
}

const lateFailure = ({ timeout_ms }: ScriptJob) =>
  failure('timeout', `The code ran longer than ${timeout_ms} ms`)

function evaluate(prepared: Prepared, run: Run): Failed | { ok: true; json: string } {
  const { context, runtime, parse } = prepared
  const code = compile(prepared, run.job.code)
  if ('error' in code) return describeFailure(prepared, run, code.error, 'syntax')
  const json = owned(prepared, context.newString(run.job.input))
  const input = call(prepared, parse, json)
  if ('error' in input) return describeFailure(prepared, run, input.error)
  const called = call(prepared, code.value, input.value)
  if ('error' in called) return describeFailure(prepared, run, called.error)
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(jobsPerCheck)
    if (run.late()) return lateFailure(run.job)
    if (done.error) return describeFailure(prepared, run, owned(prepared, done.error))
    done.dispose()
  }
  const state = context.getPromiseState(called.value)
  if (run.late()) return lateFailure(run.job)
  if (state.type === 'pending') {
    return failure('exception', 'The code waits for a promise that nothing settles; there are no timers here')
  }
  if (state.type === 'rejected') return describeFailure(prepared, run, owned(prepared, state.error))
  return render(prepared, run, owned(prepared, state.value))
}

function owned(prepared: Pick<Prepared, 'handles'>, handle: QuickJSHandle): QuickJSHandle {
  prepared.handles.push(handle)
  return handle
}

type Called = { value: QuickJSHandle } | { error: QuickJSHandle }

const ownedResult = (prepared: Prepared, result: VmCallResult<QuickJSHandle>): Called =>
  result.error ? { error: owned(prepared, result.error) } : { value: owned(prepared, result.value) }

const call = (prepared: Prepared, called: QuickJSHandle, argument: QuickJSHandle): Called =>
  ownedResult(prepared, prepared.context.callFunction(called, prepared.context.undefined, argument))

/** An async function of the code: as an expression if it is one, else as a body. Lines keep their numbers. */
function compile(prepared: Prepared, code: string): Called {
  const compiled = (text: string) => ownedResult(prepared, prepared.context.evalCode(text, 'code.js'))
  const expression = compiled(`(async (input) => (${code}\n))`)
  return 'value' in expression ? expression : compiled(`(async (input) => {${code}\n})`)
}

function render(prepared: Prepared, run: Run, value: QuickJSHandle): Failed | { ok: true; json: string } {
  const { context, stringify } = prepared
  const { output_chars } = run.job
  const made = call(prepared, stringify, value)
  if ('error' in made) return describeFailure(prepared, run, made.error, 'output')
  if (context.typeof(made.value) !== 'string') return { ok: true, json: 'null' }
  if (lengthOf(context, made.value) > output_chars) {
    return failure('output', `The result is longer than ${output_chars} characters as JSON`)
  }
  const json = context.getString(made.value)
  return tooDeep(json)
    ? failure('output', `The result is nested more than ${maxDepth} levels deep`)
    : { ok: true, json }
}

/** The length of a string; `Infinity` for anything else. */
function lengthOf(context: QuickJSContext, text: QuickJSHandle): number {
  if (context.typeof(text) !== 'string') return Number.POSITIVE_INFINITY
  return context.getProp(text, 'length').consume((length) => context.getNumber(length))
}

function tooDeep(json: string): boolean {
  let depth = 0
  let quoted = false
  for (let index = 0; index < json.length; index += 1) {
    const character = json[index]
    if (quoted && character === '\\') index += 1
    else if (character === '"') quoted = !quoted
    else if (!quoted && (character === '[' || character === '{')) depth += 1
    else if (!quoted && (character === ']' || character === '}')) depth -= 1
    if (depth > maxDepth) return true
  }
  return false
}

function describeFailure(
  prepared: Prepared,
  run: Run,
  thrown: QuickJSHandle,
  usual: ScriptFailure = 'exception',
): Failed {
  const { context, reserve, describe } = prepared
  if (run.late()) return lateFailure(run.job)
  if (reserve.alive) reserve.dispose()
  const described = call(prepared, describe, thrown)
  if (run.late()) return lateFailure(run.job)
  if ('error' in described || context.typeof(described.value) !== 'string')
    return failure('exception', 'The code threw a value that cannot be shown')
  const [length, max] = [lengthOf(context, described.value), run.job.output_chars + maxStack]
  if (length > max) return failure('exception', 'The code threw an error that is too long to be shown')
  const failed = failureOf(JSON.parse(context.getString(described.value)), usual)
  // An unexpected end is found in the line after the code.
  return { ...failed, line: failed.line && Math.min(failed.line, run.job.code.split('\n').length) }
}

/** Characters of a stack trace that are looked at. */
const maxStack = 10_000
const maxMessage = 2_000

function failureOf(
  { name, message, stack = '' }: { name?: string; message: string; stack?: string },
  usual: ScriptFailure,
): Failed {
  if (name === 'InternalError' && message === 'out of memory') {
    return failure('memory', 'The code needs more memory than it may use')
  }
  const line = /code\.js:(\d{1,6})/.exec(stack.slice(0, maxStack))?.[1]
  const text = name ? `${name}: ${message}` : message
  return failure(usual, text.slice(0, maxMessage), line ? Number(line) : null)
}

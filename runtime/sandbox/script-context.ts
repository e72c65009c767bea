import type {
  JSPromiseState,
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
  QuickJSWASMModule,
  VmCallResult,
} from 'quickjs-emscripten-core'
import type { ScriptFailure } from '../ports/script.ts'
import { type Failed, type Finished, failure, lateFailure, type ScriptJob } from './script-job.ts'
import { callNative, type Natives } from './script-natives.ts'
import { prelude } from './script-prelude.ts'

export const megabyte = 1024 * 1024
/** The WebAssembly stack has 5 MB; a deeper recursion is an exception that the code can catch. */
const stackBytes = megabyte
/** Kept free by each context, to describe why there is no more memory. */
const reserveBytes = megabyte / 4
/** Deeper JSON would exceed the stack of programs that process it recursively. */
const maxDepth = 200
/** Promise jobs between two checks of the time. */
const jobsPerCheck = 1_000

/** A context of QuickJS with its runtime, ready for code. No handle is freed: the memory is put back as a whole. */
export interface Prepared {
  runtime: QuickJSRuntime
  context: QuickJSContext
  reserve: QuickJSHandle
  parse: QuickJSHandle
  stringify: QuickJSHandle
  describe: QuickJSHandle
  /** Defines the functions of the host. */
  offer: QuickJSHandle
}
/** The job that runs in a context. */
export interface Run {
  job: ScriptJob
  late(): boolean
}

/** What a context calls of its engine. */
interface Callbacks {
  /** Whether the code that runs is to be stopped. */
  late(): boolean
  write(context: QuickJSContext, line: QuickJSHandle): void
  ask(context: QuickJSContext, name: QuickJSHandle, input: QuickJSHandle): QuickJSHandle
  /** The source of a library. */
  read(name: string): string
  /** Functions that only this host has. */
  natives: Natives
}

/** `parts` are what is loaded of what code loads by itself when it uses it. */
export function createContext(
  module: QuickJSWASMModule,
  { library, parts }: { library: string; parts: Iterable<string> },
  { late, write: writeLine, ask: askHost, read: readLibrary, natives }: Callbacks,
): Prepared {
  const runtime = module.newRuntime({ maxStackSizeBytes: stackBytes })
  runtime.setInterruptHandler(late)
  const context = runtime.newContext()
  const textOf = (handle: QuickJSHandle) => context.getString(handle)
  const write = context.newFunction('write', (line) => writeLine(context, line))
  const ask = context.newFunction('ask', (name, input) => askHost(context, name, input))
  const native = context.newFunction('native', (name, json) =>
    context.newString(callNative(textOf(name), textOf(json), natives)),
  )
  const read = context.newFunction('read', (name) => context.newString(readLibrary(textOf(name))))
  const start = context.unwrapResult(context.evalCode(prelude))
  const made = context.unwrapResult(context.callFunction(start, context.undefined, write, ask, native, read))
  const part = (name: string) => context.getProp(made, name)
  const load = (how: 'load' | 'open', name: string) =>
    context.unwrapResult(context.callFunction(part(how), context.undefined, context.newString(name)))
  if (library !== '') load('load', library)
  for (const name of parts) load('open', name)
  const [parse, stringify, describe, offer] = [part('parse'), part('stringify'), part('describe'), part('offer')]
  const reserve = context.newArrayBuffer(new ArrayBuffer(reserveBytes))
  return { runtime, context, reserve, parse, stringify, describe, offer }
}

/** Calls the code. The value is the promise of its result. */
export function begin(prepared: Prepared, run: Run): Failed | { value: QuickJSHandle } {
  const { context, parse, offer } = prepared
  const code = compile(prepared, run.job.code)
  if ('error' in code) return describeFailure(prepared, run, code.error, 'syntax')
  const parsed = (json: string) => call(prepared, parse, context.newString(json))
  if (run.job.functions.length > 0) {
    const names = parsed(JSON.stringify(run.job.functions))
    const offered = 'error' in names ? names : call(prepared, offer, names.value)
    if ('error' in offered) return describeFailure(prepared, run, offered.error)
  }
  const input = parsed(run.job.input)
  if ('error' in input) return describeFailure(prepared, run, input.error)
  const called = call(prepared, code.value, input.value)
  return 'error' in called ? describeFailure(prepared, run, called.error) : called
}

/** Continues the code as far as it goes. Null if nothing stopped it. */
export function runJobs(prepared: Prepared, run: Run): Failed | null {
  const { runtime } = prepared
  while (runtime.hasPendingJob()) {
    const done = runtime.executePendingJobs(jobsPerCheck)
    if (run.late()) return lateFailure(run.job)
    if (done.error) return describeFailure(prepared, run, done.error)
    done.dispose()
  }
  return null
}

export function ending(prepared: Prepared, run: Run, state: JSPromiseState): Finished {
  if (run.late()) return lateFailure(run.job)
  if (state.type === 'pending') {
    return failure('exception', 'The code waits for a promise that nothing settles; there are no timers here')
  }
  if (state.type === 'rejected') return describeFailure(prepared, run, state.error)
  return render(prepared, run, state.value)
}

type Called = { value: QuickJSHandle } | { error: QuickJSHandle }

const calledWith = (result: VmCallResult<QuickJSHandle>): Called =>
  result.error ? { error: result.error } : { value: result.value }

const call = ({ context }: Prepared, called: QuickJSHandle, argument: QuickJSHandle): Called =>
  calledWith(context.callFunction(called, context.undefined, argument))

/** An async function of the code: as an expression if it is one, else as a body. Lines keep their numbers. */
function compile(prepared: Prepared, code: string): Called {
  const compiled = (text: string) => calledWith(prepared.context.evalCode(text, 'code.js'))
  const expression = compiled(`(async (input) => (${code}\n))`)
  return 'value' in expression ? expression : compiled(`(async (input) => {${code}\n})`)
}

function render(prepared: Prepared, run: Run, value: QuickJSHandle): Finished {
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
export function lengthOf(context: QuickJSContext, text: QuickJSHandle): number {
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
  let described = call(prepared, describe, thrown)
  if ('error' in described && reserve.alive) {
    reserve.dispose()
    described = call(prepared, describe, thrown)
  }
  if (run.late()) return lateFailure(run.job)
  if ('error' in described || context.typeof(described.value) !== 'string')
    return failure('exception', 'The code threw a value that cannot be shown')
  const [length, max] = [lengthOf(context, described.value), run.job.output_chars + maxStack]
  if (length > max) return failure('exception', 'The code threw an error that is too long to be shown')
  const what = JSON.parse(context.getString(described.value))
  // Without memory for an error the engine throws null, which code hardly ever does.
  if (what.message === 'null' && !what.name && context.typeof(thrown) === 'object')
    return failure('memory', 'The code threw null, as it does if it needs more memory than it may use')
  const failed = failureOf(what, usual)
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

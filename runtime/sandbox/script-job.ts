import type { ScriptCall, ScriptFailure, ScriptResult } from '../ports/script.ts'

/** A call with its limits, its input as JSON. Plain data, so that it can be sent to a thread. */
export interface ScriptJob {
  code: string
  input: string
  library: string
  timeout_ms: number
  memory_mb: number
  output_chars: number
  /** Names of the host's functions. */
  functions: string[]
}

/** What code asks the host for: a function and its input as JSON. */
export interface ScriptAsk {
  name: string
  input: string
}

/** Answers with JSON. A rejection is an exception in the code. */
export type AnswerAsk = (ask: ScriptAsk) => Promise<string>

/** Calls the functions of a call for its code. */
export const answerWith =
  ({ functions = {} }: Pick<ScriptCall, 'functions'>): AnswerAsk =>
  async ({ name, input }) => {
    const call = Object.hasOwn(functions, name) ? functions[name] : undefined
    if (!call) throw new Error(`There is no function ${name}`)
    return JSON.stringify((await call(JSON.parse(input))) ?? null)
  }
export type ScriptOutcome = Exclude<ScriptResult, { ok: true }> | (Success & { json: string })
type Success = Omit<Extract<ScriptResult, { ok: true }>, 'value'>

/** Memory of calls that do not say how much they may use. */
export const usualMemory = 64

const clamp = (value: number | undefined, [usual, max]: [number, number]) =>
  Math.min(Math.max(1, Number.isFinite(value) ? Number(value) : usual), max)

/** Throws a TypeError if the input is not JSON. */
export const jobOf = ({
  code,
  input = null,
  library,
  timeout_ms,
  memory_mb,
  output_chars,
  functions = {},
}: ScriptCall): ScriptJob => ({
  code,
  functions: Object.keys(functions),
  input: JSON.stringify(input) ?? 'null',
  library: library ?? '',
  timeout_ms: clamp(timeout_ms, [5_000, 60_000]),
  memory_mb: clamp(memory_mb, [usualMemory, 256]),
  output_chars: clamp(output_chars, [100_000, 32 * 1024 * 1024]),
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
export type Failed = Pick<Extract<ScriptResult, { ok: false }>, 'ok' | 'error' | 'message' | 'line'>

/** How code has ended. */
export type Finished = Failed | { ok: true; json: string }

export const failure = (error: ScriptFailure, message: string, line: number | null = null): Failed => ({
  ok: false,
  error,
  message,
  line,
})
export const lateFailure = ({ timeout_ms }: Pick<ScriptJob, 'timeout_ms'>): Failed =>
  failure('timeout', `The code ran longer than ${timeout_ms} ms`)

export const lateOutcome = (job: Pick<ScriptJob, 'timeout_ms'>): ScriptOutcome => ({
  ...lateFailure(job),
  logs: [],
  logs_truncated: false,
})

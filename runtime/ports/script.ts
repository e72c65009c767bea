export interface ScriptCall {
  /** One expression, or the body of an async function. Its parameter is `input`. */
  code: string
  /** Any JSON value. Default: null. */
  input?: unknown
  /** Functions for the code beyond those of the engine: `items` has those of workflows. Default: none. */
  library?: 'items'
  /** Default: 5,000; at most 60,000. */
  timeout_ms?: number
  /** Default: 64; at most 256. */
  memory_mb?: number
  /** Limit of the result as JSON, and of the console output. Default: 100,000; at most 32 MiB. */
  output_chars?: number
  /**
   * What the code may call as `await tools.<name>(input)`. Input and result are JSON; a rejection is an exception in the code.
   * The time of a call does not count as time of the code.
   */
  functions?: Readonly<Record<string, HostFunction>>
}

export type HostFunction = (input: unknown) => Promise<unknown>

/** `output`: the result is too long, too deeply nested, or not JSON. */
export type ScriptFailure = 'syntax' | 'exception' | 'timeout' | 'memory' | 'output'

interface Console {
  /** Each call of `console.log` and the like, in order. */
  logs: string[]
  /** Whether console output is missing because of `output_chars`. */
  logs_truncated: boolean
}

/** `line` is that of the code, near the failure. */
export type ScriptResult =
  | (Console & { ok: true; value: unknown })
  | (Console & { ok: false; error: ScriptFailure; message: string; line: number | null })

/** The engine failed; the code may be fine. The message is safe to show. */
export class ScriptError extends Error {
  override name = 'ScriptError'
}

/**
 * Runs untrusted JavaScript, each call with its own globals and without input or output but the given functions: no files,
 * network, timers or modules. Every implementation passes `test/contracts/script.ts`.
 */
export interface Script {
  /** Throws `ScriptError` or the signal's reason; whatever the code does is a result. */
  run(call: ScriptCall, signal?: AbortSignal): Promise<ScriptResult>
  /** Releases its resources. */
  close(): Promise<void>
}

import { z } from 'zod'
import { KeyedLock } from '../keyed-lock.ts'
import { type ScriptCall, ScriptError } from '../ports/script.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'

const maxOutput = 20_000

export const runCode = tool({
  name: 'run_code',
  description:
    'Runs JavaScript in an isolated engine, for exact calculation and for reshaping data: one expression, or the body of an ' +
    'async function that returns JSON. There is no network, file, module or timer. Your tools that only read can be called ' +
    'as `await tools.<name>(input)`: use it to read much and return little, because you see only the returned value and ' +
    'what console.log wrote.',
  input: z.object({
    code: z.string().min(1).max(100_000).describe('For example: return input.prices.reduce((a, b) => a + b)'),
    input: z.unknown().optional().describe('Data that the code reads as `input`'),
    timeout_seconds: z.int().min(1).max(30).default(10),
  }),
  // The time of the calls of tools; the code itself has its own limit.
  timeout_seconds: 300,
  summary: ({ code }) => `Run JavaScript: ${clipped(code, 100)}`,
  async run({ code, input, timeout_seconds }, { context, signal, reading }) {
    const limits = { timeout_ms: timeout_seconds * 1_000, output_chars: maxOutput }
    try {
      const functions = reading && functionsOf(reading)
      const call = { code, input, ...limits, ...(functions && { functions }) }
      const result = await context.script.run(call, signal)
      const { logs, logs_truncated } = result
      if (result.ok) return { value: result.value, logs, logs_truncated }
      throw new ToolError(describe(result))
    } catch (thrown) {
      throw thrown instanceof ScriptError ? new ToolError(thrown.message) : thrown
    }
  },
})

/** Calls of tools that one run may make. */
const maxCalls = 50
/** Those that run at once. */
const maxAtOnce = 8

function functionsOf({ names, call }: Required<ToolScope>['reading']): ScriptCall['functions'] {
  const lanes = new KeyedLock()
  let calls = 0
  const limited = (name: string) => async (input: unknown) => {
    calls += 1
    if (calls > maxCalls) throw new ToolError(`The code may call at most ${maxCalls} tools`)
    return lanes.run(String(calls % maxAtOnce), () => call(name, input))
  }
  return Object.fromEntries(names.map((name) => [name, limited(name)]))
}

const describe = ({ message, line, logs }: { message: string; line: number | null; logs: string[] }) =>
  [line === null ? message : `${message} (line ${line})`, ...logs.slice(-20).map((log) => `log: ${log}`)]
    .join('\n')
    .slice(0, maxOutput)

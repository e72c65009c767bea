import { z } from 'zod'
import { ScriptError } from '../ports/script.ts'
import { clipped } from '../tools/text.ts'
import { ToolError, tool } from '../tools/tool.ts'

const maxOutput = 20_000

export const runCode = tool({
  name: 'run_code',
  description:
    'Runs JavaScript in an isolated engine, for exact calculation and for reshaping data. The code is one expression or ' +
    'the body of an async function; it returns its result, which must be JSON. There is no network, no file, no module ' +
    'and no timer; `input` is the given data, and console.log is recorded. Returns the value and the logs.',
  input: z.object({
    code: z.string().min(1).max(100_000).describe('For example: return input.prices.reduce((a, b) => a + b)'),
    input: z.json().optional().describe('Data that the code reads as `input`'),
    timeout_seconds: z.number().int().min(1).max(30).default(10),
  }),
  summary: ({ code }) => `Run JavaScript: ${clipped(code, 100)}`,
  async run({ code, input, timeout_seconds }, { context, signal }) {
    const limits = { timeout_ms: timeout_seconds * 1_000, output_chars: maxOutput }
    try {
      const result = await context.script.run({ code, input, ...limits }, signal)
      const { logs, logs_truncated } = result
      if (result.ok) return { value: result.value, logs, logs_truncated }
      throw new ToolError(describe(result))
    } catch (thrown) {
      throw thrown instanceof ScriptError ? new ToolError(thrown.message) : thrown
    }
  },
})

const describe = ({ message, line, logs }: { message: string; line: number | null; logs: string[] }) =>
  [line === null ? message : `${message} (line ${line})`, ...logs.slice(-20).map((log) => `log: ${log}`)]
    .join('\n')
    .slice(0, maxOutput)

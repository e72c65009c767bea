import { z } from 'zod'
import { ScriptError } from '../../ports/script.ts'
import { NodeError, nodeType } from '../node-type.ts'

export const code = nodeType({
  type: 'code',
  title: 'Code',
  description:
    'Runs JavaScript without access to files or the network. The code reads the input of the node as input; what it returns is the output.',
  category: 'data',
  params: z.object({
    code: z
      .string()
      .min(1)
      .max(100_000)
      .meta({ description: 'For example return input.rows.length', 'x-language': 'javascript' }),
    input: z.unknown().optional().meta({
      description: 'Other data for the code, for example ={"rows": input.rows, "limit": vars.limit}',
    }),
    timeout_seconds: z.number().min(1).max(60).default(10).meta({ title: 'Time limit in seconds' }),
    memory_mb: z.number().int().min(8).max(256).default(64).meta({ title: 'Memory limit in MB' }),
  }),
  code: { code: 'javascript' },
  risk: 'low',
  async run({ code, input: own, timeout_seconds, memory_mb }, { context, input }) {
    const call = {
      code,
      input: own === undefined ? input : own,
      timeout_ms: timeout_seconds * 1_000,
      memory_mb,
      output_chars: 4_000_000,
    }
    try {
      const result = await context.script.run(call, context.signal)
      if (result.ok) return { output: result.value }
      const at = result.line === null ? '' : ` (line ${result.line})`
      throw new NodeError(result.error, `${result.message}${at}`, { permanent: result.error === 'syntax' })
    } catch (thrown) {
      throw thrown instanceof ScriptError ? new NodeError('engine', thrown.message) : thrown
    }
  },
})

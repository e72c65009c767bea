import { z } from 'zod'
import { isRecord } from '../../values.ts'
import { picked, withFields, withoutField } from '../field-path.ts'
import { nodeType, permanentError } from '../node-type.ts'
import { maxOutput } from '../values.ts'

const Params = z.object({
  values: z.record(z.string().max(200), z.unknown()).default({}).meta({
    description: 'Fields to set. A path sets a member, as in customer.name or items[0].name',
  }),
  keep_input: z.boolean().default(true).meta({ description: 'Keep the other fields of the input' }),
  only: z.array(z.string().max(200)).default([]).meta({ description: 'Keep these fields only. Leave blank for all' }),
  except: z.array(z.string().max(200)).default([]).meta({ description: 'Do not keep these fields' }),
  paths: z.boolean().default(true).meta({ description: 'Dots in names lead to members' }),
})

export const set = nodeType({
  type: 'set',
  title: 'Set fields',
  description: 'Adds or replaces fields. Its output is the input with these fields.',
  category: 'data',
  params: Params,
  usual_input: 'item',
  pure: true,
  risk: 'low',
  async run({ values, keep_input, only, except, paths }, { input }) {
    // Without fields it passes everything on, lists too.
    if (keep_input && [values, only, except].every((one) => Object.keys(one).length === 0)) return { output: input }
    if (keep_input && Array.isArray(input))
      throw permanentError('list', 'The input is a list, which has no fields to keep; put a loop before it')
    let output: Record<string, unknown> = keep_input && isRecord(input) ? input : {}
    if (only.length > 0) output = picked(output, only, paths)
    for (const path of except) output = withoutField(output, path, paths)
    return { output: paths ? withFields(output, Object.entries(values)) : { ...output, ...values } }
  },
})

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
    run: z
      .enum(['value', 'all_items', 'each_item', 'each_data'])
      .default('value')
      .meta({
        title: 'The code works on',
        labels: {
          value: 'The input, as input',
          all_items: 'All items, as $input.all()',
          each_item: 'Each item, as $input.item',
          each_data: 'The data of each item, as item',
        },
      }),
    timeout_seconds: z.number().min(1).max(60).default(10).meta({ title: 'Time limit in seconds' }),
    memory_mb: z.int().min(8).max(256).default(64).meta({ title: 'Memory limit in MB' }),
  }),
  code: { code: 'javascript' },
  pure: true,
  risk: 'low',
  async run({ code, input: own, run, timeout_seconds, memory_mb }, { runScript, runItems, input }) {
    const limits = { timeout_ms: timeout_seconds * 1_000, memory_mb, output_chars: maxOutput }
    if (run === 'value') return { output: await runScript({ ...limits, code, input: own === undefined ? input : own }) }
    return { outputs: { main: await runItems({ ...limits, code, run }) } }
  },
})

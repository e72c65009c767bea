import { z } from 'zod'
import { withField } from '../field-path.ts'
import { NodeError, nodeType } from '../node-type.ts'

const Params = z.object({
  values: z.record(z.string().max(200), z.unknown()).default({}).meta({
    description: 'Fields to set. A path sets a member, as in customer.name or items[0].name',
  }),
  keep_input: z.boolean().default(true).meta({ description: 'Keep the other fields of the input' }),
})

export const set = nodeType({
  type: 'set',
  title: 'Set fields',
  description: 'Adds or replaces fields. Its output is the input with these fields.',
  category: 'data',
  params: Params,
  risk: 'low',
  async run({ values, keep_input }, { input }) {
    // Without fields it passes everything on, lists too.
    if (keep_input && Object.keys(values).length === 0) return { output: input }
    if (keep_input && Array.isArray(input))
      throw new NodeError('list', 'The input is a list, which has no fields to keep; put a loop before it', {
        permanent: true,
      })
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    let output: Record<string, unknown> = keep_input && isObject ? { ...input } : {}
    for (const [path, value] of Object.entries(values)) output = withField(output, path, value)
    return { output }
  },
})

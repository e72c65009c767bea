import { z } from 'zod'
import { isTrue } from '../../values.ts'
import { nodeType } from '../node-type.ts'

export const condition = nodeType({
  type: 'condition',
  title: 'If',
  description: 'Continues at true or false, depending on an expression. Its output is the input.',
  category: 'flow',
  params: z.object({
    expression: z
      .string()
      .trim()
      .min(1)
      .max(20_000)
      .meta({ description: 'For example input.total > 100', 'x-language': 'jsonata' }),
  }),
  outputs: [
    { name: 'true', label: 'True' },
    { name: 'false', label: 'False' },
  ],
  code: { expression: 'jsonata' },
  risk: 'low',
  async run({ expression }, { input, evaluate }) {
    return { output: input, to: String(isTrue(await evaluate('expression', expression))) }
  },
})

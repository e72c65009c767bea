import { z } from 'zod'
import { isTrue } from '../../values.ts'
import { nodeType } from '../node-type.ts'

export const switchNode = nodeType({
  type: 'switch',
  title: 'Switch',
  description:
    'Continues at the output of the first case whose expression is true; at Otherwise if none is. Its output is the input.',
  category: 'flow',
  params: z.object({
    cases: z
      .array(
        z.object({
          name: z.string().max(100).default(''),
          expression: z
            .string()
            .trim()
            .min(1)
            .max(20_000)
            .meta({ description: 'For example input.kind = "invoice"', 'x-language': 'jsonata' }),
        }),
      )
      .min(1)
      .max(50),
  }),
  outputs: [{ name: 'main', label: 'Otherwise' }],
  outputs_from: 'cases',
  code: { 'cases.*.expression': 'jsonata' },
  risk: 'low',
  async run({ cases }, { input, evaluate }) {
    for (const [index, { expression }] of cases.entries())
      if (isTrue(await evaluate(`cases.${index}.expression`, expression)))
        return { output: input, to: `case:${index}` }
    return { output: input }
  },
})

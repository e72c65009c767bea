import { z } from 'zod'
import { nodeType } from '../node-type.ts'

export const parallel = nodeType({
  type: 'parallel',
  title: 'Parallel',
  description:
    'Runs the branches at its output at the same time; a merge waits for them. Its output is the input.',
  category: 'flow',
  params: z.object({ max_concurrent: z.number().int().min(1).max(20).default(5) }),
  risk: 'low',
  async run({ max_concurrent }, { input }) {
    return { output: input, width: max_concurrent }
  },
})

import { z } from 'zod'
import { nodeType } from '../node-type.ts'

/** A trigger passes on the input with which its execution was started. */
const run = async (_: unknown, { input }: { input: unknown }) => ({ output: input })

export const manual = nodeType({
  type: 'trigger.manual',
  title: 'Manual start',
  description:
    'Starts when a person, an agent or another program runs the workflow. Its output is the given input.',
  category: 'trigger',
  params: z.object({}),
  risk: 'low',
  run,
})

import { z } from 'zod'
import { iso, second } from '../../time.ts'
import { NodeError, nodeType } from '../node-type.ts'

export const delay = nodeType({
  type: 'delay',
  title: 'Wait',
  description: 'Continues after some time, or at a time. Waiting survives restarts. Its output is the input.',
  category: 'flow',
  params: z.object({
    seconds: z.number().min(0).max(31_536_000).default(60),
    until: z.string().max(100).default('').meta({ description: 'ISO 8601, instead of seconds' }),
  }),
  risk: 'low',
  async run({ seconds, until }, { context }) {
    const now = context.clock.now()
    const at = until === '' ? now + seconds * second : Date.parse(until)
    if (Number.isNaN(at))
      throw new NodeError('invalid_params', `until is not a time: ${until}`, { permanent: true })
    return { wait: { kind: 'delay', message: `Until ${iso(at)}`, until: iso(at) } }
  },
  resume: async (_, { input }) => ({ output: input }),
})

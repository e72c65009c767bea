import { z } from 'zod'
import { nodeType } from '../node-type.ts'

export const note = nodeType({
  type: 'note',
  title: 'Note',
  description: 'A text on the canvas. It never runs.',
  category: 'other',
  params: z.object({ text: z.string().max(20_000).default('').meta({ 'x-format': 'multiline' }) }),
  outputs: [],
  code: { text: 'javascript' },
  risk: 'low',
  async run(_, { input }) {
    return { output: input }
  },
})

import { z } from 'zod'
import { NodeError, nodeType } from '../node-type.ts'

const advice = 'replace the node, remove it, pin its data, or disable it to pass its input on unchanged'

/** Stands for a node of another program that hearthd does not have. */
export const placeholder = nodeType({
  type: 'placeholder',
  title: 'Placeholder',
  description:
    'Stands for an imported node that has no equivalent. An execution that reaches it fails. Replace or remove it; disabled, it passes its input on.',
  category: 'other',
  params: z
    .object({
      imported_type: z.string().max(200).default(''),
      outputs: z
        .array(z.object({ name: z.string().max(100).default('') }))
        .max(100)
        .default([])
        .meta({ title: 'Further outputs' }),
    })
    .loose(),
  outputs_from: 'outputs',
  risk: 'low',
  async run({ imported_type }, { node }) {
    throw new NodeError(
      'placeholder',
      `"${node.name}" is a placeholder for ${imported_type || 'a node that could not be imported'}, which has no equivalent here: ${advice}`,
      { permanent: true, stops: true },
    )
  },
})

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

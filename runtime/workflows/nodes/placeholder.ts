import { z } from 'zod'
import { NodeError, nodeType } from '../node-type.ts'

/** Stands for a node of another program that hearthd does not have. */
export const placeholder = nodeType({
  type: 'placeholder',
  title: 'Placeholder',
  description:
    'Stands for an imported node that has no equivalent. Replace it; disabled, it passes its input on.',
  category: 'other',
  params: z.object({ imported_type: z.string().max(200).default('') }).loose(),
  risk: 'low',
  async run({ imported_type }) {
    throw new NodeError(
      'placeholder',
      `There is no node like ${imported_type || 'this'}; replace it or disable it`,
      {
        permanent: true,
      },
    )
  },
})

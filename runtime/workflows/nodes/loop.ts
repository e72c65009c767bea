import { z } from 'zod'
import { NodeError, nodeType } from '../node-type.ts'

/** Items of one loop. */
const maxItems = 100_000

export const loop = nodeType({
  type: 'loop',
  title: 'Loop',
  description:
    'Runs the nodes at Each item once for each item, one after the other; connect the last of them back to the loop. ' +
    'Then continues at Done with {count, items}: what came back, in order.',
  category: 'flow',
  params: z.object({
    items: z
      .unknown()
      .default('=input')
      .meta({ description: 'The list, for example =input.rows. A number n stands for 0 to n - 1' }),
    batch_size: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .default(1)
      .meta({ description: 'More than 1 passes lists' }),
    collect: z.boolean().default(true).meta({ description: 'Return what came back at Done' }),
    only_items: z
      .boolean()
      .default(false)
      .meta({ description: 'Done gets only the returned items; returned lists are joined' }),
  }),
  outputs: [
    { name: 'loop', label: 'Each item' },
    { name: 'done', label: 'Done' },
  ],
  risk: 'low',
  async run({ items, batch_size, collect, only_items }) {
    const list = typeof items === 'number' ? null : listOf(items)
    const length = list ? list.length : Math.max(0, Math.floor(items as number))
    if (length > maxItems)
      throw new NodeError('too_large', `items has ${length} items; a loop takes at most ${maxItems}`, {
        permanent: true,
      })
    return { loop: { items: list ?? [...Array(length).keys()], batch_size, collect, only_items } }
  },
})

const listOf = (items: unknown): unknown[] =>
  Array.isArray(items) ? items : items === undefined || items === null ? [] : [items]

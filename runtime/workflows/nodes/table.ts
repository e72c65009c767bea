import { z } from 'zod'
import { reference } from '../../references.ts'
import { actions, operate, operation } from '../../tables/index.ts'
import { nodeType, refusal } from '../node-type.ts'

const Params = z.object({
  table_id: reference('table', 64).min(1).meta({ title: 'Table' }),
  action: z
    .enum(actions)
    .default('read')
    .meta({
      labels: {
        read: 'Read rows',
        insert: 'Add rows',
        update: 'Change rows',
        upsert: 'Change rows, or add them',
        delete: 'Delete rows',
      },
    }),
  rows: z.unknown().optional().meta({
    description:
      'To add or upsert: one row such as {"Name": "Ada"}, or a list. Leave blank to use the input of the node',
  }),
  ...operation,
  limit: z.int().min(1).max(10_000).default(200),
})
type Params = z.output<typeof Params>

export const table = nodeType<Params>({
  type: 'table',
  title: 'Table',
  description:
    'Reads, adds, changes or deletes rows of a table. The output of a read is {rows, total}; that of a change says which or how many.',
  category: 'data',
  params: Params,
  risk: 'medium',
  side_effects: true,
  effect: ({ action }) => action !== 'read',
  async run({ table_id, rows, ...rest }, { context, input }) {
    try {
      return { output: await operate(context, table_id, { ...rest, rows: rows ?? input, offset: 0 }) }
    } catch (thrown) {
      throw refusal(thrown, 'table')
    }
  },
})

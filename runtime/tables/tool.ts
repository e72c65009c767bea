import { z } from 'zod'
import { clipped } from '../tools/text.ts'
import { ToolError, type ToolScope, tool } from '../tools/tool.ts'
import { Values } from './columns.ts'
import { actions, operate, operation } from './operate.ts'
import { maxRows } from './rows.ts'
import { tables } from './tables.ts'

const Input = z.object({
  action: z.enum(['list', ...actions]),
  table: z.string().max(200).default('').describe('The id or name of a table; not for list'),
  rows: z.array(Values).max(maxRows).default([]).describe('For insert and upsert: values by column'),
  ...operation,
  search: z.string().max(200).optional().describe('For read: a text that the rows contain'),
  limit: z.int().min(1).max(200).default(50),
  offset: z.int().min(0).default(0),
})
type Input = z.output<typeof Input>

const reads = ({ action }: Input) => action === 'list' || action === 'read'
const verbs = {
  read: 'Read',
  insert: 'Add to',
  update: 'Change',
  upsert: 'Change or add to',
  delete: 'Delete in',
}

/** Tables of the owner, and those that are shared with them. A person can undo each change. */
export const tablesTool = tool({
  name: 'tables',
  description:
    'Tables with typed columns that the person, their workflows and agents share. list shows them with their columns, read ' +
    'returns a page of rows, insert adds rows, update and delete change the rows of a filter, upsert changes rows or adds them.',
  input: Input,
  deferrable: true,
  effect: (input) => (reads(input) ? 'read' : 'write'),
  risk: (input) => (reads(input) ? 'low' : input.action === 'delete' ? 'high' : 'medium'),
  // Workflows and other people fill them.
  untrusted: () => true,
  summary: ({ action, table }) =>
    action === 'list' ? 'List the tables' : `${verbs[action]} the rows of the table ${clipped(table, 100)}`,
  async run({ action, table, ...input }, scope) {
    if (action === 'list') return { tables: (await shown(scope)).map(summaryOf) }
    const { id } = named(await shown(scope), table)
    return operate(scope.context, id, { ...input, action })
  },
})

const shown = async ({ context }: ToolScope) => (await tables.list(context, { limit: 200, offset: 0 })).rows

type Shown = Awaited<ReturnType<typeof shown>>[number]

const summaryOf = ({ id, name, description, columns, row_count }: Shown) => ({
  ...{ id, name, description, row_count },
  columns: columns.map((column) => `${column.name}: ${column.type}`),
})

function named(all: readonly Shown[], table: string): Shown {
  const found = all.filter(({ id, name }) => id === table || name.toLowerCase() === table.toLowerCase())
  const [one, another] = found
  if (!one) throw new ToolError(`There is no table ${JSON.stringify(table)}; the action list shows them`)
  if (another) throw new ToolError('Several tables have that name; use list and give the id')
  return one
}

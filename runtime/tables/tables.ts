import { z } from 'zod'
import { ownerOf } from '../auth/owner.ts'
import { isShared, SharedWith } from '../auth/sharing.ts'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { conflict, forbidden, invalidField } from '../fault.ts'
import { type Column, Column as ColumnSchema, maxColumns } from './columns.ts'
import { deleteChanges } from './history-store.ts'
import { alterStatements, createStatements, dropStatement } from './row-store.ts'

/** Tables of one owner. */
const maxTables = 200

/** What people, workflows and agents write down in rows and share. */
export const tables = collection({
  noun: 'table',
  prefix: 'tbl',
  path: '/api/tables',
  items: 'tables',
  owner: 'caller',
  shareable: true,
  events: { type: 'table', id: 'table_id' },
  order: 'name COLLATE NOCASE, id',
  summaries: { list: 'List tables by name', remove: 'Delete a table with its rows' },
  table: {
    name: 'data_tables',
    columns: ['name', 'shared_with', 'row_count', 'bytes', 'change_id'],
    packed: 'settings',
  },
  fields: {
    name: z.string().trim().min(1).max(200).meta({ title: 'Name' }),
    description: z.string().trim().max(2_000).default('').meta({
      title: 'Description',
      description: 'What its rows are; agents read it',
    }),
    columns: z
      .array(ColumnSchema)
      .min(1)
      .max(maxColumns)
      .default([{ name: 'Name', type: 'text' }])
      .meta({ title: 'Columns' }),
    shared_with: SharedWith.default([]).meta({ format: 'api-only' }),
    shared_access: z
      .enum(['read', 'write'])
      .default('read')
      .meta({
        title: 'Those it is shared with',
        labels: { read: 'Read its rows', write: 'Read and change its rows' },
      }),
  },
  state: { row_count: z.int().default(0), bytes: z.int().default(0) },
  hidden: {
    /** How many columns it has ever had: an id is never used again. */
    made_columns: z.int(),
    /** The change that its rows go through now. */
    change_id: z.string().nullable().default(null),
  },
  async prepare(context, { next, before }) {
    if (!before && (await tables.table.count(context, { owner_id: ownerOf(context) })) >= maxTables)
      throw conflict(`You have ${maxTables} tables, which is the most: delete some`)
    return completed(next.columns, before)
  },
  also: (_, next, before) => {
    const [now, old] = [next, before].map((one) => one && { id: one.id, columns: columnsOf(one) })
    if (!now) return []
    return old ? alterStatements(old, now) : createStatements(now)
  },
  removal: (_, { id }) => [dropStatement({ id }), deleteChanges(id)],
})

export type DataTable = z.output<typeof tables.Row>
export type StoredTable = NonNullable<Awaited<ReturnType<typeof tables.find>>>

export const columnsOf = ({ columns }: Pick<Columns, 'columns'>) => columns as Column[]

interface Columns {
  columns: z.output<typeof ColumnSchema>[]
  made_columns: number
}

/** The columns with their ids: one without an id is that of its name, or a new one. */
function completed(columns: Columns['columns'], before: Columns | null): Columns {
  const old = before ? columnsOf(before) : []
  let made_columns = before?.made_columns ?? 0
  const next = columns.map(({ name, type, id: given }, index) => {
    const same = old.find((one) => (given === undefined ? one.name === name : one.id === given))
    if (given !== undefined && !same) throw invalidField(`columns.${index}.id`, 'is not that of a column')
    if (same && same.type !== type)
      throw invalidField(`columns.${index}.type`, `stays ${same.type}: add another column instead`)
    if (!same) made_columns += 1
    return { id: same?.id ?? `c${made_columns}`, name, type }
  })
  for (const [index, { id, name }] of next.entries())
    if (next.some((one, place) => place < index && (one.id === id || one.name.toLowerCase() === name.toLowerCase())))
      throw invalidField(`columns.${index}.name`, 'is that of another column too')
  return { columns: next, made_columns }
}

/** A table whose rows the caller may change. */
export async function requireWritable(context: Context, id: string): Promise<StoredTable> {
  const table = await tables.require(context, id)
  if (isShared(context, table) && table.shared_access === 'read')
    throw forbidden('The owner of the table lets you read its rows only')
  return table
}

import { z } from 'zod'
import type { Context } from '../context.ts'
import { checkBody } from '../http/validate.ts'
import { Values } from './columns.ts'
import { addRows, editRows, Filters, listRows, NewRows, putRows, removeRows, Selection, Upsert } from './rows.ts'

export const actions = ['read', 'insert', 'update', 'upsert', 'delete'] as const

/** What workflows and agents do with the rows of a table. */
export const operation = {
  by: Upsert.shape.by.optional().meta({
    title: 'Column',
    description: 'For upsert: a row with the same value in this column is changed',
  }),
  values: Values.optional().meta({ description: 'For update: the new values by column' }),
  filter: Filters.optional().meta({
    title: 'Filter',
    description: 'Which rows; update and delete need it, and an empty list stands for all rows',
  }),
  match: Selection.shape.match.meta({
    title: 'Rows match',
    labels: { all: 'All filters', any: 'Any of the filters' },
  }),
  sort: z.string().max(101).default('').meta({ description: 'For read: a column; after a minus, descending' }),
}

type Operation = z.output<z.ZodObject<typeof operation>> & {
  action: (typeof actions)[number]
  rows: unknown
  search?: string | undefined
  limit: number
  offset: number
}

export async function operate(context: Context, id: string, operation: Operation): Promise<unknown> {
  const { action, by, values, filter, match, sort, search, limit, offset } = operation
  const rows = () => checkBody(NewRows, { rows: [operation.rows].flat() }) as z.output<typeof NewRows>
  switch (action) {
    case 'read':
      return listRows(context, id, { filter, match, sort, search, limit, offset })
    case 'insert':
      return addRows(context, id, rows())
    case 'update':
      return editRows(context, id, { filter, match, values: values ?? {} })
    case 'upsert':
      return putRows(context, id, { ...rows(), by: by ?? '' })
    case 'delete':
      return removeRows(context, id, { filter, match })
  }
}

import { z } from 'zod'
import { piecesWithin } from '../../runtime/http/body.ts'
import { logOf, verbOf } from '../../runtime/http/collection-endpoints.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { searchText } from '../../runtime/http/page.ts'
import { file } from '../../runtime/http/returns.ts'
import { Row } from '../../runtime/tables/columns.ts'
import { csvOf, importCsv } from '../../runtime/tables/csv.ts'
import { Change, listChanges } from '../../runtime/tables/history-store.ts'
import {
  addRows,
  Changed,
  editRows,
  Filters,
  Inserted,
  NewRows,
  putRows,
  queryRows,
  RowChange,
  removeRows,
  Selection,
  Undo,
  Upsert,
  Upserted,
  undoChange,
} from '../../runtime/tables/rows.ts'
import { tables } from '../../runtime/tables/tables.ts'

/** A filter as JSON in a query. */
const FilterText = z
  .string()
  .max(8_000)
  .transform((text, context) => {
    try {
      return JSON.parse(text) as unknown
    } catch {
      context.addIssue({ code: 'custom', message: 'must be JSON' })
      return z.NEVER
    }
  })
  .pipe(Filters)

export const list = logOf(tables, 'rows', {
  summary: 'List rows, filtered and in the order of a column',
  item: Row,
  query: {
    search: searchText,
    filter: FilterText.optional().meta({
      description: 'JSON such as [{"column": "Name", "is": "contains", "value": "tea"}]',
    }),
    match: Selection.shape.match,
    sort: z.string().max(101).optional().meta({ description: 'A column, after a minus for descending order' }),
  },
  rows: queryRows,
})

export const insert = verbOf(tables, 'insert', {
  summary: 'Add rows to a table',
  body: NewRows,
  returns: Inserted,
  run: addRows,
})

export const edit = verbOf(tables, 'edit', {
  summary: 'Change the rows with these ids, or those of a filter',
  body: RowChange,
  returns: Changed,
  run: editRows,
})

export const upsert = verbOf(tables, 'upsert', {
  summary: 'Change the rows that have the same value in a column, and add the others',
  body: Upsert,
  returns: Upserted,
  run: putRows,
})

export const removeSome = verbOf(tables, 'remove', {
  summary: 'Delete the rows with these ids, or those of a filter',
  body: Selection,
  returns: Changed,
  run: removeRows,
})

export const history = logOf(tables, 'history', {
  summary: 'List the changes of rows, newest first',
  item: Change,
  rows: listChanges,
})

export const undo = verbOf(tables, 'undo', {
  summary: 'Undo a change of rows',
  body: Undo,
  returns: Changed,
  run: (context, id, { change_id }) => undoChange(context, id, change_id),
})

export const download = endpoint('GET /api/tables/{id}/csv', {
  summary: 'Download a table as CSV',
  returns: file('text/csv; charset=utf-8'),
  run: ({ params }, context) => csvOf(context, params.id),
})

export const upload = endpoint('POST /api/tables/{id}/csv', {
  summary: 'Add the rows of a CSV file, whose first line names the columns',
  body_kind: 'raw',
  idempotent: false,
  returns: Changed,
  run: ({ params, request }, context) =>
    importCsv(context, params.id, piecesWithin(request, context.config.upload_limit)),
})

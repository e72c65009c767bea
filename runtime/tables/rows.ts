import { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { badRequest, Fault, type FaultIssue, invalid, invalidField } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import type { Condition, Statement, Written } from '../ports/sql.ts'
import { reference } from '../references.ts'
import { iso } from '../time.ts'
import { type Cell, type Column, storedCell, Values, WrongValue } from './columns.ts'
import { type Action, beginChange, endChange, findChange, markUndone, rowsMade } from './history-store.ts'
import {
  type Cells,
  conditionOf,
  deleteRows,
  insertRows,
  joined,
  type Place,
  requireRoom,
  restoreRows,
  rowsContaining,
  rowsWithIds,
  selectRows,
  updateRows,
  upsertRows,
} from './row-store.ts'
import { columnsOf, requireWritable, type StoredTable, tables } from './tables.ts'

/** Above this number of rows, statements that may look at all of them run next to the others. */
const manyRows = 5_000

/** Rows of one request. */
export const maxRows = 1_000

export const Filter = z.object({
  column: z.string().max(100),
  is: z
    .enum([
      'equals',
      'not_equals',
      'contains',
      'greater',
      'at_least',
      'less',
      'at_most',
      'one_of',
      'empty',
      'not_empty',
    ])
    .default('equals'),
  value: z.unknown().optional(),
})
export type Filter = z.output<typeof Filter>
export const Filters = z.array(Filter).max(20)

/** Which rows: all that fulfil every filter, or any of them. */
export const Selection = z.object({
  filter: Filters.optional(),
  match: z.enum(['all', 'any']).default('all'),
  ids: z
    .array(z.int().min(1).meta({ 'x-format': 'row' }))
    .max(maxRows)
    .optional()
    .meta({ description: 'Rows by their ids' }),
})
export type Selection = z.input<typeof Selection>

export const NewRows = z.object({ rows: z.array(Values).min(1).max(maxRows) })
export const Upsert = NewRows.extend({
  by: z.string().max(100).meta({ title: 'Column', description: 'A row with the same value in it is changed' }),
})
export const RowChange = Selection.extend({ values: Values })

export interface RowQuery extends Selection {
  search?: string | undefined
  /** The name of a column, after a minus for descending order. */
  sort?: string | undefined
  limit: number
  offset: number
}

export const placeOf = (table: StoredTable) => ({ ...table, columns: columnsOf(table) })

function columnNamed({ columns }: Place, name: string, path: string): Column {
  const column = columns.find((one) => one.name === name)
  if (column) return column
  throw invalidField(
    path,
    `must be a column, not ${JSON.stringify(name)}: ${columns.map((one) => one.name).join(', ')}`,
  )
}

function cellAt(path: string, column: Column, value: unknown): Cell {
  try {
    return storedCell(column, value)
  } catch (thrown) {
    throw thrown instanceof WrongValue ? invalidField(path, thrown.message) : thrown
  }
}

function conditionFor(place: Place, { filter = [], match = 'all', ids }: Selection): Condition {
  const conditions = filter.map(({ column: name, is = 'equals', value }, index) => {
    const path = `filter.${index}`
    const column = columnNamed(place, name, `${path}.column`)
    const values = is === 'one_of' && Array.isArray(value) ? value : []
    const cells = values.map((one) => cellAt(`${path}.value`, column, one))
    // A part of a number or date is a text.
    const cell =
      is === 'contains' ? String(value ?? '') : is === 'one_of' ? null : cellAt(`${path}.value`, column, value)
    return conditionOf({ column, is, value: cell, values: cells })
  })
  const where = joined(conditions, match === 'any' ? 'OR' : 'AND')
  return ids ? joined([rowsWithIds(ids), where]) : where
}

/** A page of the rows that the caller may read. */
export async function listRows(
  context: Context,
  id: string,
  { search, sort = '', limit, offset, ...selection }: RowQuery,
) {
  const place = placeOf(await tables.require(context, id))
  const where = conditionFor(place, selection)
  const name = sort.replace(/^-/, '')
  const column = ['', 'id'].includes(name) ? null : columnNamed(place, name, 'sort')
  return selectRows(context, place, {
    where: search ? joined([where, rowsContaining(place, search)].filter(({ sql }) => sql !== 'true')) : where,
    order: { column, descending: sort.startsWith('-') },
    long: Boolean(search || selection.filter?.some(({ is }) => is === 'contains')) && place.row_count > manyRows,
    ...{ limit, offset },
  })
}

/** The same for a query: what is wrong in it is a bad request. */
export const queryRows: typeof listRows = (...query) =>
  listRows(...query).catch((thrown: unknown) => {
    throw thrown instanceof Fault && thrown.status === 422 ? badRequest(thrown.message) : thrown
  })

/** The rows by the ids of the columns. An `id` is left out, so that rows which were read can be written. */
function cellsOf(place: Place, rows: readonly Values[], path = 'rows'): Cells[] {
  const issues: FaultIssue[] = []
  const byName = new Map(place.columns.map((column) => [column.name, column]))
  const cells = rows.map((values, index) => {
    const row: Record<string, Cell> = {}
    for (const [name, value] of Object.entries(values)) {
      const column = byName.get(name)
      if (!column && name === 'id') continue
      const at =
        path === 'rows'
          ? { path: `rows.${index}.${name}`, place: `Row ${index + 1} → ${name}` }
          : { path: `${path}.${name}`, place: name }
      try {
        if (!column) throw new WrongValue('is no column of the table')
        row[column.id] = storedCell(column, value)
      } catch (thrown) {
        if (!(thrown instanceof WrongValue)) throw thrown
        issues.push({ ...at, message: thrown.message })
      }
    }
    return row
  })
  if (issues.length > 0) throw invalid(issues.slice(0, 50))
  return cells
}

export interface Step {
  action: Action
  statements: Statement[]
  /** A change that takes several commits. */
  change_id?: string
  /** It is not the last of these commits: only that one is announced. */
  part?: true
  /** It may take long: readers do not wait for it. */
  long?: boolean
  undoes?: string
}

/** Changes rows in one commit: it can be undone, is recorded, and announced. */
export async function changeRows(
  context: Context,
  table: StoredTable,
  step: Step,
): Promise<{ written: Written[]; change_id: string }> {
  const { action, statements, undoes = null, part = false, long = false } = step
  const now = context.clock.now()
  const { id, name } = table
  const change_id = step.change_id ?? newId('chg', now)
  const by = context.process.redaction.text(context.caller.name)
  const begin = beginChange({ id: change_id, at: iso(now), by, action, rows: 0, undoes, undone: false }, table)
  const written = await context.commit(
    [
      ...begin,
      ...statements,
      ...(action === 'delete' ? [] : [requireRoom(table)]),
      ...(part
        ? []
        : [...endChange(change_id, id), auditStatement(context, { action: `table.rows_${past[action]}`, target: id })]),
    ],
    part ? [] : [{ type: 'table.rows.changed', data: { table_id: id, name, action, change_id } }],
    { long },
  )
  return { written: written.slice(begin.length, begin.length + statements.length), change_id }
}

const past: Record<Action, string> = {
  insert: 'inserted',
  update: 'updated',
  upsert: 'upserted',
  delete: 'deleted',
  import: 'imported',
  undo: 'undone',
}

/** Changes the rows of a table that the caller may write, as it is then. */
const change = (context: Context, id: string, stepOf: (place: Place & { row_count: number }) => Step) =>
  againIfLost(async () => {
    const table = await requireWritable(context, id)
    return changeRows(context, table, stepOf(placeOf(table)))
  }, 3)

const countOf = (written: readonly (Written | undefined)[]) =>
  written.reduce((total, one) => total + (one?.changes ?? 0), 0)
const idsOf = (written: Written | undefined) => (written?.rows ?? []).map((row) => Number(row.id))

export const Inserted = z.object({ ids: z.array(z.int()), change_id: z.string() })
export async function addRows(context: Context, id: string, { rows }: z.output<typeof NewRows>) {
  const { written, change_id } = await change(context, id, (place) => ({
    action: 'insert',
    statements: [insertRows(place, cellsOf(place, rows))],
  }))
  return { ids: idsOf(written[0]), change_id }
}

export const Changed = z.object({ rows: z.int(), change_id: z.string() })
export async function editRows(context: Context, id: string, { values, ...selection }: z.output<typeof RowChange>) {
  requireSelection(selection)
  const { written, change_id } = await change(context, id, (place) => {
    const [cells = {}] = cellsOf(place, [values], 'values')
    if (Object.keys(cells).length === 0) throw invalidField('values', 'must name a column')
    const long = !selection.ids && place.row_count > manyRows
    return { action: 'update', long, statements: [updateRows(place, cells, conditionFor(place, selection))] }
  })
  return { rows: countOf(written), change_id }
}

export async function removeRows(context: Context, id: string, selection: z.output<typeof Selection>) {
  requireSelection(selection)
  const { written, change_id } = await change(context, id, (place) => ({
    action: 'delete',
    long: !selection.ids && place.row_count > manyRows,
    statements: [deleteRows(place, conditionFor(place, selection))],
  }))
  return { rows: countOf(written), change_id }
}

/** A forgotten filter must not change every row. */
function requireSelection({ filter, ids }: Selection): void {
  if (!filter && !ids) throw invalidField('filter', 'is required, or ids; an empty list stands for all rows')
}

export const Upserted = z.object({ updated: z.int(), inserted: z.array(z.int()), change_id: z.string() })
export async function putRows(context: Context, id: string, { rows, by }: z.output<typeof Upsert>) {
  const { written, change_id } = await change(context, id, (place) => {
    const column = columnNamed(place, by, 'by')
    if (column.type === 'json') throw invalidField('by', 'must not be a column of JSON')
    // Of several rows with the same value the last one counts, where it has values.
    const last = new Map<Cell, Cells>()
    for (const [index, row] of cellsOf(place, rows).entries()) {
      const key = row[column.id] ?? null
      if (key === null) throw invalidField(`rows.${index}.${by}`, 'is required, because rows are found by it')
      last.set(key, { ...last.get(key), ...row })
    }
    return { action: 'upsert', statements: upsertRows(place, [...last.values()], column) }
  })
  const [updated, inserted] = written
  return { updated: countOf([updated]), inserted: idsOf(inserted), change_id }
}

export const Undo = z.object({ change_id: reference('change', 64) })
/** Puts rows back to how they were before a change, unless a later one has changed one of them again. */
export async function undoChange(context: Context, id: string, change_id: string) {
  await requireWritable(context, id)
  const undone = await findChange(context, id, change_id)
  if (!undone) throw invalidField('change_id', 'is not a change that is kept')
  const { written, change_id: own } = await change(context, id, (place) => ({
    action: 'undo',
    long: undone.rows > manyRows,
    undoes: change_id,
    statements: [deleteRows(place, rowsMade(change_id)), restoreRows(place, change_id), ...markUndone(undone, id)],
  }))
  return { rows: countOf(written.slice(0, 2)), change_id: own }
}

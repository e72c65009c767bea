import { z } from 'zod'
import { changedByAnother } from '../fault.ts'
import type { Page } from '../http/page.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { raw, sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'

export const Action = z.enum(['insert', 'update', 'upsert', 'delete', 'import', 'undo'])
export type Action = z.output<typeof Action>

export const Change = z.object({
  id: z.string(),
  at: z.string(),
  /** Who has made it. */
  by: z.string(),
  action: Action,
  /** How many rows it has changed. */
  rows: z.int(),
  /** The change that it has undone. */
  undoes: z.string().nullable(),
  /** Whether it was undone itself. */
  undone: z.boolean(),
})
export type Change = z.output<typeof Change>

/** Changes that a table keeps, and how many changed rows they may have in all, besides those of the last change. */
const maxChanges = 100
const maxRows = 200_000

const changes = new Table<Change, 'table_id'>('data_changes', { booleans: ['undone'], hidden: ['table_id'] })

export const listChanges = (host: Sql, table_id: string, page: Page) =>
  changes.page(host, page, 'id DESC', { table_id })

export const findChange = (host: Sql, table_id: string, id: string) => changes.find(host, { id, table_id })

/**
 * Begins a change of rows, or continues one that takes several commits. Its guard fails if the table has other columns than
 * those that were read.
 */
export const beginChange = (change: Change, table: { id: string; updated_at: string }): Statement[] => [
  {
    ...sql`UPDATE data_tables SET change_id = ${change.id} WHERE id = ${table.id} AND updated_at = ${table.updated_at}`,
    guard: changedByAnother('table'),
  },
  changes.insert({ ...change, table_id: table.id }, 'ON CONFLICT DO NOTHING'),
]

export const endChange = (id: string, table_id: string): Statement[] => [
  sql`UPDATE data_changes SET rows = (SELECT count(*) FROM data_change_rows WHERE change_id = ${id}) WHERE id = ${id}`,
  // The rows of a change go with it by a trigger.
  sql`DELETE FROM data_changes WHERE id IN (SELECT id FROM (
      SELECT id, row_number() OVER newest AS place, sum(rows) OVER newest AS total
        FROM data_changes WHERE table_id = ${table_id} WINDOW newest AS (ORDER BY id DESC))
      WHERE place > ${maxChanges} OR (place > 1 AND total > ${maxRows}))`,
]

/**
 * Marks a change as undone, and the one that it has undone, if it has, as being in effect again. Its guard fails if a later
 * change that is in effect has changed one of the same rows; for the undoing of an undoing, any later one.
 */
export const markUndone = ({ id, undoes }: Change, table_id: string): Statement[] => [
  {
    ...sql`UPDATE data_changes SET undone = 1 WHERE id = ${id} AND undone = 0 AND NOT EXISTS (
      SELECT 1 FROM data_change_rows own
        JOIN data_change_rows theirs ON theirs.row_id = own.row_id
        JOIN data_changes later ON later.id = theirs.change_id
        WHERE own.change_id = ${id} AND later.table_id = ${table_id} AND later.id > ${id} AND later.undoes IS NOT ${id}
          ${raw(undoes === null ? 'AND later.undone = 0 AND later.undoes IS NULL' : '')})`,
    guard: 'This change was undone, or its rows were changed again: undo the later changes first',
  },
  ...(undoes === null ? [] : [sql`UPDATE data_changes SET undone = 0 WHERE id = ${undoes}`]),
]

export const deleteChanges = (table_id: string): Statement => changes.delete({ table_id })

/** The rows that a change has made, and those that it has changed or deleted. */
export const rowsMade = (id: string): Condition =>
  sql`id IN (SELECT row_id FROM data_change_rows WHERE change_id = ${id} AND before IS NULL)`

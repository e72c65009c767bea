import { owned } from '../auth/owner.ts'
import type { Condition, Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Reader, type Sql, Table } from '../table.ts'
import type { StoredBudget } from './schema.ts'

/** The sum of a window before `base_until` (ISO): those calls cannot change any more. */
export interface Base {
  /** Of the window's span. */
  base_key: string
  base_until: string
  base_usd: number
  base_tokens: number
}

/** A budget with the fields that only the runtime needs. */
export interface BudgetRecord extends StoredBudget, Base {
  owner_id: string | null
}

const budgets = new Table<BudgetRecord, 'scope_kind' | 'scope_id' | 'told_window' | 'told_pct'>('budgets', {
  kept: true,
  booleans: ['paused'],
  json: ['scope', 'warn_pct'],
  hidden: ['scope_kind', 'scope_id', 'told_window', 'told_pct'],
  select: `*, json_object('kind', scope_kind, 'id', scope_id) AS scope`,
})

/** Every budget, as they apply to calls. */
export const listBudgetRecords = (host: Sql) => budgets.list(host, 'id')

/** The shared budgets and those of the caller, or the one with this id. */
export function visibleBudgets(context: Reader, id?: string): Promise<BudgetRecord[]> {
  const own = owned(context)
  const visible: Condition = sql`(owner_id IS NULL OR ${own})`
  return budgets.list(context, 'id', visible, id === undefined ? 'true' : { id })
}

export type OwnedBudget = StoredBudget & Pick<BudgetRecord, 'owner_id'>

const columnsOf = ({ scope, ...budget }: OwnedBudget) => ({
  ...budget,
  scope_kind: scope.kind,
  scope_id: scope.id,
})

export const insertBudget = (budget: OwnedBudget): Statement => budgets.insert(columnsOf(budget))

/**
 * A changed budget warns again and counts again from the start of its window. Fails if it was changed, paused or deleted
 * since `before` was read.
 */
export const updateBudget = (
  budget: OwnedBudget,
  { id, updated_at, paused }: Pick<StoredBudget, 'id' | 'paused' | 'updated_at'>,
): Statement =>
  budgets.update(
    { ...columnsOf(budget), told_window: '', told_pct: 0, base_key: '' },
    { id, updated_at, paused },
    'The budget was changed by another request; try again',
  )

export const deleteBudget = (id: string): Statement => budgets.delete({ id }, 'The budget was already deleted')

/** Deletes the budgets that were created with their owner; those made by people have another form of id. */
export const deleteBudgetsOf = (kind: StoredBudget['scope']['kind'], id: string): Statement =>
  budgets.delete(sql`scope_kind = ${kind} AND scope_id = ${id} AND id LIKE 'budget_' || scope_id || '_%'`)

/** Does nothing if the budget was changed meanwhile. */
export const saveBase = ({ id, updated_at }: StoredBudget, base: Base): Statement =>
  budgets.update(base, { id, updated_at })

export const forgetBases = (): Statement => budgets.update({ base_key: '' }, 'true')

/** Of several calls that pass the same threshold one succeeds, and sends the event. */
export const markNotified = (id: string, told: { window: string; pct: number }, pause: boolean): Statement => ({
  ...sql`UPDATE budgets SET told_window = ${told.window}, told_pct = ${told.pct}, paused = max(paused, ${Number(pause)})
    WHERE id = ${id} AND (told_window <> ${told.window} OR told_pct < ${told.pct})`,
  guard: 'This was already sent',
})

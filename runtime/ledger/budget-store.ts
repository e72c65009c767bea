import { owned } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { Spent, StoredBudget } from './schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row {
  id: string
  owner_id: string | null
  scope_kind: StoredBudget['scope']['kind']
  scope_id: string | null
  window: StoredBudget['window']
  limit_usd: number | null
  limit_tokens: number | null
  warn_pct: string
  action: StoredBudget['action']
  paused: number
  told_window: string
  told_pct: number
  base_key: string
  base_until: string
  base_usd: number
  base_tokens: number
  created_at: string
  updated_at: string
}

/** The sum of a window before `until` (ISO): those calls cannot change any more. */
export interface Base extends Spent {
  /** Of the window's span. */
  key: string
  until: string
}

/** A budget with the fields that only the runtime needs. */
export interface BudgetRecord extends StoredBudget {
  owner_id: string | null
  base: Base
}

const toBudget = (row: Row): BudgetRecord => ({
  id: row.id,
  owner_id: row.owner_id,
  scope: { kind: row.scope_kind, id: row.scope_id },
  window: row.window,
  limit_usd: row.limit_usd,
  limit_tokens: row.limit_tokens,
  warn_pct: JSON.parse(row.warn_pct) as number[],
  action: row.action,
  paused: row.paused === 1,
  base: { key: row.base_key, until: row.base_until, usd: row.base_usd, tokens: row.base_tokens },
  created_at: row.created_at,
  updated_at: row.updated_at,
})

/** Every budget, as they apply to calls. */
export async function listBudgetRecords({ sql }: Sql): Promise<BudgetRecord[]> {
  return (await sql.read<Row>('SELECT * FROM budgets ORDER BY id')).map(toBudget)
}

/** The budgets of the house and of the caller, or the one with this id. */
export async function visibleBudgets(
  context: Pick<Context, 'sql' | 'caller'>,
  id: string | null = null,
): Promise<BudgetRecord[]> {
  const own = owned(context)
  const rows = await context.sql.read<Row>(
    `SELECT * FROM budgets WHERE (owner_id IS NULL OR ${own.sql}) AND id = coalesce(?, id) ORDER BY id`,
    [...own.args, id],
  )
  return rows.map(toBudget)
}

export type OwnedBudget = StoredBudget & Pick<BudgetRecord, 'owner_id'>

const columns = (budget: OwnedBudget) => [
  budget.owner_id,
  budget.scope.kind,
  budget.scope.id,
  budget.window,
  budget.limit_usd,
  budget.limit_tokens,
  JSON.stringify(budget.warn_pct),
  budget.action,
  Number(budget.paused),
  budget.updated_at,
]

export const insertBudget = (budget: OwnedBudget): Statement => ({
  sql: `INSERT INTO budgets (owner_id, scope_kind, scope_id, window, limit_usd, limit_tokens, warn_pct, action, paused, updated_at,
    id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [...columns(budget), budget.id, budget.created_at],
})

/**
 * A changed budget warns again and counts again from the start of its window. Fails if it was changed, paused or deleted
 * since `before` was read.
 */
export const updateBudget = (
  budget: OwnedBudget,
  before: Pick<StoredBudget, 'paused' | 'updated_at'>,
): Statement => ({
  sql: `UPDATE budgets SET owner_id = ?, scope_kind = ?, scope_id = ?, window = ?, limit_usd = ?, limit_tokens = ?, warn_pct = ?,
    action = ?, paused = ?, updated_at = ?, told_window = '', told_pct = 0, base_key = ''
    WHERE id = ? AND updated_at = ? AND paused = ?`,
  args: [...columns(budget), budget.id, before.updated_at, Number(before.paused)],
  guard: 'The budget was changed by another request; try again',
})

export const deleteBudget = (id: string): Statement => ({
  sql: 'DELETE FROM budgets WHERE id = ?',
  args: [id],
  guard: 'The budget was already deleted',
})

/** Deletes the budgets that were created with their owner; those made by people have another form of id. */
export const deleteBudgetsOf = (kind: StoredBudget['scope']['kind'], id: string): Statement => ({
  sql: `DELETE FROM budgets WHERE scope_kind = ? AND scope_id = ? AND id LIKE 'budget_' || scope_id || '_%'`,
  args: [kind, id],
})

/** Does nothing if the budget was changed meanwhile. */
export const saveBase = ({ id, updated_at }: StoredBudget, base: Base): Statement => ({
  sql: `UPDATE budgets SET base_key = ?, base_until = ?, base_usd = ?, base_tokens = ? WHERE id = ? AND updated_at = ?`,
  args: [base.key, base.until, base.usd, base.tokens, id, updated_at],
})

export const forgetBases = (): Statement => ({ sql: `UPDATE budgets SET base_key = ''` })

/** Of several calls that pass the same threshold one succeeds, and sends the event. */
export const markNotified = (
  id: string,
  told: { window: string; pct: number },
  pause: boolean,
): Statement => ({
  sql: `UPDATE budgets SET told_window = ?, told_pct = ?, paused = max(paused, ?)
    WHERE id = ? AND (told_window <> ? OR told_pct < ?)`,
  args: [told.window, told.pct, Number(pause), id, told.window, told.pct],
  guard: 'This was already sent',
})

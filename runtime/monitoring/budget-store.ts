import type { Host } from '../host.ts'
import type { Statement } from '../ports/sql.ts'
import type { StoredBudget } from './budget-schema.ts'

type Sql = Pick<Host, 'sql'>

interface Row {
  id: string
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
  created_at: string
  updated_at: string
}

/** Also what was last announced of it. */
export interface BudgetRecord extends StoredBudget {
  told: { window: string; pct: number }
}

const toBudget = ({ scope_kind, scope_id, told_window, told_pct, ...row }: Row): BudgetRecord => ({
  ...row,
  scope: { kind: scope_kind, id: scope_id },
  warn_pct: JSON.parse(row.warn_pct) as number[],
  paused: row.paused === 1,
  told: { window: told_window, pct: told_pct },
})

export async function listBudgetRecords({ sql }: Sql): Promise<BudgetRecord[]> {
  return (await sql.read<Row>('SELECT * FROM budgets ORDER BY id')).map(toBudget)
}

export async function findBudget({ sql }: Sql, id: string): Promise<BudgetRecord | null> {
  const [row] = await sql.read<Row>('SELECT * FROM budgets WHERE id = ?', [id])
  return row ? toBudget(row) : null
}

const columns = (budget: StoredBudget) => [
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

export const insertBudget = (budget: StoredBudget): Statement => ({
  sql: `INSERT INTO budgets (scope_kind, scope_id, window, limit_usd, limit_tokens, warn_pct, action, paused, updated_at,
    id, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  args: [...columns(budget), budget.id, budget.created_at],
})

/** A changed budget may warn anew. */
export const updateBudget = (budget: StoredBudget): Statement => ({
  sql: `UPDATE budgets SET scope_kind = ?, scope_id = ?, window = ?, limit_usd = ?, limit_tokens = ?, warn_pct = ?,
    action = ?, paused = ?, updated_at = ?, told_window = '', told_pct = 0 WHERE id = ?`,
  args: [...columns(budget), budget.id],
  guard: 'The budget was deleted',
})

export const deleteBudget = (id: string): Statement => ({
  sql: 'DELETE FROM budgets WHERE id = ?',
  args: [id],
  guard: 'The budget was deleted already',
})

/** One of many that see the same mark passed gets to tell it. */
export const tellBudget = (id: string, told: { window: string; pct: number }, pause: boolean): Statement => ({
  sql: `UPDATE budgets SET told_window = ?, told_pct = ?, paused = max(paused, ?)
    WHERE id = ? AND (told_window <> ? OR told_pct < ?)`,
  args: [told.window, told.pct, Number(pause), id, told.window, told.pct],
  guard: 'This was told already',
})

import type { Context } from '../context.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { type CallLimit, usedPercent } from './budget-limits.ts'
import type { BudgetRecord } from './budget-store.ts'
import { saveBase, tellBudget } from './budget-store.ts'
import type { Cost } from './ledger-schema.ts'
import { lapse, spentBy, usedOf } from './ledger-store.ts'

const whole = 100

/** Tells the highest mark that each budget has passed with this call, once per window. */
export async function noticeBudgets(
  context: Context,
  limits: readonly CallLimit[],
  cost: Cost,
): Promise<void> {
  if (cost.input_tokens + cost.output_tokens === 0) return
  for (const limit of limits) if (limit.budget) await noticeOne(context, limit, limit.budget, cost)
}

async function noticeOne(
  context: Context,
  limit: CallLimit,
  budget: BudgetRecord,
  cost: Cost,
): Promise<void> {
  const used = await usedOf(context, limit)
  await moveBase(context, limit, budget)
  const after = usedPercent(limit, used)
  const passed = [...budget.warn_pct, whole].filter((mark) => after >= mark)
  if (passed.length === 0) return
  const mark = Math.max(...passed)
  if (limit.span.since === null && passedBefore(limit, { used, cost, mark })) return
  await tell(context, limit, { budget, mark, used })
}

/** So old calls are settled or lapsed. */
const settled = 2 * lapse

/** Sums what cannot change any more once in a while, so that a call costs the same however long the ledger is. */
async function moveBase(context: Context, limit: CallLimit, budget: BudgetRecord): Promise<void> {
  const until = context.clock.now() - settled
  const from = limit.where.since === null ? null : Date.parse(limit.where.since)
  if (from === null || limit.span.since === null || until - from < settled) return
  const more = await spentBy(context, { ...limit.where, until: iso(until) })
  const usd = limit.before.usd + more.usd
  const tokens = limit.before.tokens + more.tokens
  await context.commit([saveBase(budget, { key: limit.span.key, until: iso(until), usd, tokens })])
}

/** Runs go on side by side, so what was last told of one says nothing about another; the step before it does. */
function passedBefore(
  limit: CallLimit,
  { used, cost, mark }: { used: { usd: number; tokens: number }; cost: Cost; mark: number },
): boolean {
  const tokens = used.tokens - cost.input_tokens - cost.output_tokens
  return usedPercent(limit, { usd: used.usd - cost.cost_usd, tokens }) >= mark
}

/** Tells that a call was refused, and pauses a budget that asks for it. */
export async function noticeRefusal(context: Context, limit: CallLimit): Promise<void> {
  if (!limit.budget) return
  const used = await usedOf(context, limit)
  await tell(context, limit, { budget: limit.budget, mark: whole, used })
}

async function tell(
  context: Context,
  limit: CallLimit,
  { budget, mark, used }: { budget: BudgetRecord; mark: number; used: { usd: number; tokens: number } },
): Promise<void> {
  const type = mark >= whole ? 'budget.exceeded' : 'budget.warning'
  const data = {
    budget_id: budget.id,
    scope: budget.scope,
    window: budget.window,
    action: budget.action,
    pct: mark,
    used,
    limit_usd: budget.limit_usd,
    limit_tokens: budget.limit_tokens,
  }
  const pause = mark >= whole && budget.action === 'pause'
  try {
    await context.commit(
      [tellBudget(budget.id, { window: limit.span.key, pct: mark }, pause)],
      [{ type, data }],
    )
  } catch (thrown) {
    // It was told already, or the budget is gone.
    if (!(thrown instanceof GuardFailed)) throw thrown
  }
}

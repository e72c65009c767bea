import { findAgent } from '../agents/store.ts'
import { auditStatement } from '../auth/audit.ts'
import { findConversation } from '../chat/conversation-store.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { invalidField, notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import { checkBody } from '../http/validate.ts'
import { newId } from '../id.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { reach, usedPercent, zoneOfDays } from './budget-limits.ts'
import {
  type BudgetRecord,
  deleteBudget,
  findBudget,
  insertBudget,
  listBudgetRecords,
  updateBudget,
} from './budget-store.ts'
import { latestRun, spentBy } from './ledger-store.ts'
import { type Budget, type BudgetChange, type BudgetScope, type NewBudget, StoredBudget } from './schema.ts'

export async function listBudgets(host: Host): Promise<Budget[]> {
  const zone = await zoneOfDays(host)
  const budgets: Budget[] = []
  for (const record of await listBudgetRecords(host)) budgets.push(await show(host, record, zone))
  return budgets
}

export async function requireBudget(host: Host, id: string): Promise<Budget> {
  return show(host, await requireRecord(host, id), await zoneOfDays(host))
}

async function requireRecord(host: Host, id: string): Promise<BudgetRecord> {
  const record = await findBudget(host, id)
  if (record) return record
  throw notFound(`The budget ${id}`)
}

/** The budget with its current use. */
async function show(host: Host, record: StoredBudget, zone: string): Promise<Budget> {
  const budget = StoredBudget.parse(record)
  const { window, scope } = budget
  const run =
    window === 'run'
      ? await latestRun(host, reach({ scope, window: 'total' }, 0, { zone, run: '' }).where)
      : ''
  const { span, where } = reach(budget, host.clock.now(), { zone, run })
  const used = await spentBy(host, where)
  const used_pct = Math.round(usedPercent(budget, used) * 10) / 10
  return { ...budget, used, used_pct, resets_at: span.resets_at === null ? null : iso(span.resets_at) }
}

export async function addBudget(context: Context, input: NewBudget): Promise<Budget> {
  await requireScope(context, input.scope)
  const now = iso(context.clock.now())
  const id = newId('budget', context.clock.now())
  const budget = { ...input, id, paused: false, created_at: now, updated_at: now }
  await context.commit([insertBudget(budget), audit(context, 'budget.created', id)], [changed(id)])
  return requireBudget(context, id)
}

/** Changes the given fields. `paused: false` resumes a budget that has paused its scope. */
export async function changeBudget(context: Context, id: string, change: BudgetChange): Promise<Budget> {
  const old = await requireRecord(context, id)
  if (change.scope) await requireScope(context, change.scope)
  const given = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const merged = { ...old, ...given, id, updated_at: iso(context.clock.now()) }
  const budget = checkBody(StoredBudget, merged) as StoredBudget
  await missingIsNotFound(id, () =>
    context.commit([updateBudget(budget), audit(context, 'budget.updated', id)], [changed(id)]),
  )
  return requireBudget(context, id)
}

export async function removeBudget(context: Context, id: string): Promise<void> {
  await missingIsNotFound(id, () =>
    context.commit([deleteBudget(id), audit(context, 'budget.deleted', id)], [changed(id)]),
  )
}

const audit = (context: Context, action: string, target: string) =>
  auditStatement(context, { action, target })
const changed = (id: string) => event('budget.changed', { budget_id: id })

async function missingIsNotFound(id: string, run: () => Promise<unknown>): Promise<void> {
  try {
    await run()
  } catch (thrown) {
    if (thrown instanceof GuardFailed) throw notFound(`The budget ${id}`)
    throw thrown
  }
}

/** A budget for something that does not exist would never refuse anything, and nobody would notice. */
async function requireScope(host: Host, { kind, id }: BudgetScope): Promise<void> {
  if (id === null) return
  const missing =
    (kind === 'agent' && !(await findAgent(host, id))) ||
    (kind === 'conversation' && !(await findConversation(host, id)))
  if (missing) throw invalidField('scope.id', `there is no ${kind} ${id}`)
}

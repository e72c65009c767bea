import { auditStatement } from '../auth/audit.ts'
import { daemonTimeZone } from '../auth/profile.ts'
import { findOwnConversation } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { notFound } from '../fault.ts'
import type { Host } from '../host.ts'
import type { Page } from '../http/page.ts'
import { checkBody } from '../http/validate.ts'
import { newId } from '../id.ts'
import { reach, usedPercent } from '../ledger/budget-limits.ts'
import { type BudgetRecord, deleteBudget, insertBudget, updateBudget, visibleBudgets } from '../ledger/budget-store.ts'
import { latestRun, spentBy } from '../ledger/ledger-store.ts'
import { type Budget, type BudgetChange, type BudgetScope, type NewBudget, StoredBudget } from '../ledger/schema.ts'
import { againIfLost } from '../lost-race.ts'
import { iso, laterThan } from '../time.ts'

export async function listBudgets(context: Context, { limit, offset }: Page) {
  const zone = await daemonTimeZone(context)
  const records = await visibleBudgets(context)
  const rows: Budget[] = []
  for (const record of records.slice(offset, offset + limit)) rows.push(await show(context, record, zone))
  return { rows, total: records.length }
}

export async function requireBudget(host: Context, id: string): Promise<Budget> {
  return show(host, await requireRecord(host, id), await daemonTimeZone(host))
}

async function requireRecord(host: Context, id: string): Promise<BudgetRecord> {
  const [record] = await visibleBudgets(host, id)
  if (record) return record
  throw notFound(`The budget ${id}`)
}

/** The budget with its current use. */
async function show(host: Host, record: StoredBudget, zone: string): Promise<Budget> {
  const budget = StoredBudget.parse(record)
  const { window, scope } = budget
  const run =
    window === 'run' ? await latestRun(host, reach({ scope, window: 'total' }, 0, { zone, run: '' }).where) : ''
  const { span, where } = reach(budget, host.clock.now(), { zone, run })
  const used = await spentBy(host, where)
  const used_pct = Math.round(usedPercent(budget, used) * 10) / 10
  return { ...budget, used, used_pct, resets_at: span.resets_at === null ? null : iso(span.resets_at) }
}

export async function addBudget(context: Context, input: NewBudget): Promise<Budget> {
  const owner_id = await ownerOfScope(context, input.scope)
  const now = iso(context.clock.now())
  const id = newId('budget', context.clock.now())
  const budget = { ...input, id, owner_id, paused: false, created_at: now, updated_at: now }
  const answer = await show(context, budget, await daemonTimeZone(context))
  const statements = [insertBudget(budget), audit(context, 'budget.created', id)]
  await context.commit(statements, [changed(id)], { answer })
  return answer
}

/** Changes the given fields. `paused: false` resumes a budget that has paused its scope. */
export const changeBudget = (context: Context, id: string, change: BudgetChange): Promise<Budget> =>
  againIfLost(() => changeOnce(context, id, change))

async function changeOnce(context: Context, id: string, change: BudgetChange): Promise<Budget> {
  const old = await requireRecord(context, id)
  const { scope = old.scope } = change
  const isSame = scope.kind === old.scope.kind && scope.id === old.scope.id
  const owner_id = isSame ? old.owner_id : await ownerOfScope(context, scope)
  const fields = Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined))
  const merged = { ...old, ...fields, id, updated_at: laterThan(old.updated_at, context.clock.now()) }
  const budget = { ...(checkBody(StoredBudget, merged) as StoredBudget), owner_id }
  await context.commit([updateBudget(budget, old), audit(context, 'budget.updated', id)], [changed(id)])
  return requireBudget(context, id)
}

export async function removeBudget(context: Context, id: string): Promise<void> {
  await againIfLost(async () => {
    await requireRecord(context, id)
    await context.commit([deleteBudget(id), audit(context, 'budget.deleted', id)], [changed(id)])
  })
}

const audit = (context: Context, action: string, target: string) => auditStatement(context, { action, target })
const changed = (id: string) => event('budget.changed', { budget_id: id })

/** The owner of the limited jobs or conversations; null for a shared budget. */
async function ownerOfScope(context: Context, { kind, id }: BudgetScope): Promise<string | null> {
  if (id === null) return null
  return (await scopeFinders[kind]?.(context, id))?.owner_id ?? null
}

type Scoped = { owner_id: string } | null
/** The kinds that belong to somebody. */
const scopeFinders: Partial<Record<BudgetScope['kind'], (context: Context, id: string) => Promise<Scoped>>> = {
  loop: async (context, id) => (await import('../loops/index.ts')).findOwnLoop(context, id),
  project: async (context, id) => (await import('../projects/index.ts')).findOwnProject(context, id),
  conversation: findOwnConversation,
  job: async (context, id) => (await import('../scheduler/index.ts')).findOwnJob(context, id),
}

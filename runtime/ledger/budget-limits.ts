import { daemonTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import type { Host } from '../host.ts'
import { wonRace } from '../lost-race.ts'
import { iso } from '../time.ts'
import { dayAfter, dayLabel, startOfDay, zoneReader } from '../zones/wall-clock.ts'
import { type BudgetRecord, listBudgetRecords, markNotified, saveBase } from './budget-store.ts'
import { type Column, type Filter, type Limit, reservationTime, spentBy, usedOf } from './ledger-store.ts'
import type { BudgetWindow, Cost, OpenCall, ScopeKind, Spent, StoredBudget } from './schema.ts'
import type { Spender } from './spender.ts'

/** A budget as it applies to one call. */
export interface CallLimit extends Limit {
  /** Null for the own limits of an agent, project or loop. */
  budget: BudgetRecord | null
  /** Shown to people, for example `agent per day`. */
  label: string
  blocks: boolean
  /** A person has set it, so it must hold: an unknown price refuses the call. */
  by_person: boolean
  span: Span
}

/** An agent's own limits. */
export interface AgentBudget {
  run_usd: number | null
  daily_usd: number | null
}

const columns: Record<Exclude<ScopeKind, 'global'>, Column> = {
  agent: 'agent_id',
  job: 'job_id',
  loop: 'loop_id',
  project: 'project_id',
  conversation: 'conversation_id',
  provider: 'provider',
}

/** Every limit that applies to a call. Reads only the list of budgets if there are none. */
export async function limitsOf(host: Host, call: OpenCall, own: AgentBudget | null): Promise<CallLimit[]> {
  const stored = (await listBudgetRecords(host)).filter((budget) => inScope(budget, call))
  const named = [
    ...ownLimits(own, call.spender.agent_id ?? null),
    ...projectLimits(call.spender),
    ...delegateLimits(call.spender),
  ]
  const loop = loopLimits(call.spender)
  if (stored.length + named.length + loop.length === 0) return []
  const zone = await daemonTimeZone(host)
  const at = { zone, run: call.run_ref }
  return [
    ...stored.map((budget) => ({
      budget,
      label: `${budget.scope.kind} per ${budget.window}`,
      limit_usd: budget.limit_usd,
      limit_tokens: budget.limit_tokens,
      blocks: budget.action !== 'warn',
      by_person: true,
      ...fromBase(budget, reach(budget, call.at, at)),
    })),
    ...named.map(({ label, scope, window, limit_usd, limit_tokens = null, by_person = true }) => ({
      budget: null,
      label,
      limit_usd,
      limit_tokens,
      blocks: true,
      by_person,
      before: nothing,
      ...reach({ scope, window }, call.at, at),
    })),
    ...loop,
  ]
}

const nothing: Spent = { usd: 0, tokens: 0 }

/** If the budget has a base for this window, only calls after it need to be summed. */
function fromBase(base: BudgetRecord, { span, where }: ReturnType<typeof reach>) {
  if (base.base_key !== span.key) return { span, where, before: nothing }
  return {
    span,
    where: { ...where, since: base.base_until },
    before: { usd: base.base_usd, tokens: base.base_tokens },
  }
}

type Reach = Pick<StoredBudget, 'scope' | 'window'>

/** Which calls count for a budget, and since when. */
export function reach({ scope, window }: Reach, now: number, at: { zone: string; run: string }) {
  const span = spanOf(window, now, at)
  const own: Filter['columns'] = scope.kind === 'global' ? [] : [[columns[scope.kind], scope.id ?? '']]
  const run: Filter['columns'] = window === 'run' ? [['run_ref', at.run]] : []
  const where: Filter = { columns: [...own, ...run], since: span.since === null ? null : iso(span.since) }
  return { span, where }
}

function inScope({ scope }: StoredBudget, { spender, provider }: OpenCall): boolean {
  if (scope.kind === 'global') return true
  const column = columns[scope.kind]
  if (column === 'provider') return provider === scope.id
  return column !== 'run_ref' && (spender[column] ?? null) === scope.id
}

interface OwnLimit {
  label: string
  scope: { kind: 'agent' | 'project' | 'conversation'; id: string }
  window: BudgetWindow
  limit_usd: number
  limit_tokens?: number
  by_person?: boolean
}

function ownLimits(own: AgentBudget | null, agent: string | null): OwnLimit[] {
  if (!own || agent === null) return []
  const scope = { kind: 'agent' as const, id: agent }
  return withLimit([
    { label: "the agent's own per run", scope, window: 'run', limit_usd: own.run_usd },
    { label: "the agent's own per day", scope, window: 'day', limit_usd: own.daily_usd },
  ])
}

/** An agent names them, or nobody does: where no price is known, the limit in tokens holds alone. */
function delegateLimits({ conversation_id, delegate_caps }: Spender): OwnLimit[] {
  if (!conversation_id || !delegate_caps) return []
  const scope = { kind: 'conversation' as const, id: conversation_id }
  const { usd: limit_usd, tokens: limit_tokens } = delegate_caps
  return [{ label: "the helper's own", scope, window: 'total', limit_usd, limit_tokens, by_person: false }]
}

function projectLimits({ project_id, caps }: Spender): OwnLimit[] {
  if (!project_id || !caps) return []
  const scope = { kind: 'project' as const, id: project_id }
  return withLimit([
    { label: "the project's own", scope, window: 'total', limit_usd: caps.project_usd },
    { label: "the task's own", scope, window: 'run', limit_usd: caps.task_usd },
  ])
}

/** The limits of the current run of a loop. */
function loopLimits({ loop_id, loop_budget }: Spender): CallLimit[] {
  if (!loop_id || !loop_budget) return []
  const { since, usd, tokens, by_person } = loop_budget
  if (usd === null && tokens === null) return []
  return [
    {
      budget: null,
      label: "the loop's own",
      limit_usd: usd,
      limit_tokens: tokens,
      blocks: true,
      by_person,
      before: nothing,
      where: { columns: [['loop_id', loop_id]], since },
      span: { since: Date.parse(since), resets_at: null, key: since },
    },
  ]
}

const withLimit = (limits: readonly (Omit<OwnLimit, 'limit_usd'> & { limit_usd: number | null })[]): OwnLimit[] =>
  limits.flatMap((limit) => (limit.limit_usd === null ? [] : [{ ...limit, limit_usd: limit.limit_usd }]))

/** Percent of a limit that is used; the higher one if there are two. A limit of 0 is always full. */
export function usedPercent(
  limit: { limit_usd: number | null; limit_tokens: number | null },
  used: { usd: number; tokens: number },
): number {
  const share = (amount: number, limit: number | null) => {
    if (limit === null) return 0
    return limit === 0 ? 100 : (amount / limit) * 100
  }
  return Math.max(share(used.usd, limit.limit_usd), share(used.tokens, limit.limit_tokens))
}

export interface Span {
  /** Milliseconds since the epoch; a run has no time, only its calls. */
  since: number | null
  resets_at: number | null
  /** Identifies this occurrence of the window, so that each warning is sent once. */
  key: string
}

/** The window that contains `now`, by the days of `zone`; weeks begin on Monday. Pure. */
export function spanOf(window: BudgetWindow, now: number, at: { zone: string; run: string }): Span {
  if (window === 'run') return { since: null, resets_at: null, key: at.run }
  if (window === 'total') return { since: 0, resets_at: null, key: 'total' }
  const read = zoneReader(at.zone)
  const [first, next] = daysAround(window, dayLabel(read(now)))
  const since = startOfDay(first, read)
  return { since, resets_at: startOfDay(next, read), key: iso(since) }
}

/** The first day of the window that contains `today`, and the first day of the next window. */
function daysAround(window: 'day' | 'week' | 'month', today: string): [string, string] {
  if (window === 'day') return [today, dayAfter(today)]
  if (window === 'week') {
    const sinceMonday = (new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7
    const monday = dayAfter(today, -sinceMonday)
    return [monday, dayAfter(monday, 7)]
  }
  const first = `${today.slice(0, 7)}-01`
  return [first, `${dayAfter(first, 31).slice(0, 7)}-01`]
}

const whole = 100

/** Sends an event for the highest threshold that each budget has passed with this call, once per window. */
export async function noticeBudgets(context: Context, limits: readonly CallLimit[], cost: Cost): Promise<void> {
  if (cost.input_tokens + cost.output_tokens === 0) return
  for (const limit of limits) if (limit.budget) await noticeOne(context, limit, limit.budget, cost)
}

async function noticeOne(context: Context, limit: CallLimit, budget: BudgetRecord, cost: Cost) {
  const used = await usedOf(context, limit)
  await moveBase(context, limit, budget)
  const after = usedPercent(limit, used)
  const passed = [...budget.warn_pct, whole].filter((mark) => after >= mark)
  if (passed.length === 0) return
  const mark = Math.max(...passed)
  if (limit.span.since === null && passedBefore(limit, { used, cost, mark })) return
  await notify(context, limit, { budget, mark, used })
}

/** Calls older than this are settled or expired. */
const settled = 2 * reservationTime

/** Stores the sum of what cannot change any more, so that a call costs the same however long the ledger is. */
async function moveBase(context: Context, limit: CallLimit, budget: BudgetRecord): Promise<void> {
  const until = context.clock.now() - settled
  const from = limit.where.since === null ? null : Date.parse(limit.where.since)
  if (from === null || limit.span.since === null || until - from < settled) return
  const more = await spentBy(context, { ...limit.where, until: iso(until) })
  const usd = limit.before.usd + more.usd
  const tokens = limit.before.tokens + more.tokens
  const base = { base_key: limit.span.key, base_until: iso(until), base_usd: usd, base_tokens: tokens }
  await context.commit([saveBase(budget, base)])
}

/** Runs overlap, so the last notice may be about another run; the use before this call is what counts. */
function passedBefore(
  limit: CallLimit,
  { used, cost, mark }: { used: { usd: number; tokens: number }; cost: Cost; mark: number },
): boolean {
  const tokens = used.tokens - cost.input_tokens - cost.output_tokens
  return usedPercent(limit, { usd: used.usd - cost.cost_usd, tokens }) >= mark
}

/** Sends an event that a call was refused, and pauses the budget if that is its action. */
export async function noticeRefusal(context: Context, limit: CallLimit): Promise<void> {
  if (!limit.budget) return
  const used = await usedOf(context, limit)
  await notify(context, limit, { budget: limit.budget, mark: whole, used })
}

async function notify(
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
  const marked = markNotified(budget.id, { window: limit.span.key, pct: mark }, pause)
  // Nothing is sent twice, or for a budget that was deleted.
  await wonRace(context.commit([marked], [event(type, data, budget.owner_id ?? undefined)]))
}

import type { Host } from '../host.ts'
import { profile } from '../settings/profile.ts'
import { readSection } from '../settings/section.ts'
import { iso } from '../time.ts'
import type { BudgetWindow, ScopeKind, Spent, StoredBudget } from './budget-schema.ts'
import { type BudgetRecord, listBudgetRecords } from './budget-store.ts'
import { type Span, spanOf } from './budget-window.ts'
import type { OpenCall } from './ledger-schema.ts'
import type { Column, Filter, Limit } from './ledger-store.ts'

/** A budget as it applies to one call. */
export interface CallLimit extends Limit {
  /** Null for the limits that an agent itself names. */
  budget: BudgetRecord | null
  /** For people, such as `agent per day`. */
  label: string
  blocks: boolean
  span: Span
}

/** The limits that an agent names itself. */
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

/** Every limit that a call must keep. Reads nothing but the list of budgets when there is none. */
export async function limitsOf(host: Host, call: OpenCall, own: AgentBudget | null): Promise<CallLimit[]> {
  const stored = (await listBudgetRecords(host)).filter((budget) => inScope(budget, call))
  const named = ownLimits(own, call.spender.agent_id ?? null)
  if (stored.length + named.length === 0) return []
  const zone = await zoneOfDays(host)
  const at = { zone, run: call.run_ref }
  return [
    ...stored.map((budget) => ({
      budget,
      label: `${budget.scope.kind} per ${budget.window}`,
      limit_usd: budget.limit_usd,
      limit_tokens: budget.limit_tokens,
      blocks: budget.action !== 'warn',
      ...fromBase(budget, reach(budget, call.at, at)),
    })),
    ...named.map(({ scope, window, limit_usd }) => ({
      budget: null,
      label: `the agent's own per ${window}`,
      limit_usd,
      limit_tokens: null,
      blocks: true,
      before: nothing,
      ...reach({ scope, window }, call.at, at),
    })),
  ]
}

const nothing: Spent = { usd: 0, tokens: 0 }

/** Sums only what came after the budget's base, where it has one of this window. */
function fromBase({ base }: BudgetRecord, { span, where }: ReturnType<typeof reach>) {
  if (base.key !== span.key) return { span, where, before: nothing }
  return { span, where: { ...where, since: base.until }, before: { usd: base.usd, tokens: base.tokens } }
}

/** The zone whose midnight begins a day. */
export const zoneOfDays = async (host: Host) => (await readSection(host, profile)).timezone

type Reach = Pick<StoredBudget, 'scope' | 'window'>

/** Which calls count, and since when. */
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
  scope: { kind: 'agent'; id: string }
  window: BudgetWindow
  limit_usd: number
}

function ownLimits(own: AgentBudget | null, agent: string | null): OwnLimit[] {
  if (!own || agent === null) return []
  const limits: [BudgetWindow, number | null][] = [
    ['run', own.run_usd],
    ['day', own.daily_usd],
  ]
  return limits.flatMap(([window, limit_usd]) =>
    limit_usd === null ? [] : [{ scope: { kind: 'agent' as const, id: agent }, window, limit_usd }],
  )
}

/** Percent of a limit that is used; the fuller one when there are two. A limit of nothing is always full. */
export function usedPercent(
  limit: { limit_usd: number | null; limit_tokens: number | null },
  used: { usd: number; tokens: number },
): number {
  const share = (amount: number, most: number | null) => {
    if (most === null) return 0
    return most === 0 ? 100 : (amount / most) * 100
  }
  return Math.max(share(used.usd, limit.limit_usd), share(used.tokens, limit.limit_tokens))
}

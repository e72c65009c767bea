import type { Host } from '../host.ts'
import { day } from '../time.ts'
import { zoneOfDays } from './budget-limits.ts'
import type { BudgetWindow } from './budget-schema.ts'
import { type BudgetRecord, listBudgetRecords } from './budget-store.ts'
import { percentOf, readModels, tokensIn } from './usage.ts'
import type { HistoryItem, HistoryPeriod, TokenUsage } from './usage-schema.ts'
import { type Stretch, sumOf, sumsByBucket, sumsByProject } from './usage-store.ts'
import { bucketsOf, dayAfter, dayLabel, startOfDay, zoneReader } from './zoned.ts'

/** What was ever spent, and today by the profile's zone. */
export async function readTokens(host: Host): Promise<TokenUsage> {
  const to = host.clock.now() + 1
  const ever = { from: 0, to }
  const read = zoneReader(await zoneOfDays(host))
  const today = { from: startOfDay(dayLabel(read(host.clock.now())), read), to }
  const budgets = await listBudgetRecords(host)
  const total_used = tokensIn(await sumOf(host, ever))
  return {
    total_used,
    total_limit: limitOf(budgets, 'total'),
    used_today: tokensIn(await sumOf(host, today)),
    limit_today: limitOf(budgets, 'day'),
    by_model: await readModels(host, ever),
    by_project: await readProjects(host, ever, total_used),
    trend: await readTrend(host, to),
  }
}

/** The narrowest global token budget of a window; 0 where there is none. */
function limitOf(budgets: readonly BudgetRecord[], window: BudgetWindow): number {
  const limits = budgets
    .filter(
      (budget) => budget.scope.kind === 'global' && budget.window === window && budget.action !== 'warn',
    )
    .map(({ limit_tokens }) => limit_tokens)
    .filter((limit) => limit !== null)
  return limits.length === 0 ? 0 : Math.min(...limits)
}

async function readProjects(host: Host, stretch: Stretch, total: number): Promise<TokenUsage['by_project']> {
  const rows = await sumsByProject(host, stretch)
  return rows.map((row) => ({
    project_id: row.project_id,
    project_name: row.project_id,
    tokens_used: tokensIn(row),
    percentage: percentOf(tokensIn(row), total),
  }))
}

/** A change below a tenth is none. */
const notable = 0.1

async function readTrend(host: Host, to: number): Promise<TokenUsage['trend']> {
  const last = tokensIn(await sumOf(host, { from: to - 7 * day, to }))
  const before = tokensIn(await sumOf(host, { from: to - 14 * day, to: to - 7 * day }))
  if (last > before * (1 + notable)) return 'up'
  return last < before * (1 - notable) ? 'down' : 'stable'
}

const days: Record<HistoryPeriod, number> = { day: 1, week: 7, month: 30 }

/** The hours of the last day, or the last 7 or 30 local days with today, oldest first. */
export async function readHistory(host: Host, period: HistoryPeriod, tz?: string): Promise<HistoryItem[]> {
  const zone = tz ?? (await zoneOfDays(host))
  const sums = await sumsByBucket(host, bucketsOf(spanOf(host.clock.now(), period, zone), zone))
  return sums.map((one) => ({
    date: one.label,
    input_tokens: one.input_tokens,
    output_tokens: one.output_tokens,
    total_tokens: tokensIn(one),
  }))
}

function spanOf(now: number, period: HistoryPeriod, zone: string) {
  const to = now + 1
  if (period === 'day') return { from: now - day, to, unit: 'hour' as const }
  const read = zoneReader(zone)
  const first = dayAfter(dayLabel(read(now)), 1 - days[period])
  return { from: startOfDay(first, read), to, unit: 'day' as const }
}

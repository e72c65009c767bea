import { z } from 'zod'
import { listAgents } from '../agents/index.ts'
import { callerTimeZone } from '../auth/profile.ts'
import { countChats } from '../chat/index.ts'
import type { Context } from '../context.ts'
import { type BudgetRecord, listBudgetRecords } from '../ledger/budget-store.ts'
import {
  type Stretch,
  type Sums,
  sumOf,
  sumsByAgent,
  sumsByBucket,
  sumsByColumn,
  sumsByModel,
  tokensByCategory,
  tokensWithoutCost,
} from '../ledger/ledger-store.ts'
import type { BudgetWindow } from '../ledger/schema.ts'
import { Category } from '../ledger/spender.ts'
import { countEndedTasks, projectNames } from '../projects/index.ts'
import { showProviders } from '../providers/index.ts'
import { day, iso, isTimeZone } from '../time.ts'
import { bucketsOf, dayLabel, lastOf, type Span, startOfDay, zoneReader } from '../zones/wall-clock.ts'

export const Zone = z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

export const UsagePeriod = z.enum(['24h', '7d', '30d'])
export type UsagePeriod = z.output<typeof UsagePeriod>

export const UsageQuery = z.object({ period: UsagePeriod.default('7d'), tz: Zone.default('UTC') })

export const HistoryPeriod = z.enum(['day', 'week', 'month'])
export type HistoryPeriod = z.output<typeof HistoryPeriod>

/** `tz` defaults to the profile's zone. */
export const HistoryQuery = z.object({ period: HistoryPeriod.default('week'), tz: Zone.optional() })

const tokens = z.int()

export const ModelTokens = z.object({
  model: z.string(),
  input_tokens: tokens,
  output_tokens: tokens,
  total_tokens: tokens,
  cost_estimate: z.number().meta({ description: 'USD' }),
})
export type ModelTokens = z.output<typeof ModelTokens>

export const AgentTokens = z.object({
  agent_id: z.string().nullable(),
  agent_name: z.string().nullable(),
  tokens_used: tokens,
  cost_usd: z.number(),
  percentage: z.number(),
})
export type AgentTokens = z.output<typeof AgentTokens>

export const Usage = z.object({
  period: UsagePeriod,
  tz: z.string(),
  from: z.string(),
  to: z.string(),
  totals: z.object({
    tokens,
    input_tokens: tokens,
    output_tokens: tokens,
    cost_usd: z.number(),
    /** Chats of people with at least one message in the period, and the number of those messages. */
    conversations: tokens,
    messages: tokens,
  }),
  /** Tokens by purpose. */
  breakdown: z.record(Category, tokens),
  series: z.array(z.object({ bucket: z.string(), label: z.string(), tokens, cost_usd: z.number() })),
  by_model: z.record(z.string(), ModelTokens),
  by_agent: z.array(AgentTokens),
  /** Models whose price is still unknown, and their tokens. */
  unpriced: z.array(z.object({ provider: z.string(), model: z.string(), tokens })),
  task_success: z.object({ completed: tokens, failed: tokens, rate: z.number().nullable() }),
  chat_review: z.null(),
})
export type Usage = z.output<typeof Usage>

/** The limits are those of the global token budgets of the windows `total` and `day`; 0 if there is none. */
export const TokenUsage = z.object({
  total_used: tokens,
  total_limit: tokens,
  used_today: tokens,
  limit_today: tokens,
  by_model: z.record(z.string(), ModelTokens),
  by_project: z.array(
    z.object({
      project_id: z.string(),
      project_name: z.string(),
      tokens_used: tokens,
      percentage: z.number(),
    }),
  ),
  /** The last seven days compared with the seven before. */
  trend: z.enum(['up', 'down', 'stable']),
})
export type TokenUsage = z.output<typeof TokenUsage>

export const HistoryItem = z.object({
  date: z.string(),
  input_tokens: tokens,
  output_tokens: tokens,
  total_tokens: tokens,
})
export type HistoryItem = z.output<typeof HistoryItem>

/** The last 24 hours, or 7 or 30 days, of the zone, including the current one. */
export const periodSpan = (now: number, period: UsagePeriod, zone: string): Span =>
  period === '24h' ? lastOf(24, 'hour', now, zone) : lastOf(period === '7d' ? 7 : 30, 'day', now, zone)

/** The use of models in the period that ends now. */
export async function readUsage(context: Context, period: UsagePeriod, tz: string): Promise<Usage> {
  const now = context.clock.now()
  const stretch = periodSpan(now, period, tz)
  const total = await sumOf(context, stretch)
  return {
    period,
    tz,
    from: iso(stretch.from),
    to: iso(now),
    totals: {
      tokens: tokensIn(total),
      ...total,
      ...(await countChats(context, iso(stretch.from), iso(stretch.to))),
    },
    breakdown: await readBreakdown(context, stretch),
    series: await readSeries(context, stretch, tz),
    by_model: await readModels(context, stretch),
    by_agent: await readAgents(context, stretch, tokensIn(total)),
    unpriced: await readUnpriced(context, stretch),
    task_success: await readTaskSuccess(context, stretch),
    chat_review: null,
  }
}

export const tokensIn = ({ input_tokens, output_tokens }: Sums): number => input_tokens + output_tokens

/** Percent, to a tenth. */
export const percentOf = (part: number, total: number): number =>
  total === 0 ? 0 : Math.round((part / total) * 1_000) / 10

async function readTaskSuccess(context: Context, { from, to }: Stretch): Promise<Usage['task_success']> {
  const ended = await countEndedTasks(context, { from: iso(from), to: iso(to) })
  const all = ended.completed + ended.failed
  return { ...ended, rate: all === 0 ? null : ended.completed / all }
}

async function readBreakdown(context: Context, stretch: Stretch): Promise<Usage['breakdown']> {
  const rows = await tokensByCategory(context, stretch)
  const tokens = (category: Category) => rows.find((row) => row.category === category)?.tokens ?? 0
  const entries = Category.options.map((category) => [category, tokens(category)])
  return Object.fromEntries(entries) as Usage['breakdown']
}

async function readSeries(context: Context, span: Span, tz: string) {
  const sums = await sumsByBucket(context, bucketsOf(span, tz))
  return sums.map((one) => ({
    bucket: iso(one.start),
    label: one.label,
    tokens: tokensIn(one),
    cost_usd: one.cost_usd,
  }))
}

export async function readModels(context: Context, stretch: Stretch): Promise<Record<string, ModelTokens>> {
  const rows = await sumsByModel(context, stretch)
  const entries = rows.map(({ model, input_tokens, output_tokens, cost_usd }) => {
    const total_tokens = input_tokens + output_tokens
    return [model, { model, input_tokens, output_tokens, total_tokens, cost_estimate: cost_usd }]
  })
  return Object.fromEntries(entries) as Record<string, ModelTokens>
}

/** A price of 0 that a person has set is a known price. */
async function readUnpriced(context: Context, stretch: Stretch): Promise<Usage['unpriced']> {
  const free = await tokensWithoutCost(context, stretch)
  if (free.length === 0) return []
  const { providers } = await showProviders(context)
  const priceOf = ({ provider, model }: { provider: string; model: string }) =>
    providers.find(({ id }) => id === provider)?.models.find(({ id }) => id === model)?.input_usd_per_mtok
  return free.filter((one) => typeof priceOf(one) !== 'number')
}

async function readAgents(context: Context, stretch: Stretch, total: number): Promise<AgentTokens[]> {
  const names = new Map((await listAgents(context)).map(({ id, name }) => [id, name]))
  const rows = await sumsByAgent(context, stretch)
  return rows.map((row) => ({
    agent_id: row.agent_id,
    agent_name: names.get(row.agent_id ?? '') ?? null,
    tokens_used: tokensIn(row),
    cost_usd: row.cost_usd,
    percentage: percentOf(tokensIn(row), total),
  }))
}

/** Lifetime tokens, and today's in the profile's zone. */
export async function readTokens(context: Context): Promise<TokenUsage> {
  const to = context.clock.now() + 1
  const all = { from: 0, to }
  const read = zoneReader(await callerTimeZone(context))
  const today = { from: startOfDay(dayLabel(read(context.clock.now())), read), to }
  const budgets = await listBudgetRecords(context)
  const total_used = tokensIn(await sumOf(context, all))
  return {
    total_used,
    total_limit: limitOf(budgets, 'total'),
    used_today: tokensIn(await sumOf(context, today)),
    limit_today: limitOf(budgets, 'day'),
    by_model: await readModels(context, all),
    by_project: await readProjects(context, all, total_used),
    trend: await readTrend(context, to),
  }
}

/** The smallest global token budget of a window; 0 if there is none. */
function limitOf(budgets: readonly BudgetRecord[], window: BudgetWindow): number {
  const limits = budgets
    .filter((budget) => budget.scope.kind === 'global' && budget.window === window && budget.action !== 'warn')
    .map(({ limit_tokens }) => limit_tokens)
    .filter((limit) => limit !== null)
  return limits.length === 0 ? 0 : Math.min(...limits)
}

async function readProjects(context: Context, stretch: Stretch, total: number): Promise<TokenUsage['by_project']> {
  const rows = await sumsByColumn(context, 'project_id', stretch)
  const names = await projectNames(
    context,
    rows.map(({ id }) => id),
  )
  return rows.map((row) => ({
    project_id: row.id,
    project_name: names.get(row.id) ?? row.id,
    tokens_used: tokensIn(row),
    percentage: percentOf(tokensIn(row), total),
  }))
}

/** A change below a tenth counts as stable. */
const threshold = 0.1

async function readTrend(context: Context, to: number): Promise<TokenUsage['trend']> {
  const last = tokensIn(await sumOf(context, { from: to - 7 * day, to }))
  const before = tokensIn(await sumOf(context, { from: to - 14 * day, to: to - 7 * day }))
  if (last > before * (1 + threshold)) return 'up'
  return last < before * (1 - threshold) ? 'down' : 'stable'
}

const periods: Record<HistoryPeriod, UsagePeriod> = { day: '24h', week: '7d', month: '30d' }

/** The hours or days of the period, oldest first. */
export async function readHistory(context: Context, period: HistoryPeriod, tz?: string): Promise<HistoryItem[]> {
  const zone = tz ?? (await callerTimeZone(context))
  const span = periodSpan(context.clock.now(), periods[period], zone)
  const sums = await sumsByBucket(context, bucketsOf(span, zone))
  return sums.map((one) => ({
    date: one.label,
    input_tokens: one.input_tokens,
    output_tokens: one.output_tokens,
    total_tokens: tokensIn(one),
  }))
}

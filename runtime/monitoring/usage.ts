import type { Host } from '../host.ts'
import { showProviders } from '../providers/show.ts'
import { day, hour, iso } from '../time.ts'
import { Category } from './ledger-schema.ts'
import type { AgentTokens, ModelTokens, Usage, UsagePeriod } from './usage-schema.ts'
import {
  countChats,
  type Stretch,
  type Sums,
  sumOf,
  sumsByAgent,
  sumsByBucket,
  sumsByModel,
  tokensByCategory,
  tokensWithoutCost,
} from './usage-store.ts'
import { bucketsOf } from './zoned.ts'

const lengths: Record<UsagePeriod, number> = { '24h': day, '7d': 7 * day, '30d': 30 * day }

/** What was spent in the period that ends now. The first bucket may be cut by its beginning. */
export async function readUsage(host: Host, period: UsagePeriod, tz: string): Promise<Usage> {
  const now = host.clock.now()
  // What was spent in this very millisecond counts.
  const stretch = { from: now - lengths[period], to: now + 1 }
  const total = await sumOf(host, stretch)
  return {
    period,
    tz,
    from: iso(stretch.from),
    to: iso(now),
    totals: { tokens: tokensIn(total), ...total, ...(await countChats(host, stretch)) },
    breakdown: await readBreakdown(host, stretch),
    series: await readSeries(host, stretch, { tz, unit: lengths[period] <= 24 * hour ? 'hour' : 'day' }),
    by_model: await readModels(host, stretch),
    by_agent: await readAgents(host, stretch, tokensIn(total)),
    unpriced: await readUnpriced(host, stretch),
    // There are no tasks outside projects and their plans, and this release has no projects.
    task_success: { completed: 0, failed: 0, rate: null },
    chat_review: null,
  }
}

export const tokensIn = ({ input_tokens, output_tokens }: Sums): number => input_tokens + output_tokens

/** Percent, to a tenth. */
export const percentOf = (part: number, total: number): number =>
  total === 0 ? 0 : Math.round((part / total) * 1_000) / 10

async function readBreakdown(host: Host, stretch: Stretch): Promise<Usage['breakdown']> {
  const rows = await tokensByCategory(host, stretch)
  const tokens = (category: Category) => rows.find((row) => row.category === category)?.tokens ?? 0
  const entries = Category.options.map((category) => [category, tokens(category)])
  return Object.fromEntries(entries) as Usage['breakdown']
}

async function readSeries(host: Host, stretch: Stretch, by: { tz: string; unit: 'hour' | 'day' }) {
  const sums = await sumsByBucket(host, bucketsOf({ ...stretch, unit: by.unit }, by.tz))
  return sums.map((one) => ({
    bucket: iso(one.start),
    label: one.label,
    tokens: tokensIn(one),
    cost_usd: one.cost_usd,
  }))
}

export async function readModels(host: Host, stretch: Stretch): Promise<Record<string, ModelTokens>> {
  const rows = await sumsByModel(host, stretch)
  const entries = rows.map(({ model, input_tokens, output_tokens, cost_usd }) => {
    const total_tokens = input_tokens + output_tokens
    return [model, { model, input_tokens, output_tokens, total_tokens, cost_estimate: cost_usd }]
  })
  return Object.fromEntries(entries) as Record<string, ModelTokens>
}

/** A price of nothing that a person has set is a price. */
async function readUnpriced(host: Host, stretch: Stretch): Promise<Usage['unpriced']> {
  const free = await tokensWithoutCost(host, stretch)
  if (free.length === 0) return []
  const { providers } = await showProviders(host)
  const priceOf = ({ provider, model }: { provider: string; model: string }) =>
    providers.find(({ id }) => id === provider)?.models.find(({ id }) => id === model)?.input_usd_per_mtok
  return free.filter((one) => typeof priceOf(one) !== 'number')
}

async function readAgents(host: Host, stretch: Stretch, total: number): Promise<AgentTokens[]> {
  const rows = await sumsByAgent(host, stretch)
  return rows.map((row) => ({
    agent_id: row.agent_id,
    agent_name: row.agent_name,
    tokens_used: tokensIn(row),
    cost_usd: row.cost_usd,
    percentage: percentOf(tokensIn(row), total),
  }))
}

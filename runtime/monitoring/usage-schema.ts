import { z } from 'zod'
import { isTimeZone } from '../time.ts'
import { Category } from './ledger-schema.ts'

const Zone = z.string().refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

export const UsagePeriod = z.enum(['24h', '7d', '30d'])
export type UsagePeriod = z.output<typeof UsagePeriod>

export const UsageQuery = z.object({ period: UsagePeriod.default('7d'), tz: Zone.default('UTC') })

export const HistoryPeriod = z.enum(['day', 'week', 'month'])
export type HistoryPeriod = z.output<typeof HistoryPeriod>

/** `tz` is the profile's when it is left out. */
export const HistoryQuery = z.object({ period: HistoryPeriod.default('week'), tz: Zone.optional() })

const tokens = z.number().int()

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
    /** The user's own chats with at least one message in the window, and those messages. */
    conversations: tokens,
    messages: tokens,
  }),
  /** Tokens by what they were spent for. */
  breakdown: z.record(Category, tokens),
  series: z.array(z.object({ bucket: z.string(), label: z.string(), tokens, cost_usd: z.number() })),
  by_model: z.record(z.string(), ModelTokens),
  by_agent: z.array(AgentTokens),
  /** Models whose price nobody knows now, and the tokens that were counted without one. */
  unpriced: z.array(z.object({ provider: z.string(), model: z.string(), tokens })),
  task_success: z.object({ completed: tokens, failed: tokens, rate: z.number().nullable() }),
  chat_review: z.null(),
})
export type Usage = z.output<typeof Usage>

/** Limits are those of the global token budgets, by the window `total` and `day`; 0 where there is none. */
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
  /** The last seven days against the seven before. */
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

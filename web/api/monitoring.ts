import { keepPreviousData } from '@tanstack/react-query'
import type { z } from 'zod'
import type { Component as HealthComponent, HealthReport } from '../../runtime/monitoring/health.ts'
import type { KillSwitch } from '../../runtime/monitoring/kill-switch.ts'
import type {
  Budget,
  BudgetScope,
  NewBudget as NewBudgetSchema,
  ScopeKind,
} from '../../runtime/monitoring/schema.ts'
import type { ModelTokens, TokenUsage, Usage, UsagePeriod } from '../../runtime/monitoring/usage.ts'
import type { Api } from './client.ts'
import { endpointQuery } from './query.ts'

export type {
  Budget,
  BudgetScope,
  HealthComponent,
  HealthReport,
  KillSwitch,
  ModelTokens,
  ScopeKind,
  TokenUsage,
  Usage,
  UsagePeriod,
}
export type NewBudget = z.input<typeof NewBudgetSchema>

export const tokensQuery = (api: Api) => endpointQuery(api, '/api/monitoring/tokens')

/** `tz` is the time zone of the buckets. The last bucket is the current one. */
export const usageQuery = (api: Api, query: { period: UsagePeriod; tz: string }) => ({
  ...endpointQuery(api, '/api/monitoring/usage', { query }),
  placeholderData: keepPreviousData<Usage>,
})

export const budgetsQuery = (api: Api) =>
  endpointQuery(api, '/api/monitoring/budgets', { query: { limit: 200 } })

export const killSwitchQuery = (api: Api) => endpointQuery(api, '/api/monitoring/kill-switch')

export const setKillSwitch = (api: Api, paused: boolean) =>
  api.post('/api/monitoring/kill-switch', { body: { paused } })

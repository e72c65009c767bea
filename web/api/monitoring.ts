import { keepPreviousData, queryOptions } from '@tanstack/react-query'
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

export const healthQuery = (api: Api) =>
  queryOptions({
    queryKey: ['health'],
    queryFn: ({ signal }) => api.get<HealthReport>('/api/monitoring/health', {}, signal),
  })

export const tokensQuery = (api: Api) =>
  queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => api.get<TokenUsage>('/api/monitoring/tokens', {}, signal),
  })

/** `tz`: the zone that days and hours are counted in. The last bucket is the present one. */
export const usageQuery = (api: Api, query: { period: UsagePeriod; tz: string }) =>
  queryOptions({
    queryKey: ['usage', query],
    queryFn: ({ signal }) => api.get<Usage>('/api/monitoring/usage', query, signal),
    placeholderData: keepPreviousData,
  })

export const budgetsQuery = (api: Api) =>
  queryOptions({
    queryKey: ['budgets'],
    queryFn: ({ signal }) =>
      api.get<{ budgets: Budget[]; total: number }>('/api/monitoring/budgets', { limit: 200 }, signal),
  })

export const killSwitchQuery = (api: Api) =>
  queryOptions({
    queryKey: ['kill-switch'],
    queryFn: ({ signal }) => api.get<KillSwitch>('/api/monitoring/kill-switch', {}, signal),
  })

export const setKillSwitch = (api: Api, paused: boolean) =>
  api.post<KillSwitch>('/api/monitoring/kill-switch', { paused })

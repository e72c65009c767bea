import { queryOptions } from '@tanstack/react-query'
import type { Component as HealthComponent, HealthReport } from '../../runtime/monitoring/schema.ts'
import type { Api } from './client.ts'

export type { HealthComponent, HealthReport }

/** The part of the token usage that Home shows. */
export interface TokenUsage {
  used_today: number
  limit_today: number | null
  by_model: Record<
    string,
    {
      model: string
      input_tokens: number
      output_tokens: number
      total_tokens: number
      cost_estimate: number
    }
  >
}

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

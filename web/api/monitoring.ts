import { queryOptions } from '@tanstack/react-query'
import type { Api } from './client.ts'

export interface HealthComponent {
  id: string
  name: string
  status: string
  /** Milliseconds. */
  latency: number
  message?: string
  last_check: string
}

export interface Health {
  overall: string
  /** Seconds. */
  uptime: number
  version: string
  components: HealthComponent[]
  last_check: string
}

export interface TokenUsage {
  used_today: number
  limit_today: number | null
  by_model: Record<string, { model: string; input_tokens: number; output_tokens: number; total_tokens: number; cost_estimate: number }>
}

export const healthQuery = (api: Api) =>
  queryOptions({
    queryKey: ['health'],
    queryFn: ({ signal }) => api.get<Health>('/api/monitoring/health', {}, signal),
  })

export const tokensQuery = (api: Api) =>
  queryOptions({
    queryKey: ['tokens'],
    queryFn: ({ signal }) => api.get<TokenUsage>('/api/monitoring/tokens', {}, signal),
  })

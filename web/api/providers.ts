import { queryOptions } from '@tanstack/react-query'
import type { z } from 'zod'
import type {
  Allowance,
  BackupChange as BackupChangeSchema,
  BackupView as BackupViewSchema,
  FoundServer,
  ModelName,
  Provider,
  ProviderAccess,
  ProviderId,
  ProviderList,
  ProviderModel,
  ProviderUsage,
  TestResult,
  WindowUsage,
} from '../../runtime/providers/schema.ts'
import type { Api } from './client.ts'

export type {
  Allowance,
  FoundServer,
  ModelName,
  Provider,
  ProviderAccess,
  ProviderId,
  ProviderList,
  ProviderModel,
  ProviderUsage,
  TestResult,
  WindowUsage,
}
export type BackupView = z.output<typeof BackupViewSchema>
export type BackupChange = z.input<typeof BackupChangeSchema>

export const providersQuery = (api: Api) =>
  queryOptions({
    queryKey: ['providers', 'list'],
    queryFn: ({ signal }) => api.get<ProviderList>('/api/providers', {}, signal),
  })

/** Model servers that answer on the daemon's machine. */
export const discoverQuery = (api: Api) =>
  queryOptions({
    queryKey: ['providers', 'discover'],
    queryFn: ({ signal }) => api.get<{ servers: FoundServer[] }>('/api/providers/discover', {}, signal),
    staleTime: 0,
  })

/** Asks the vendor itself, so it may take a moment. */
export const providerModelsQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: ['providers', id, 'models'],
    queryFn: ({ signal }) =>
      api.get<{ models: ProviderModel[]; count: number }>(`/api/providers/${id}/models`, {}, signal),
    staleTime: 5 * 60_000,
  })

/** Which provider takes over from which, and when. For administrators. */
export const backupQuery = (api: Api) =>
  queryOptions({
    queryKey: ['provider-backup'],
    queryFn: ({ signal }) => api.get<BackupView>('/api/providers/backup', {}, signal),
  })

/** How much of its limits each provider has used. */
export const providerUsageQuery = (api: Api) =>
  queryOptions({
    queryKey: ['provider-usage'],
    queryFn: ({ signal }) => api.get<{ providers: ProviderUsage[] }>('/api/providers/usage', {}, signal),
  })

/** Stores the access, then sends one short message with it. */
export async function connectProvider(api: Api, id: ProviderId, access: ProviderAccess): Promise<TestResult> {
  await api.put<Provider>(`/api/providers/${id}/key`, access)
  return api.post<TestResult>(`/api/providers/${id}/test`)
}

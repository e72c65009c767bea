import { queryOptions } from '@tanstack/react-query'
import type {
  FoundServer,
  Provider,
  ProviderAccess,
  ProviderId,
  ProviderList,
  ProviderModel,
  TestResult,
} from '../../runtime/providers/schema.ts'
import type { Api } from './client.ts'

export type { FoundServer, Provider, ProviderAccess, ProviderId, ProviderList, ProviderModel, TestResult }

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

/** Stores the access, then sends one short message with it. */
export async function connectProvider(api: Api, id: ProviderId, access: ProviderAccess): Promise<TestResult> {
  await api.put<Provider>(`/api/providers/${id}/key`, access)
  return api.post<TestResult>(`/api/providers/${id}/test`)
}

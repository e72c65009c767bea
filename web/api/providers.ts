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
import { endpointQuery } from './query.ts'

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

export const providersQuery = (api: Api) => endpointQuery(api, '/api/providers')

/** Asks the vendor, which may take a moment. */
export const providerModelsQuery = (api: Api, id: string) =>
  endpointQuery(api, '/api/providers/{id}/models', { params: { id } }, { staleTime: 5 * 60_000 })

/** Which provider takes over from which, and when. For administrators. */
export const backupQuery = (api: Api) => endpointQuery(api, '/api/providers/backup')

/** How much of its limits each provider has used. */
export const providerUsageQuery = (api: Api) => endpointQuery(api, '/api/providers/usage')

/** Stores the access and tests it with one short message. */
export async function connectProvider(api: Api, id: ProviderId, body: ProviderAccess): Promise<TestResult> {
  await api.put('/api/providers/{id}/key', { params: { id }, body })
  return api.post('/api/providers/{id}/test', { params: { id } })
}

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

/** Stores the access and tests it with one short message. */
export async function connectProvider(api: Api, id: ProviderId, body: ProviderAccess): Promise<TestResult> {
  await api.put('/api/providers/{id}/key', { params: { id }, body })
  return api.post('/api/providers/{id}/test', { params: { id } })
}

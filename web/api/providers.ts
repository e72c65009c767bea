import type { ProviderAccess, ProviderId, TestResult } from '../../runtime/providers/schema.ts'
import type { Api } from './client.ts'

/** Stores the access and tests it with one short message. */
export async function connectProvider(api: Api, id: ProviderId, body: ProviderAccess): Promise<TestResult> {
  await api.put('/api/providers/{id}/key', { params: { id }, body })
  return api.post('/api/providers/{id}/test', { params: { id } })
}

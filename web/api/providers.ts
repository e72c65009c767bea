import type { ProviderId } from '../../runtime/models/vendors/index.ts'
import type { Provider, ProviderAccess } from '../../runtime/providers/schema.ts'
import type { Api } from './client.ts'
import { ApiError } from './error.ts'

interface Connection extends ProviderAccess {
  provider: ProviderId
}

/** Stores how a provider is reached, if it answers a short test message. */
export const connectProvider = (api: Api, { provider, ...body }: Connection): Promise<Provider> =>
  api.put('/api/providers/{id}/key', { params: { id: provider }, query: { tested: 'true' }, body })

/** Whether nothing was stored because the provider did not answer. */
export const isFailedTest = (error: unknown): boolean => error instanceof ApiError && error.code === 'test_failed'

/** What the server offers, if its test failed. */
export const modelsOf = (error: unknown): string[] | undefined =>
  (error instanceof ApiError && error.models) || undefined

/** Stores it although the test failed, and the failure with it. */
export async function keepProvider(api: Api, { provider, ...body }: Connection): Promise<void> {
  const params = { id: provider }
  await api.put('/api/providers/{id}/key', { params, body })
  await api.post('/api/providers/{id}/test', { params })
}

import { expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import { configureProvider } from '../../runtime/providers/configure.ts'
import { findProviderRecord } from '../../runtime/providers/store.ts'
import { testHost } from '../support/host.ts'

test('of two changes at once to a provider neither is lost', async () => {
  const host = await testHost()
  const context = localContext(host)
  await Promise.all([
    configureProvider(context, { provider: 'openai', api_key: 'sk-one-long-enough' }),
    configureProvider(context, { provider: 'openai', base_url: 'http://127.0.0.1:9/v1' }),
    configureProvider(context, { provider: 'openai', base_url: 'http://127.0.0.1:9/v1', default_model: 'm' }),
  ])
  expect(await findProviderRecord(host, 'openai')).toMatchObject({
    sealed_key: expect.any(String),
    base_url: 'http://127.0.0.1:9/v1',
    default_model: 'm',
  })
})

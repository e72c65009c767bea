import { expect, test } from 'vitest'
import { localContext } from '../../runtime/auth/local.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { findProviderRecord } from '../../runtime/providers/store.ts'
import { testHost } from '../support/host.ts'

test('of two changes at once to a provider neither is lost', async () => {
  const host = await testHost()
  const context = localContext(host)
  await configureProvider(context, { provider: 'openai', base_url: 'http://127.0.0.1:9/' })
  await Promise.all([
    configureProvider(context, { provider: 'openai', api_key: 'sk-one-long-enough' }),
    configureProvider(context, { provider: 'openai', base_url: 'http://127.0.0.1:9/v1' }),
    configureProvider(context, { provider: 'openai', default_model: 'm' }),
  ])
  expect(await findProviderRecord(host, 'openai')).toMatchObject({
    sealed_key: expect.any(String),
    base_url: 'http://127.0.0.1:9/v1',
    default_model: 'm',
  })
})

test('a key goes to no other server than the one it was given for', async () => {
  const host = await testHost()
  const context = localContext(host)
  const openai = (setup: object) => configureProvider(context, { provider: 'openai', ...setup })
  await openai({ api_key: 'sk-test-0123456789', base_url: 'https://gateway.example/v1' })

  const moved = openai({ base_url: 'https://elsewhere.example/v1' })
  await expect(moved).rejects.toMatchObject({ status: 422, extra: { issues: [{ path: 'api_key' }] } })
  await expect(openai({ base_url: null })).rejects.toMatchObject({ status: 422 })
  expect(await openai({ base_url: 'https://gateway.example/v2' })).toMatchObject({ configured: true })
  expect(await openai({ base_url: null, api_key: 'sk-test-9876543210' })).toMatchObject({ base_url: null })
})

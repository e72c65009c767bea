import { z } from 'zod'
import { unavailable } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { Deleted } from '../../runtime/http/page.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { discoverServers } from '../../runtime/providers/discover.ts'
import {
  checkProvider,
  configureProvider,
  forgetProvider,
  refreshModels,
  requireProviderId,
  showProviders,
} from '../../runtime/providers/providers.ts'
import {
  FoundServer,
  Provider,
  ProviderAccess,
  ProviderList,
  ProviderModel,
  TestResult,
} from '../../runtime/providers/schema.ts'

export const list = endpoint({
  method: 'GET',
  path: '/api/providers',
  summary: 'Model providers with their status',
  returns: ProviderList,
  async run(_, context) {
    return showProviders(context)
  },
})

export const discover = endpoint({
  method: 'GET',
  path: '/api/providers/discover',
  summary: 'Model servers that answer on this machine',
  access: 'admin',
  returns: z.object({ servers: z.array(FoundServer) }),
  async run(_, context) {
    return { servers: await discoverServers(context) }
  },
})

export const setKey = endpoint({
  method: 'PUT',
  path: '/api/providers/{id}/key',
  summary: 'Store the access of a provider',
  access: 'admin',
  body: ProviderAccess,
  returns: Provider,
  async run({ params, body }, context) {
    const provider = requireProviderId(params.id)
    return configureProvider(context, { provider, ...body })
  },
})

export const removeKey = endpoint({
  method: 'DELETE',
  path: '/api/providers/{id}/key',
  summary: 'Forget the access of a provider',
  access: 'admin',
  returns: Deleted,
  async run({ params }, context) {
    await forgetProvider(context, requireProviderId(params.id))
    return { deleted: true, id: params.id }
  },
})

export const test = endpoint({
  method: 'POST',
  path: '/api/providers/{id}/test',
  summary: 'Send one short message to the provider',
  returns: TestResult,
  async run({ params }, context) {
    return checkProvider(context, requireProviderId(params.id))
  },
})

export const models = endpoint({
  method: 'GET',
  path: '/api/providers/{id}/models',
  summary: 'Ask the provider for its models',
  returns: z.object({ models: z.array(ProviderModel), count: z.number().int() }),
  async run({ params }, context) {
    const id = requireProviderId(params.id)
    const found = await refreshModels(context, id).catch((thrown: unknown) => {
      if (thrown instanceof ModelError) throw unavailable(`${id}: ${thrown.message}`)
      throw thrown
    })
    return { models: found, count: found.length }
  },
})

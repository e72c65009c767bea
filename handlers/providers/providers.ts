import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { queryBoolean } from '../../runtime/http/page.ts'
import { removal } from '../../runtime/http/removal.ts'
import { ProviderModel } from '../../runtime/models/vendors/model.ts'
import { discoverServers } from '../../runtime/providers/discover.ts'
import {
  changeAllowance,
  changePrices,
  checkProvider,
  configureProvider,
  forgetProvider,
  refreshModels,
  requireProviderId,
  showProviders,
} from '../../runtime/providers/providers.ts'
import {
  AllowanceChange,
  FoundServer,
  PriceChange,
  Provider,
  ProviderAccess,
  ProviderList,
  ProviderUsage,
  TestResult,
} from '../../runtime/providers/schema.ts'

export const list = endpoint('GET /api/providers', {
  owner: 'shared',
  summary: 'List model providers with their status',
  returns: ProviderList,
  run: (_, context) => showProviders(context),
})

export const discover = endpoint('GET /api/providers/discover', {
  summary: 'Find model servers on this machine',
  access: 'admin',
  returns: z.object({ servers: z.array(FoundServer) }),
  run: async (_, context) => ({ servers: await discoverServers(context) }),
})

export const setKey = endpoint('PUT /api/providers/{id}/key', {
  summary: 'Set the key, address or default model of a provider',
  access: 'admin',
  query: z.object({
    tested: queryBoolean
      .optional()
      .meta({ description: 'Store nothing unless the provider answers; else 409 with the code test_failed' }),
  }),
  body: ProviderAccess,
  returns: Provider,
  async run({ params, query, body }, context) {
    const provider = requireProviderId(params.id)
    return configureProvider(context, { provider, ...body, tested: query.tested ?? false })
  },
})

export const removeKey = removal({
  path: '/api/providers/{id}/key',
  summary: 'Remove the key and address of a provider',
  access: 'admin',
  remove: (context, id) => forgetProvider(context, requireProviderId(id)),
})

export const test = endpoint('POST /api/providers/{id}/test', {
  owner: 'none',
  summary: 'Test a provider with one short message',
  returns: TestResult,
  run: ({ params }, context) => checkProvider(context, requireProviderId(params.id)),
})

export const models = endpoint('GET /api/providers/{id}/models', {
  owner: 'shared',
  summary: 'List the models that the provider offers now',
  returns: z.object({ models: z.array(ProviderModel), count: z.int() }),
  async run({ params }, context) {
    const models = await refreshModels(context, requireProviderId(params.id))
    return { models, count: models.length }
  },
})

export const setPrices = endpoint('PUT /api/providers/{id}/prices', {
  summary: 'Set prices that override the list prices of models',
  access: 'admin',
  body: PriceChange,
  returns: Provider,
  run: ({ params, body }, context) => changePrices(context, requireProviderId(params.id), body),
})

export const setAllowance = endpoint('PUT /api/providers/{id}/allowance', {
  summary: 'Set how many tokens a subscription allows in 5 hours and 7 days',
  access: 'admin',
  body: AllowanceChange,
  returns: ProviderUsage,
  run: ({ params, body }, context) => changeAllowance(context, requireProviderId(params.id), body),
})

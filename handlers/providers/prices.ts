import { endpoint } from '../../runtime/http/endpoint.ts'
import { changeAllowance, changePrices, requireProviderId } from '../../runtime/providers/providers.ts'
import { AllowanceChange, PriceChange, Provider, ProviderUsage } from '../../runtime/providers/schema.ts'

export const setPrices = endpoint({
  method: 'PUT',
  path: '/api/providers/{id}/prices',
  summary: 'Set prices of models in the place of the list prices',
  access: 'admin',
  body: PriceChange,
  returns: Provider,
  async run({ params, body }, context) {
    return changePrices(context, requireProviderId(params.id), body)
  },
})

export const setAllowance = endpoint({
  method: 'PUT',
  path: '/api/providers/{id}/allowance',
  summary: 'Set the tokens that a subscription allows in 5 hours and 7 days',
  access: 'admin',
  body: AllowanceChange,
  returns: ProviderUsage,
  async run({ params, body }, context) {
    return changeAllowance(context, requireProviderId(params.id), body)
  },
})

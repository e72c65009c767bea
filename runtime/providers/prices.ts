import type { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import type { AllowanceChange, PriceChange, ProviderUsage } from './backup-schema.ts'
import { listLimits, saveAllowance, savePrice } from './limit-store.ts'
import type { Provider, ProviderId } from './schema.ts'
import { showProviders } from './show.ts'
import { showUsage } from './standing.ts'

/** Sets prices by model, or takes them back. Budgets and costs of later calls follow them at once. */
export async function changePrices(
  context: Context,
  id: ProviderId,
  { prices }: z.output<typeof PriceChange>,
): Promise<Provider> {
  const now = context.clock.now()
  const statements = Object.entries(prices).map(([model, price]) => savePrice(id, model, { price, now }))
  const audit = auditStatement(context, { action: 'provider.priced', target: id })
  await context.commit([...statements, audit], [{ type: 'provider.updated', data: { provider: id } }])
  return only((await showProviders(context)).providers.find((one) => one.id === id))
}

/** Sets how many tokens a subscription allows, for vendors whose answers do not say it. */
export async function changeAllowance(
  context: Context,
  id: ProviderId,
  change: z.output<typeof AllowanceChange>,
): Promise<ProviderUsage> {
  const old = (await listLimits(context)).find(({ provider }) => provider === id)?.allowance
  const allowance = { five_hour_tokens: null, seven_day_tokens: null, ...old, ...defined(change) }
  const audit = auditStatement(context, { action: 'provider.allowed', target: id })
  await context.commit(
    [saveAllowance(id, allowance), audit],
    [{ type: 'provider.updated', data: { provider: id } }],
  )
  return only((await showUsage(context)).find(({ provider }) => provider === id))
}

const defined = <Value extends object>(value: Value) =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined))

function only<Item>(item: Item | undefined): Item {
  if (item === undefined) throw new Error('every provider is in the catalogue')
  return item
}

import type { Host } from '../host.ts'
import type { ProviderId } from '../models/vendors/index.ts'
import type { ProviderModel } from '../models/vendors/model.ts'
import type { ArgumentNames } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { sql } from '../statement.ts'
import { type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
import { defined } from '../values.ts'
import { type Cooldown, cooldownKey, type Reading } from './failover.ts'
import type { Allowance, Price, PriceInput, Provider } from './schema.ts'
import type { LimitReadings } from './utilization.ts'

/** A stored provider; `sealed_key` is ciphertext. */
export interface ProviderRecord {
  id: ProviderId
  sealed_key: string | null
  key_hint: string | null
  base_url: string | null
  default_model: string | null
  /** The vendor's own list; empty until it was requested. */
  models: ProviderModel[]
  /** Tokens by model, as the vendor named them when it refused a prompt. */
  learned_contexts: Record<string, number>
  /** How the server takes arguments that it has refused, by model, or `*` for all. */
  learned_arguments: Record<string, ArgumentNames>
  last_test: Provider['last_test']
  updated_at: string
}

const providers = new Table<ProviderRecord, 'models_at' | 'cooldown_until'>('providers', {
  kept: true,
  json: ['models', 'learned_contexts', 'learned_arguments', 'last_test'],
  hidden: ['models_at', 'cooldown_until'],
})

/** In the order in which the providers were set up. */
export const listProviderRecords = (host: Pick<Host, 'sql'>) => providers.list(host, 'rowid')

export const findProviderRecord = (host: Pick<Host, 'sql'>, id: string) => providers.find(host, { id })

/**
 * The guard refuses it unless the stored record is still `old`, so that of two changes at once neither is
 * lost. Another server may have other context sizes; what a server refuses is learned again, for it may have been updated.
 */
export const saveProviderRecord = (
  { learned_contexts: _, ...record }: ProviderRecord,
  old: ProviderRecord | null,
): Statement => ({
  ...providers.insert(
    record,
    sql`ON CONFLICT (id) DO UPDATE SET sealed_key = excluded.sealed_key, key_hint = excluded.key_hint,
      base_url = excluded.base_url, default_model = excluded.default_model, models = excluded.models,
      learned_arguments = excluded.learned_arguments, last_test = excluded.last_test, updated_at = excluded.updated_at,
      learned_contexts = iif(providers.base_url IS excluded.base_url, providers.learned_contexts, '{}')
    WHERE providers.updated_at = ${old?.updated_at ?? ''}`,
  ),
  guard: 'The provider was changed at the same time; try again',
})

export const saveTest = (id: ProviderId, test: Provider['last_test']): Statement =>
  providers.update({ last_test: test }, { id })

export const saveModels = (id: ProviderId, models: ProviderModel[], at: string): Statement =>
  providers.update({ models, models_at: at }, { id })

/** Stores the context sizes of some models; null removes one. */
export const saveContexts = (id: string, contexts: Record<string, number | null>): Statement =>
  providers.update({ learned_contexts: sql`json_patch(learned_contexts, ${JSON.stringify(contexts)})` }, { id })

/** Merges what a server reported about its arguments, unless the provider's address has changed since. */
export const saveArguments = (
  { provider, base_url = null }: { provider: string; base_url?: string | null },
  learned: Record<string, ArgumentNames>,
): Statement =>
  providers.update(
    { learned_arguments: sql`json_patch(learned_arguments, ${JSON.stringify(learned)})` },
    { id: provider, base_url },
  )

/** Forgets the learned context sizes of these models: somebody knows better now. */
export const forgetContexts = (id: ProviderId, models: readonly string[]): Statement =>
  saveContexts(id, Object.fromEntries(models.map((model) => [model, null])))

export const deleteProviderRecord = (id: ProviderId): Statement =>
  providers.delete({ id }, 'This provider is not configured')

/** The stored limits of a provider; times in milliseconds since the epoch. */
export interface LimitRecord extends LimitReadings {
  provider: string
  allowance: Allowance
  failed_over_at: string | null
}

interface LimitRow {
  provider: string
  five_hour: Reading | null
  seven_day: Reading | null
  hard_limit_until: string | null
  read_at: string | null
  five_hour_allowance: number | null
  seven_day_allowance: number | null
  failed_over_at: string | null
}

const limits = new Table<LimitRow>('provider_limits', { kept: true, json: ['five_hour', 'seven_day'] })

export const listLimits = async (host: Sql): Promise<LimitRecord[]> => (await limits.list(host, 'rowid')).map(toLimits)

function toLimits({ provider, five_hour, seven_day, hard_limit_until, ...row }: LimitRow): LimitRecord {
  return {
    provider,
    ...(five_hour && { five_hour }),
    ...(seven_day && { seven_day }),
    ...(hard_limit_until && { hard_limit_until: Date.parse(hard_limit_until) }),
    allowance: { five_hour_tokens: row.five_hour_allowance, seven_day_tokens: row.seven_day_allowance },
    failed_over_at: row.failed_over_at,
  }
}

/** Windows without a reading keep their last one. */
export const saveReadings = (
  provider: string,
  { five_hour, seven_day, hard_limit_until }: LimitReadings,
  now: number,
): Statement =>
  limits.upsert(
    {
      ...defined({ provider, five_hour, seven_day, read_at: iso(now) }),
      ...(hard_limit_until !== undefined && { hard_limit_until: iso(hard_limit_until) }),
    },
    'provider',
  )

/** Forgets the limits and cooldowns of an earlier key. */
export const forgetLimits = (provider: string): Statement[] => [
  limits.update({ five_hour: null, seven_day: null, hard_limit_until: null }, { provider }),
  cooldowns.delete({ provider }),
]

export const saveAllowance = (provider: string, { five_hour_tokens, seven_day_tokens }: Allowance): Statement =>
  limits.upsert({ provider, five_hour_allowance: five_hour_tokens, seven_day_allowance: seven_day_tokens }, 'provider')

/** Of two processes that decide at the same time one wins, so that the event is sent once. */
export const markFailedOver = (provider: string, failed_over_at: string): Statement => ({
  ...limits.insert(
    { provider, failed_over_at },
    `ON CONFLICT (provider) DO UPDATE SET failed_over_at = excluded.failed_over_at WHERE failed_over_at IS NULL`,
  ),
  guard: 'The provider has already failed over',
})

export const markReturned = (provider: string): Statement =>
  limits.update(
    { failed_over_at: null },
    [{ provider }, 'failed_over_at IS NOT NULL'],
    'The provider has already returned',
  )

interface CooldownRow extends Omit<Cooldown, 'until'> {
  provider: string
  model: string
  until: string
}

const cooldowns = new Table<CooldownRow>('model_cooldowns', { kept: true, booleans: ['asked'] })

/** By `provider/model`. Includes ended ones, because their strikes still count for a while. */
export async function listCooldowns(host: Sql): Promise<Map<string, Cooldown>> {
  const rows = await cooldowns.list(host, 'provider, model')
  return new Map(
    rows.map(({ provider, model, until, ...cooldown }) => [
      cooldownKey(provider, model),
      { ...cooldown, until: Date.parse(until) },
    ]),
  )
}

export const saveCooldown = (provider: string, model: string, { until, ...cooldown }: Cooldown): Statement =>
  cooldowns.upsert({ provider, model, until: iso(until), ...cooldown }, 'provider, model')

/** Removes the limits and the cooldown of a model, because its vendor answers again. */
export const liftLimits = (provider: string, model: string): Statement[] => [
  clearCooldown(provider, model),
  limits.update({ hard_limit_until: null }, { provider }),
]

/** A successful answer shows that both the model and its key work. */
export const clearCooldown = (provider: string, model: string): Statement =>
  cooldowns.delete({ provider, model: [model, '*'] })

const prices = new Table<Price & { provider: string; model: string }, 'updated_at'>('model_prices', {
  kept: true,
  hidden: ['updated_at'],
})

/** The prices and context sizes set by people, by `provider/model`. */
export async function listPrices(host: Sql): Promise<Map<string, Price>> {
  const rows = await prices.list(host, 'provider, model')
  return new Map(rows.map(({ provider, model, ...price }) => [cooldownKey(provider, model), price]))
}

export function savePrice(
  provider: string,
  model: string,
  { price, now }: { price: PriceInput | null; now: number },
): Statement {
  if (price === null) return prices.delete({ provider, model })
  const { cached_usd_per_mtok = null, context_tokens = null, ...usd } = price
  return prices.upsert(
    { ...usd, provider, model, cached_usd_per_mtok, context_tokens, updated_at: iso(now) },
    'provider, model',
  )
}

/** Binds an encrypted key to its purpose. */

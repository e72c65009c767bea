import type { Host } from '../host.ts'
import type { ProviderId } from '../models/vendors/index.ts'
import type { ProviderModel } from '../models/vendors/model.ts'
import type { ArgumentNames, ModelErrorCode } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { type Sql, Table } from '../table.ts'
import { iso } from '../time.ts'
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
export const saveProviderRecord = (record: ProviderRecord, old: ProviderRecord | null): Statement => ({
  sql: `INSERT INTO providers (id, sealed_key, key_hint, base_url, default_model, models, learned_arguments, last_test, updated_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET sealed_key = excluded.sealed_key, key_hint = excluded.key_hint,
      base_url = excluded.base_url, default_model = excluded.default_model, models = excluded.models,
      learned_arguments = excluded.learned_arguments, last_test = excluded.last_test, updated_at = excluded.updated_at,
      learned_contexts = iif(providers.base_url IS excluded.base_url, providers.learned_contexts, '{}')
    WHERE providers.updated_at = ?`,
  args: [
    record.id,
    record.sealed_key,
    record.key_hint,
    record.base_url,
    record.default_model,
    JSON.stringify(record.models),
    JSON.stringify(record.learned_arguments),
    record.last_test === null ? null : JSON.stringify(record.last_test),
    record.updated_at,
    old?.updated_at ?? '',
  ],
  guard: 'The provider was changed at the same time; try again',
})

export const saveTest = (id: ProviderId, test: Provider['last_test']): Statement =>
  providers.update({ last_test: test }, { id })

export const saveModels = (id: ProviderId, models: ProviderModel[], at: string): Statement =>
  providers.update({ models, models_at: at }, { id })

/** Stores the context sizes of some models; null removes one. */
export const saveContexts = (id: string, contexts: Record<string, number | null>): Statement => ({
  sql: 'UPDATE providers SET learned_contexts = json_patch(learned_contexts, ?) WHERE id = ?',
  args: [JSON.stringify(contexts), id],
})

/** Merges what a server reported about its arguments, unless the provider's address has changed since. */
export const saveArguments = (
  { provider, base_url = null }: { provider: string; base_url?: string | null },
  learned: Record<string, ArgumentNames>,
): Statement => ({
  sql: 'UPDATE providers SET learned_arguments = json_patch(learned_arguments, ?) WHERE id = ? AND base_url IS ?',
  args: [JSON.stringify(learned), provider, base_url],
})

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
  five_hour: string | null
  seven_day: string | null
  hard_limit_until: string | null
  five_hour_allowance: number | null
  seven_day_allowance: number | null
  failed_over_at: string | null
}

export async function listLimits({ sql }: Sql): Promise<LimitRecord[]> {
  return (await sql.read<LimitRow>('SELECT * FROM provider_limits')).map(toLimits)
}

function toLimits(row: LimitRow): LimitRecord {
  const reading = (name: 'five_hour' | 'seven_day') =>
    row[name] === null ? {} : { [name]: JSON.parse(row[name]) as Reading }
  const hard = row.hard_limit_until === null ? {} : { hard_limit_until: Date.parse(row.hard_limit_until) }
  const allowance = { five_hour_tokens: row.five_hour_allowance, seven_day_tokens: row.seven_day_allowance }
  return {
    provider: row.provider,
    ...reading('five_hour'),
    ...reading('seven_day'),
    ...hard,
    allowance,
    failed_over_at: row.failed_over_at,
  }
}

/** Windows without a reading keep their last one. */
export const saveReadings = (provider: string, readings: LimitReadings, now: number): Statement => ({
  sql: `INSERT INTO provider_limits (provider, five_hour, seven_day, hard_limit_until, read_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (provider) DO UPDATE SET five_hour = coalesce(excluded.five_hour, five_hour),
      seven_day = coalesce(excluded.seven_day, seven_day),
      hard_limit_until = coalesce(excluded.hard_limit_until, hard_limit_until), read_at = excluded.read_at`,
  args: [
    provider,
    readings.five_hour ? JSON.stringify(readings.five_hour) : null,
    readings.seven_day ? JSON.stringify(readings.seven_day) : null,
    readings.hard_limit_until === undefined ? null : iso(readings.hard_limit_until),
    iso(now),
  ],
})

/** Forgets the limits and cooldowns of an earlier key. */
export const forgetLimits = (provider: string): Statement[] => [
  {
    sql: `UPDATE provider_limits SET five_hour = NULL, seven_day = NULL, hard_limit_until = NULL WHERE provider = ?`,
    args: [provider],
  },
  { sql: 'DELETE FROM model_cooldowns WHERE provider = ?', args: [provider] },
]

export const saveAllowance = (provider: string, allowance: Allowance): Statement => ({
  sql: `INSERT INTO provider_limits (provider, five_hour_allowance, seven_day_allowance) VALUES (?, ?, ?)
    ON CONFLICT (provider) DO UPDATE SET five_hour_allowance = excluded.five_hour_allowance,
      seven_day_allowance = excluded.seven_day_allowance`,
  args: [provider, allowance.five_hour_tokens, allowance.seven_day_tokens],
})

/** Of two processes that decide at the same time one wins, so that the event is sent once. */
export const markFailedOver = (provider: string, at: string): Statement => ({
  sql: `INSERT INTO provider_limits (provider, failed_over_at) VALUES (?, ?)
    ON CONFLICT (provider) DO UPDATE SET failed_over_at = excluded.failed_over_at WHERE failed_over_at IS NULL`,
  args: [provider, at],
  guard: 'The provider has already failed over',
})

export const markReturned = (provider: string): Statement => ({
  sql: 'UPDATE provider_limits SET failed_over_at = NULL WHERE provider = ? AND failed_over_at IS NOT NULL',
  args: [provider],
  guard: 'The provider has already returned',
})

interface CooldownRow {
  provider: string
  model: string
  until: string
  code: string
  strikes: number
  asked: number
}

/** By `provider/model`. Includes ended ones, because their strikes still count for a while. */
export async function listCooldowns({ sql }: Sql): Promise<Map<string, Cooldown>> {
  const rows = await sql.read<CooldownRow>('SELECT * FROM model_cooldowns')
  return new Map(
    rows.map((row) => [
      cooldownKey(row.provider, row.model),
      {
        until: Date.parse(row.until),
        code: row.code as ModelErrorCode,
        strikes: row.strikes,
        asked: row.asked === 1,
      },
    ]),
  )
}

export const saveCooldown = (provider: string, model: string, cooldown: Cooldown): Statement => ({
  sql: `INSERT OR REPLACE INTO model_cooldowns (provider, model, until, code, strikes, asked) VALUES (?, ?, ?, ?, ?, ?)`,
  args: [provider, model, iso(cooldown.until), cooldown.code, cooldown.strikes, Number(cooldown.asked)],
})

/** Removes the limits and the cooldown of a model, because its vendor answers again. */
export const liftLimits = (provider: string, model: string): Statement[] => [
  clearCooldown(provider, model),
  { sql: 'UPDATE provider_limits SET hard_limit_until = NULL WHERE provider = ?', args: [provider] },
]

/** A successful answer shows that both the model and its key work. */
export const clearCooldown = (provider: string, model: string): Statement => ({
  sql: `DELETE FROM model_cooldowns WHERE provider = ? AND model IN (?, '*')`,
  args: [provider, model],
})

const prices = new Table<Price & { provider: string; model: string }, 'updated_at'>('model_prices', {
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

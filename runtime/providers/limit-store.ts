import type { Host } from '../host.ts'
import type { ModelErrorCode } from '../ports/models.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import type { Allowance, Price } from './backup-schema.ts'
import { type Cooldown, cooldownKey } from './cooldown.ts'
import type { Reading } from './failover.ts'
import type { LimitReadings } from './utilization.ts'

type Sql = Pick<Host, 'sql'>

/** What is stored of a provider's limits; times in milliseconds since the epoch. */
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
  return (await sql.read<LimitRow>('SELECT * FROM provider_limits')).map(toRecord)
}

function toRecord(row: LimitRow): LimitRecord {
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

/** Windows that were not read keep what was known. */
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

/** Forgets what an earlier key was told. */
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

/** Of two that decide at once one wins, so that the event is told once. */
export const markFailedOver = (provider: string, at: string): Statement => ({
  sql: `INSERT INTO provider_limits (provider, failed_over_at) VALUES (?, ?)
    ON CONFLICT (provider) DO UPDATE SET failed_over_at = excluded.failed_over_at WHERE failed_over_at IS NULL`,
  args: [provider, at],
  guard: 'The provider has failed over already',
})

export const markReturned = (provider: string): Statement => ({
  sql: 'UPDATE provider_limits SET failed_over_at = NULL WHERE provider = ? AND failed_over_at IS NOT NULL',
  args: [provider],
  guard: 'The provider has returned already',
})

interface CooldownRow {
  provider: string
  model: string
  until: string
  code: string
  strikes: number
  asked: number
}

/** By `provider/model`, ended ones too: their strikes still count for a while. */
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

/** A model that answers is well, and so is its key. */
export const clearCooldown = (provider: string, model: string): Statement => ({
  sql: `DELETE FROM model_cooldowns WHERE provider = ? AND model IN (?, '*')`,
  args: [provider, model],
})

/** The prices that people set, by `provider/model`. */
export async function listPrices({ sql }: Sql): Promise<Map<string, Price>> {
  const rows = await sql.read<Price & { provider: string; model: string }>('SELECT * FROM model_prices')
  return new Map(
    rows.map(({ provider, model, input_usd_per_mtok, output_usd_per_mtok }) => [
      cooldownKey(provider, model),
      { input_usd_per_mtok, output_usd_per_mtok },
    ]),
  )
}

export function savePrice(
  provider: string,
  model: string,
  { price, now }: { price: Price | null; now: number },
) {
  if (price === null)
    return { sql: 'DELETE FROM model_prices WHERE provider = ? AND model = ?', args: [provider, model] }
  return {
    sql: `INSERT OR REPLACE INTO model_prices (provider, model, input_usd_per_mtok, output_usd_per_mtok, updated_at)
      VALUES (?, ?, ?, ?, ?)`,
    args: [provider, model, price.input_usd_per_mtok, price.output_usd_per_mtok, iso(now)],
  }
}

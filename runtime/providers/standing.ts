import type { Host } from '../host.ts'
import { spentByProviderSince } from '../monitoring/ledger-store.ts'
import { day, hour, iso } from '../time.ts'
import { readBackup } from './backup.ts'
import type { ProviderUsage, UsageSource, WindowUsage } from './backup-schema.ts'
import { assign, type Reading, usedNow, type World } from './failover.ts'
import { type LimitRecord, listCooldowns, listLimits } from './limit-store.ts'
import { ProviderId } from './schema.ts'
import { listProviderRecords } from './store.ts'
import { estimateReading } from './utilization.ts'

type Needs = Pick<Host, 'sql' | 'clock'>

const windows = { five_hour: 5 * hour, seven_day: 7 * day } as const
type WindowName = keyof typeof windows
const windowNames = ['five_hour', 'seven_day'] as const

interface Known {
  reading: Reading | null
  source: UsageSource
}

export interface ProviderWorld extends World {
  limits: ReadonlyMap<string, LimitRecord>
  /** Where each figure of a provider comes from. */
  sources: ReadonlyMap<string, Record<WindowName, Known>>
}

/** All that decides where calls go: the rules, what is known of each provider's limits, and the cooldowns. */
export async function readWorld(host: Needs): Promise<ProviderWorld> {
  const now = host.clock.now()
  const records = await listLimits(host)
  const sources = new Map<string, Record<WindowName, Known>>()
  for (const record of records)
    sources.set(record.provider, {
      five_hour: await readWindow(host, record, 'five_hour'),
      seven_day: await readWindow(host, record, 'seven_day'),
    })
  const standings = new Map(
    records.map((record) => [
      record.provider,
      {
        five_hour: sources.get(record.provider)?.five_hour.reading ?? null,
        seven_day: sources.get(record.provider)?.seven_day.reading ?? null,
        hard_limit_until: record.hard_limit_until ?? null,
        failed_over: record.failed_over_at !== null,
      },
    ]),
  )
  const limits = new Map(records.map((record) => [record.provider, record]))
  const [settings, cooldowns] = [await readBackup(host), await listCooldowns(host)]
  return { settings, standings, cooldowns, now, limits, sources }
}

/** The vendor's own word while it holds, else our ledger against the allowance, else what the vendor last said. */
async function readWindow(host: Needs, record: LimitRecord, name: WindowName): Promise<Known> {
  const now = host.clock.now()
  const said = record[name] ?? null
  if (said && (said.resets_at ?? now) > now) return { reading: said, source: 'header' }
  const allowance = record.allowance[`${name}_tokens`]
  if (allowance === null) return { reading: said, source: said ? 'header' : 'unknown' }
  const spent = await spentByProviderSince(host, record.provider, iso(now - windows[name]))
  return { reading: estimateReading(spent, allowance, windows[name]), source: 'estimated' }
}

/** Every provider with what is known of its limits, as the interface shows it. */
export async function showUsage(host: Needs): Promise<ProviderUsage[]> {
  const world = await readWorld(host)
  const configured = new Set((await listProviderRecords(host)).map(({ id }) => id))
  return ProviderId.options.map((provider) => showOne(provider, world, configured.has(provider)))
}

function showOne(provider: ProviderId, world: ProviderWorld, configured: boolean): ProviderUsage {
  const record = world.limits.get(provider)
  const { heat, failed_over } = assign(provider, world)
  const known = windowNames.map((name) => world.sources.get(provider)?.[name])
  const [five_hour, seven_day] = known.map((one) => showWindow(one, world.now)) as [WindowUsage, WindowUsage]
  const hard = record?.hard_limit_until ?? 0
  return {
    provider,
    configured,
    five_hour,
    seven_day,
    source: bestSource([five_hour.source, seven_day.source]),
    heat: { level: heat },
    hard_limit_until: hard > world.now ? iso(hard) : null,
    failed_over,
    failed_over_at: failed_over ? (record?.failed_over_at ?? null) : null,
    backup: world.settings.rules[provider] ?? null,
    allowance: record?.allowance ?? { five_hour_tokens: null, seven_day_tokens: null },
  }
}

function showWindow(known: Known | undefined, now: number): WindowUsage {
  if (!known?.reading) return { utilization: null, resets_at: null, source: 'unknown' }
  const { reading, source } = known
  const open = reading.resets_at !== null && reading.resets_at > now
  return { utilization: usedNow(reading, now), resets_at: open ? iso(reading.resets_at ?? 0) : null, source }
}

const bestSource = (sources: readonly UsageSource[]): UsageSource =>
  (['header', 'estimated'] as const).find((source) => sources.includes(source)) ?? 'unknown'

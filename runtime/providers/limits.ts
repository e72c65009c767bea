import { auditStatement } from '../auth/audit.ts'
import type { Context } from '../context.ts'
import { type EventInput, event } from '../events/event.ts'
import { conflict } from '../fault.ts'
import type { Host } from '../host.ts'
import { checkBody } from '../http/validate.ts'
import { spentByProviderSince } from '../ledger/ledger-store.ts'
import { againIfLost } from '../lost-race.ts'
import { ProviderId } from '../models/vendors/index.ts'
import { GuardFailed, type Statement } from '../ports/sql.ts'
import { saveSettings, storedSettings } from '../sections/store.ts'
import { day, hour, iso } from '../time.ts'
import { assign, heatOf, type Reading, usedNow, type World } from './failover.ts'
import { type BackupChange, BackupSettings, type ProviderUsage, type UsageSource, type WindowUsage } from './schema.ts'
import {
  type LimitRecord,
  listCooldowns,
  listLimits,
  listProviderRecords,
  markFailedOver,
  markReturned,
} from './store.ts'
import { estimateReading } from './utilization.ts'

const section = 'provider_backup'

export const backupDefaults: BackupSettings = {
  rules: {},
  five_hour_threshold_pct: 90,
  seven_day_threshold_pct: 95,
  return_below_pct: 70,
  auto_return: true,
  both_out: 'pause',
}

/** The current rules. */
export async function readBackup(host: Pick<Host, 'sql'>): Promise<BackupSettings> {
  return whole(await storedSettings(host as Host, section))
}

const whole = (stored: string | null): BackupSettings =>
  checkBody(BackupSettings, { ...backupDefaults, ...JSON.parse(stored ?? '{}') }) as BackupSettings

/** Merges a change; rules are merged by provider, and a rule of null removes a provider's backup. */
export const changeBackup = (context: Context, change: BackupChange): Promise<BackupSettings> =>
  againIfLost(async () => {
    const before = await storedSettings(context, section)
    const after = JSON.stringify(merge(JSON.parse(before ?? '{}'), change))
    const settings = whole(after)
    await store(context, { before, after, now: iso(context.clock.now()) })
    return settings
  })

function merge(old: Partial<BackupSettings>, { rules, ...change }: BackupChange): Partial<BackupSettings> {
  if (!rules) return { ...old, ...change }
  const merged = Object.entries({ ...old.rules, ...rules }).filter(([, rule]) => rule !== null)
  return { ...old, ...change, rules: Object.fromEntries(merged) as BackupSettings['rules'] }
}

const store = (context: Context, value: { before: string | null; after: string; now: string }) =>
  context.commit(
    [
      saveSettings(section, value, 'The backup rules are being changed by another request'),
      auditStatement(context, { action: 'settings.updated', target: section }),
    ],
    [{ type: 'settings.updated', data: { section } }],
  )

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
  /** The source of each figure. */
  sources: ReadonlyMap<string, Record<WindowName, Known>>
}

/** Everything that decides where calls go: the rules, the limits of each provider, and the cooldowns. */
export async function readWorld(host: Needs): Promise<ProviderWorld> {
  const now = host.clock.now()
  const records = await listLimits(host)
  const sources = new Map<string, Record<WindowName, Known>>()
  for (const record of records)
    sources.set(record.provider, {
      five_hour: await readWindow(host, record, 'five_hour'),
      seven_day: await readWindow(host, record, 'seven_day'),
    })
  const limit_statuses = new Map(
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
  return { settings, limit_statuses, cooldowns, now, limits, sources }
}

/** The vendor's reading while it is valid, else an estimate from our ledger, else the vendor's last reading. */
async function readWindow(host: Needs, record: LimitRecord, name: WindowName): Promise<Known> {
  const now = host.clock.now()
  const said = record[name] ?? null
  if (said && (said.resets_at ?? now) > now) return { reading: said, source: 'header' }
  const allowance = record.allowance[`${name}_tokens`]
  if (allowance === null) return { reading: said, source: said ? 'header' : 'unknown' }
  const spent = await spentByProviderSince(host, record.provider, iso(now - windows[name]))
  return { reading: estimateReading(spent, allowance, windows[name]), source: 'estimated' }
}

/** Every provider with its limits and their use. */
export async function showUsage(host: Needs): Promise<ProviderUsage[]> {
  const world = await readWorld(host)
  const configured = new Set((await listProviderRecords(host)).map(({ id }) => id))
  return ProviderId.options.map((provider) => showOne(provider, world, configured.has(provider)))
}

function showOne(provider: ProviderId, world: ProviderWorld, configured: boolean): ProviderUsage {
  const record = world.limits.get(provider)
  const { heat, failed_over } = assign(provider, world)
  const windows = windowNames.map((name) => world.sources.get(provider)?.[name])
  const [five_hour, seven_day] = windows.map((one) => showWindow(one, world.now)) as [WindowUsage, WindowUsage]
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

function showWindow(window: Known | undefined, now: number): WindowUsage {
  if (!window?.reading) return { utilization: null, resets_at: null, source: 'unknown' }
  const { reading, source } = window
  const open = reading.resets_at !== null && reading.resets_at > now
  return { utilization: usedNow(reading, now), resets_at: open ? iso(reading.resets_at ?? 0) : null, source }
}

const bestSource = (sources: readonly UsageSource[]): UsageSource =>
  (['header', 'estimated'] as const).find((source) => sources.includes(source)) ?? 'unknown'

/** Reads the state that decides where calls go, and records providers that have failed over or returned since the last call. */
export async function reviewProviders(context: Context): Promise<ProviderWorld> {
  const world = await readWorld(context)
  const away = [...world.limit_statuses].filter(([, { failed_over }]) => failed_over).map(([provider]) => provider)
  for (const provider of new Set([...Object.keys(world.settings.rules), ...away]))
    await review(context, provider, world)
  return world
}

async function review(context: Context, provider: string, world: ProviderWorld): Promise<void> {
  const { failed_over, use, heat } = assign(provider, world)
  if (failed_over === (world.limit_statuses.get(provider)?.failed_over ?? false)) return
  const to = typeof use === 'object' && use ? `${use.provider}/${use.model}` : null
  if (failed_over)
    return record(context, markFailedOver(provider, iso(world.now)), {
      type: 'provider.failover',
      data: { provider, to, heat },
    })
  return record(context, markReturned(provider), {
    type: 'provider.returned',
    data: { provider, by: 'limit' },
  })
}

async function record(context: Context, statement: Statement, change: EventInput): Promise<void> {
  try {
    await context.commit([statement], [change])
  } catch (thrown) {
    // Another call has recorded it.
    if (!(thrown instanceof GuardFailed)) throw thrown
  }
}

/** Returns a provider to primary. 409 while it is near its limit; no change if it has not failed over. */
export async function returnProvider(context: Context, provider: ProviderId): Promise<ProviderUsage> {
  const world = await readWorld(context)
  const heat = heatOf(world.settings, world.limit_statuses.get(provider), world.now)
  if (heat !== 'cool') throw conflict(`${provider} is still near its limit`, { heat: { level: heat } })
  if (world.limit_statuses.get(provider)?.failed_over) {
    await record(context, markReturned(provider), event('provider.returned', { provider, by: 'person' }))
  }
  const usage = (await showUsage(context)).find((one) => one.provider === provider)
  if (!usage) throw new Error(`no usage of ${provider}`)
  return usage
}

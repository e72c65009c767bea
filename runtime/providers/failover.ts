import { ModelError, type ModelErrorCode } from '../ports/models.ts'
import { hour, minute, second } from '../time.ts'
import type { BackupSettings, Heat, ModelName } from './schema.ts'

/** A model, or all models of a provider, must not be called before `until` (milliseconds since the epoch). */
export interface Cooldown {
  until: number
  code: ModelErrorCode
  /** Failures in a row. */
  strikes: number
  /** The vendor named the time, so it is respected even if no other model is left. */
  asked: boolean
}

interface Rule {
  /** A key without credit or permissions fails for every model. */
  scope: 'model' | 'provider'
  /** Milliseconds after the first failure; each further failure in a row doubles them, up to `max`. */
  first: number
  max: number
}

/** Errors that an immediate retry would only repeat. Other errors say nothing about the next call. */
const rules: Partial<Record<ModelErrorCode, Rule>> = {
  rate_limit: { scope: 'model', first: 30 * second, max: 15 * minute },
  overloaded: { scope: 'model', first: 10 * second, max: 2 * minute },
  provider_unavailable: { scope: 'model', first: 10 * second, max: 2 * minute },
  interrupted: { scope: 'model', first: 5 * second, max: 1 * minute },
  timeout: { scope: 'model', first: 30 * second, max: 10 * minute },
  model_not_found: { scope: 'model', first: 10 * minute, max: 1 * hour },
  billing: { scope: 'provider', first: 10 * minute, max: 6 * hour },
  auth: { scope: 'provider', first: 5 * minute, max: 1 * hour },
}

/** A failure later than this after the last cooldown counts as the first again. */
const strikeMemory = 10 * minute

/** The longest wait that a vendor can ask for: a wrong date must not disable a provider forever. */
const maxAsked = 7 * 24 * hour

export interface Failure {
  code: ModelErrorCode
  retry_after_seconds?: number | undefined
}

/**
 * The cooldown after a failure, given the one `before`; null for errors that do not concern the vendor's
 * state.
 */
export function coolDown(
  failure: Failure,
  before: Cooldown | undefined,
  now: number,
): { scope: Rule['scope']; cooldown: Cooldown } | null {
  const rule = rules[failure.code]
  if (!rule) return null
  const strikes = before && now < before.until + strikeMemory ? before.strikes + 1 : 1
  const isVendorTime = failure.retry_after_seconds !== undefined
  const length = isVendorTime
    ? Math.min((failure.retry_after_seconds ?? 0) * second, maxAsked)
    : Math.min(rule.first * 2 ** (strikes - 1), rule.max)
  return {
    scope: rule.scope,
    cooldown: { until: now + length, code: failure.code, strikes, asked: isVendorTime },
  }
}

/** Whether another model may be called: the cause lies with this model or its vendor. */
export const mayMoveOn = (code: ModelErrorCode): boolean => rules[code] !== undefined

/** Whether a refused call may succeed later without anybody doing anything: a limit or an outage. */
export const mayPass = ({ code, transient }: Pick<ModelError, 'code' | 'transient'>): boolean =>
  transient || code === 'rate_limit' || code === 'overloaded'

/** A call is retried after these waits, in milliseconds, when no other model can take over. */
const retryWaits = [1 * second, 2 * second, 4 * second]

/** The longest `Retry-After` that is waited for within a call. */
const maxRetryAfter = 1 * minute

/**
 * Milliseconds to wait before the same model is called again, or null if the error is final. A vendor that
 * named a time is waited for if the time is short.
 */
export function retryWait(thrown: unknown, retries: number): number | null {
  const wait = retryWaits[retries]
  if (!(thrown instanceof ModelError) || wait === undefined) return null
  const seconds = thrown.retry_after_seconds
  if (seconds === undefined) return thrown.transient ? wait : null
  return mayPass(thrown) && seconds * second <= maxRetryAfter ? Math.max(seconds * second, wait) : null
}

/** The key of a model's cooldown; `*` means all models of a provider. */
export const cooldownKey = (provider: string, model: string): string => `${provider}/${model}`

/** The current cooldown of a model: its own or its provider's, whichever ends later. */
export function coolingOf(
  cooldowns: ReadonlyMap<string, Cooldown>,
  { provider, model }: { provider: string; model: string },
  now: number,
): Cooldown | null {
  const held = [cooldownKey(provider, model), cooldownKey(provider, '*')]
    .map((key) => cooldowns.get(key))
    .filter((cooldown) => cooldown !== undefined)
    .filter((cooldown) => cooldown.until > now)
  return held.sort((left, right) => right.until - left.until)[0] ?? null
}

/** The used share of a limit, 0 to 1, and when it resets (milliseconds since the epoch). */
export interface Reading {
  utilization: number
  resets_at: number | null
}

/** The limits of a provider. */
export interface LimitStatus {
  five_hour: Reading | null
  seven_day: Reading | null
  /** The vendor refuses until then. */
  hard_limit_until: number | null
  /** The last decision; failing over and returning have different thresholds. */
  failed_over: boolean
}

export interface World {
  settings: BackupSettings
  limit_statuses: ReadonlyMap<string, LimitStatus>
  /** By `provider/model`, or `provider/*`. */
  cooldowns: ReadonlyMap<string, Cooldown>
  /** Milliseconds since the epoch. */
  now: number
}

export interface Assignment {
  heat: Heat
  failed_over: boolean
  /** `null`: nothing may be called, because the provider and its backups are over their limits. */
  use: 'primary' | ModelName | null
  /** When the first of them may be called again, if known. */
  until: number | null
}

/** The share of a threshold from which a provider is near its limit. */
const nearShare = 0.8

/** The current use of a limit; 0 once it has reset. */
export const usedNow = (reading: Reading | null, now: number): number =>
  reading === null || (reading.resets_at !== null && reading.resets_at <= now) ? 0 : reading.utilization

/** Rounds away floating-point errors: 72 of 90 is 0.8. */
const exact = (share: number) => Math.round(share * 1e9) / 1e9

const isHard = (standing: LimitStatus | undefined, now: number) => (standing?.hard_limit_until ?? 0) > now

export function heatOf(settings: BackupSettings, standing: LimitStatus | undefined, now: number): Heat {
  if (!standing) return 'cool'
  if (isHard(standing, now)) return 'out'
  const share = (reading: Reading | null, threshold: number) => exact((usedNow(reading, now) * 100) / threshold)
  const most = Math.max(
    share(standing.five_hour, settings.five_hour_threshold_pct),
    share(standing.seven_day, settings.seven_day_threshold_pct),
  )
  if (most >= 1) return 'out'
  return most >= nearShare ? 'near' : 'cool'
}

/** Where calls to `provider` go now. Pure; the whole backup policy is here. */
export function assign(provider: string, world: World): Assignment {
  const { settings, limit_statuses, now } = world
  const heat = heatOf(settings, limit_statuses.get(provider), now)
  const failed_over = isFailedOver(provider, world)
  const base = { heat, failed_over, until: null }
  const rule = settings.rules[provider]
  if (!rule || !isOut(provider, world)) return { ...base, use: 'primary' }
  const chain = backupsOf(provider, settings)
  const ready = chain.find((backup) => !isOut(backup.provider, world) && !coolingOf(world.cooldowns, backup, now))
  if (ready) return { ...base, use: ready }
  if (settings.both_out === 'keep_going') return { ...base, use: firstNotRefused(provider, chain, world) }
  return { ...base, use: null, until: nextOpening([provider, ...chain.map((one) => one.provider)], world) }
}

/** The backup of a provider, the backup of that one, and so on; a cycle ends before its start. */
export function backupsOf(provider: string, settings: BackupSettings): ModelName[] {
  const chain: ModelName[] = []
  const seen = new Set([provider])
  for (let next = settings.rules[provider]; next && !seen.has(next.provider); next = settings.rules[next.provider]) {
    seen.add(next.provider)
    chain.push(next)
  }
  return chain
}

function isFailedOver(provider: string, { settings, limit_statuses, now }: World): boolean {
  const standing = limit_statuses.get(provider)
  if (!standing || !settings.rules[provider]) return false
  if (heatOf(settings, standing, now) === 'out') return true
  if (!standing.failed_over) return false
  const most = Math.max(usedNow(standing.five_hour, now), usedNow(standing.seven_day, now))
  return !settings.auto_return || exact(most * 100) >= settings.return_below_pct
}

/** A provider whose key is refused or has no credit counts as unavailable during its cooldown. */
export function isOut(provider: string, world: World): boolean {
  const heat = heatOf(world.settings, world.limit_statuses.get(provider), world.now)
  const cooling = coolingOf(world.cooldowns, { provider, model: '*' }, world.now)
  return heat === 'out' || isFailedOver(provider, world) || cooling !== null
}

/** All are over their thresholds: the first that its vendor does not refuse. */
function firstNotRefused(provider: string, chain: readonly ModelName[], world: World): 'primary' | ModelName {
  const answers = (one: { provider: string; model: string }) =>
    !isHard(world.limit_statuses.get(one.provider), world.now) && !coolingOf(world.cooldowns, one, world.now)
  if (answers({ provider, model: '*' })) return 'primary'
  return chain.find(answers) ?? 'primary'
}

function nextOpening(providers: readonly string[], world: World): number | null {
  const openings = providers.map((provider) => openingOf(provider, world)).filter((at) => at !== null)
  return openings.length === 0 ? null : Math.min(...openings)
}

/** When all limits and cooldowns of a provider have ended. */
function openingOf(provider: string, { settings, limit_statuses, cooldowns, now }: World): number | null {
  const standing = limit_statuses.get(provider)
  const back = settings.return_below_pct / 100
  const held = [standing?.five_hour, standing?.seven_day]
    .filter((reading) => reading !== undefined && usedNow(reading, now) >= back)
    .map((reading) => reading?.resets_at ?? null)
  const times = [...held, standing?.hard_limit_until, coolingOf(cooldowns, { provider, model: '*' }, now)?.until]
  const future = times.filter((at) => at !== null && at !== undefined && at > now) as number[]
  return future.length === 0 ? null : Math.max(...future)
}

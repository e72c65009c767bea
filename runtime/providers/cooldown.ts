import type { ModelErrorCode } from '../ports/models.ts'
import { hour, minute, second } from '../time.ts'

/** A model, or all models of a provider, is not to be called before `until` (milliseconds since the epoch). */
export interface Cooldown {
  until: number
  code: ModelErrorCode
  /** Failures in a row. */
  strikes: number
  /** The vendor named the time itself, so it is kept even when nothing else is left to call. */
  asked: boolean
}

interface Rule {
  /** A key without credit or without rights fails for every model. */
  scope: 'model' | 'provider'
  /** Milliseconds after the first failure; each further one in a row doubles them, up to `most`. */
  first: number
  most: number
}

/** Errors that another try soon would only repeat. What is missing here says nothing about the next call. */
const rules: Partial<Record<ModelErrorCode, Rule>> = {
  rate_limit: { scope: 'model', first: 30 * second, most: 15 * minute },
  overloaded: { scope: 'model', first: 10 * second, most: 2 * minute },
  provider_unavailable: { scope: 'model', first: 10 * second, most: 2 * minute },
  interrupted: { scope: 'model', first: 5 * second, most: 1 * minute },
  timeout: { scope: 'model', first: 30 * second, most: 10 * minute },
  model_not_found: { scope: 'model', first: 10 * minute, most: 1 * hour },
  billing: { scope: 'provider', first: 10 * minute, most: 6 * hour },
  auth: { scope: 'provider', first: 5 * minute, most: 1 * hour },
}

/** A failure this long after the end of the last cooldown is a new first one. */
const forgiven = 10 * minute

/** However long a vendor asks for: a wrong date must not end a provider for good. */
const longestAsked = 7 * 24 * hour

export interface Failure {
  code: ModelErrorCode
  retry_after_seconds?: number | undefined
}

/** What a failure does to a model, given its cooldown `before`; null for errors that are not the vendor's state. */
export function coolDown(
  failure: Failure,
  before: Cooldown | undefined,
  now: number,
): { scope: Rule['scope']; cooldown: Cooldown } | null {
  const rule = rules[failure.code]
  if (!rule) return null
  const strikes = before && now < before.until + forgiven ? before.strikes + 1 : 1
  const asked = failure.retry_after_seconds !== undefined
  const length = asked
    ? Math.min((failure.retry_after_seconds ?? 0) * second, longestAsked)
    : Math.min(rule.first * 2 ** (strikes - 1), rule.most)
  return { scope: rule.scope, cooldown: { until: now + length, code: failure.code, strikes, asked } }
}

/** Whether the step may go on with another model: the cause lies with this model or its vendor. */
export const mayMoveOn = (code: ModelErrorCode): boolean => rules[code] !== undefined

/** Key of a model, or of all of a provider's with `*`. */
export const cooldownKey = (provider: string, model: string): string => `${provider}/${model}`

/** The cooldown that holds a model back now: its own or its provider's, whichever lasts longer. */
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

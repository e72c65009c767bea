import { clamp } from '../numbers.ts'
import { hour, minute, second } from '../time.ts'
import type { Reading } from './failover.ts'

/** The limits in the headers of one answer. A window that is missing keeps its last reading. */
export interface LimitReadings {
  five_hour?: Reading
  seven_day?: Reading
  /** Milliseconds since the epoch. */
  hard_limit_until?: number
}

type Headers = Readonly<Record<string, string>>

const fiveHours = 5 * hour

/**
 * Reads rate-limit headers (lower-case names): Anthropic's unified windows of subscriptions, its limits by
 * request and token, and `x-ratelimit-*` of OpenAI, Groq and compatible vendors. Limits of other lengths
 * count for the window in which they reset. Pure; `now` is milliseconds since the epoch.
 */
export function readLimits(headers: Headers, now: number): LimitReadings {
  const unified = readUnified(headers)
  if (unified.five_hour || unified.seven_day) return unified
  const readings = dimensionsOf(headers).map((dimension) => readDimension(dimension, now))
  const latest = readings.filter((reading) => reading !== null)
  const short = fullest(latest.filter(({ resets_at }) => (resets_at ?? 0) - now <= fiveHours))
  const long = fullest(latest.filter(({ resets_at }) => (resets_at ?? 0) - now > fiveHours))
  return { ...unified, ...(short ? { five_hour: short } : {}), ...(long ? { seven_day: long } : {}) }
}

function readUnified(headers: Headers): LimitReadings {
  const prefix = 'anthropic-ratelimit-unified'
  const five = unifiedWindow(headers, `${prefix}-5h`)
  const seven = unifiedWindow(headers, `${prefix}-7d`)
  const refusedUntil = unixSeconds(headers[`${prefix}-reset`])
  const refused = headers[`${prefix}-status`] === 'rejected' && refusedUntil !== null
  return {
    ...(five ? { five_hour: five } : {}),
    ...(seven ? { seven_day: seven } : {}),
    ...(refused ? { hard_limit_until: refusedUntil } : {}),
  }
}

function unifiedWindow(headers: Headers, prefix: string): Reading | null {
  const utilization = numberIn(headers[`${prefix}-utilization`])
  if (utilization === null) return null
  return { utilization: clamp(utilization, 0, 1), resets_at: unixSeconds(headers[`${prefix}-reset`]) }
}

interface Dimension {
  limit: string | undefined
  remaining: string | undefined
  reset: string | undefined
}

/** `x-ratelimit-remaining-tokens` of OpenAI, `anthropic-ratelimit-tokens-remaining` of Anthropic. */
function dimensionsOf(headers: Headers): Dimension[] {
  return Object.keys(headers).flatMap((name) => {
    const [, what] = /^x-ratelimit-limit-(.+)$/.exec(name) ?? []
    if (what)
      return {
        limit: headers[name],
        remaining: headers[`x-ratelimit-remaining-${what}`],
        reset: headers[`x-ratelimit-reset-${what}`],
      }
    const [, prefix] = /^(anthropic-ratelimit-.+)-limit$/.exec(name) ?? []
    if (!prefix) return []
    return {
      limit: headers[name],
      remaining: headers[`${prefix}-remaining`],
      reset: headers[`${prefix}-reset`],
    }
  })
}

function readDimension(dimension: Dimension, now: number): Reading | null {
  const limit = numberIn(dimension.limit)
  const remaining = numberIn(dimension.remaining)
  if (!limit || limit < 0 || remaining === null) return null
  return { utilization: clamp(1 - remaining / limit, 0, 1), resets_at: resetTime(dimension.reset, now) }
}

/** A duration (`6m0s`, `17ms`, `2m59.56s`, plain seconds) or an RFC 3339 time; without either, a minute. */
function resetTime(text: string | undefined, now: number): number {
  const unknown = now + minute
  if (text === undefined) return unknown
  const duration = durationOf(text.trim())
  if (duration !== null) return now + duration
  const date = Date.parse(text)
  return Number.isNaN(date) ? unknown : date
}

const units: Record<string, number> = { d: 24 * hour, h: hour, m: minute, s: second, ms: 1 }

function durationOf(text: string): number | null {
  const plain = numberIn(text)
  if (plain !== null) return plain * second
  if (!/^(\d+(\.\d+)?(ms|d|h|m|s))+$/.test(text)) return null
  const parts = [...text.matchAll(/(?<![\d.])(\d+(?:\.\d+)?)(ms|d|h|m|s)/g)]
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (units[unit ?? ''] ?? 0), 0)
}

const numberIn = (text: string | undefined): number | null =>
  text !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(text) ? Number(text) : null

function unixSeconds(text: string | undefined): number | null {
  const seconds = numberIn(text)
  return seconds === null ? null : seconds * second
}

function fullest(readings: readonly Reading[]): Reading | undefined {
  return [...readings].sort((left, right) => right.utilization - left.utilization)[0]
}

/** An estimate from our own ledger: `used` tokens of an allowance since the oldest call at `since`. */
export function estimateReading(
  spent: { used: number; since: number | null },
  allowance: number,
  length: number,
): Reading {
  const resets_at = spent.since === null ? null : spent.since + length
  return { utilization: clamp(spent.used / allowance, 0, 1), resets_at }
}

import type { Context } from '../../context.ts'
import { zoneOfDays } from '../../monitoring/budget-limits.ts'
import { dayLabel, zoneReader } from '../../monitoring/zoned.ts'
import { day, iso } from '../../time.ts'
import { requireJob } from '../jobs.ts'
import { isFailure } from '../run-schema.ts'
import { latestRuns, type RunFact } from './store.ts'

/** Runs that are looked at; those of a job every second are more. */
const mostRuns = 10_000

/** What a job did over the last days: what ran, how long it took, what it cost. */
export async function jobStats(context: Context, id: string, days: number) {
  const job = await requireJob(context, id)
  const zone = job.schedule.timezone ?? (await zoneOfDays(context))
  const since = iso(context.clock.now() - days * day)
  const facts = await latestRuns(context, job.id, { since, limit: mostRuns })
  return {
    ...summarize(facts),
    by_day: byDay(facts, zone),
    timezone: zone,
    since,
    truncated: facts.length === mostRuns,
  }
}

/** Pure. Tries count each; what was skipped, missed or cancelled is no part of the rate. */
export function summarize(facts: readonly RunFact[]) {
  const count = (...statuses: string[]) => facts.filter(({ status }) => statuses.includes(status)).length
  const failed = facts.filter(({ status }) => isFailure(status))
  const succeeded = count('succeeded')
  const judged = succeeded + failed.length
  const durations = facts.flatMap(durationOf).sort((left, right) => left - right)
  const whole = durations.reduce((sum, seconds) => sum + seconds, 0)
  return {
    runs: facts.filter(({ started_at }) => started_at !== null).length,
    succeeded,
    failed: failed.length,
    cancelled: count('cancelled'),
    skipped: count('skipped'),
    missed: count('missed'),
    success_rate: judged === 0 ? null : succeeded / judged,
    avg_duration_seconds: durations.length === 0 ? null : whole / durations.length,
    p50_duration_seconds: rank(durations, 0.5),
    p95_duration_seconds: rank(durations, 0.95),
    last_error: failed[0]?.error ?? null,
    last_error_at: failed[0]?.completed_at ?? null,
    tokens: facts.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: facts.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
  }
}

/** Of runs that came to their own end. */
function durationOf({ status, started_at, completed_at }: RunFact): number[] {
  const counted = status === 'succeeded' || status === 'failed' || status === 'timed_out'
  if (!counted || started_at === null || completed_at === null) return []
  return [Math.max(0, Date.parse(completed_at) - Date.parse(started_at)) / 1_000]
}

/** The nearest rank: a duration that has been. */
const rank = (sorted: readonly number[], share: number): number | null =>
  sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? null

function byDay(facts: readonly RunFact[], zone: string) {
  const read = zoneReader(zone)
  const days = Map.groupBy(facts.toReversed(), ({ created_at }) => dayLabel(read(Date.parse(created_at))))
  return [...days].map(([date, those]) => {
    const { runs, succeeded, failed, missed, skipped, tokens, cost_usd } = summarize(those)
    return { date, runs, succeeded, failed, missed, skipped, tokens, cost_usd }
  })
}

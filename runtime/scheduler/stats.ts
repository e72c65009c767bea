import { owned } from '../auth/owner.ts'
import { callerTimeZone } from '../auth/profile.ts'
import type { Context } from '../context.ts'
import type { Host } from '../host.ts'
import { percentile } from '../numbers.ts'
import { longestWaitOf } from '../tick-times.ts'
import { day, iso, second } from '../time.ts'
import { dayLabel, startOfDay, zoneReader } from '../zones/wall-clock.ts'
import { schedulerState } from './enqueue-due.ts'
import { countAutonomousJobs, countJobs, nextDueJob } from './job-store.ts'
import { requireJob } from './jobs.ts'
import { countRunsNow, countRunsSince, latestRuns, type RunFact } from './run-store.ts'
import { isFailure } from './schema.ts'

/** Counts of the owner's jobs, and of their runs since midnight in `zone`. */
export async function schedulerStats(host: Context, zone: string) {
  const own = owned(host)
  const read = zoneReader(zone)
  const midnight = iso(startOfDay(dayLabel(read(host.clock.now())), read))
  const jobs = await countJobs(host, own)
  const { counts, avg_duration_seconds } = await countRunsSince(host, midnight, own)
  const { running = 0, queued = 0 } = await countRunsNow(host, own)
  const sum = (...statuses: (keyof typeof counts)[]) =>
    statuses.reduce((total, status) => total + (counts[status] ?? 0), 0)
  const succeeded = sum('succeeded')
  const failed = sum('failed', 'timed_out', 'lost')
  const runs = sum('queued', 'running', 'cancelled') + succeeded + failed
  return {
    total_jobs: jobs.active + jobs.paused + jobs.completed + jobs.failed,
    active_jobs: jobs.active,
    autopilot_active_jobs: await countAutonomousJobs(host, own),
    paused_jobs: jobs.paused,
    completed_jobs: jobs.completed,
    failed_jobs: jobs.failed,
    jobs_by_status: jobs,
    runs_today: runs,
    total_runs_today: runs,
    succeeded_today: succeeded,
    failed_today: failed,
    missed_today: sum('missed'),
    skipped_today: sum('skipped'),
    success_rate: ratio(succeeded, succeeded + failed),
    avg_duration_seconds,
    running,
    queued,
    next_run_at: await nextDueJob(host, own),
    timezone: zone,
  }
}

const ratio = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

/** Whether the scheduler is running, and when it next looks for due times. */
export function schedulerStatus({ process, clock }: Pick<Host, 'process' | 'clock'>) {
  return {
    running: process.ready && !process.stopping.aborted,
    tick_interval_seconds: longestWaitOf({ process }) / second,
    next_tick_at: iso(process.next_tick_at ?? clock.now()),
    jobs_checked_last_tick: schedulerState({ process }).jobs_checked,
  }
}

/** Maximum runs of a job that its statistics cover. */
const maxRuns = 10_000

/** Statistics of a job over the last days: outcomes, durations, cost. */
export async function jobStats(context: Context, id: string, days: number) {
  const job = await requireJob(context, id)
  const zone = job.schedule.timezone ?? (await callerTimeZone(context))
  const since = iso(context.clock.now() - days * day)
  const facts = await latestRuns(context, job.id, { since, limit: maxRuns })
  return {
    ...summarize(facts),
    by_day: byDay(facts, zone),
    timezone: zone,
    since,
    truncated: facts.length === maxRuns,
  }
}

/** Pure. Each attempt counts; skipped, missed and cancelled runs do not affect the success rate. */
export function summarize(facts: readonly RunFact[]) {
  const count = (name: string) => facts.filter(({ status }) => status === name).length
  const failed = facts.filter(({ status }) => isFailure(status))
  const succeeded = count('succeeded')
  const durations = facts.flatMap(durationOf).sort((left, right) => left - right)
  return {
    runs: facts.filter(({ started_at }) => started_at !== null).length,
    succeeded,
    failed: failed.length,
    cancelled: count('cancelled'),
    skipped: count('skipped'),
    missed: count('missed'),
    success_rate: ratio(succeeded, succeeded + failed.length),
    avg_duration_seconds: ratio(
      durations.reduce((sum, seconds) => sum + seconds, 0),
      durations.length,
    ),
    p50_duration_seconds: percentile(durations, 0.5),
    p95_duration_seconds: percentile(durations, 0.95),
    last_error: failed[0]?.error ?? null,
    last_error_at: failed[0]?.completed_at ?? null,
    tokens: facts.reduce((sum, { tokens }) => sum + tokens, 0),
    cost_usd: facts.reduce((sum, { cost_usd }) => sum + cost_usd, 0),
  }
}

/** Only of runs that were not interrupted. */
function durationOf({ status, started_at, completed_at }: RunFact): number[] {
  const counts = status === 'succeeded' || status === 'failed' || status === 'timed_out'
  if (!counts || started_at === null || completed_at === null) return []
  return [Math.max(0, Date.parse(completed_at) - Date.parse(started_at)) / 1_000]
}

function byDay(facts: readonly RunFact[], zone: string) {
  const read = zoneReader(zone)
  const days = Map.groupBy(facts.toReversed(), ({ created_at }) => dayLabel(read(Date.parse(created_at))))
  return [...days].map(([date, those]) => {
    const { runs, succeeded, failed, missed, skipped, tokens, cost_usd } = summarize(those)
    return { date, runs, succeeded, failed, missed, skipped, tokens, cost_usd }
  })
}

import type { Host } from '../host.ts'
import { dayLabel, startOfDay, zoneReader } from '../monitoring/zoned.ts'
import { longestWait } from '../tick-times.ts'
import { iso, second } from '../time.ts'
import { countJobs, nextDueJob } from './job-store.ts'
import { countRunsNow, countRunsSince } from './run-counts.ts'
import { schedulerState } from './state.ts'

/** How the scheduler stands, and what it did since midnight in `zone`. */
export async function schedulerStats(host: Host, zone: string) {
  const read = zoneReader(zone)
  const midnight = iso(startOfDay(dayLabel(read(host.clock.now())), read))
  const jobs = await countJobs(host)
  const { active = 0, paused = 0, completed = 0, failed = 0 } = jobs
  const today = await countRunsSince(host, midnight)
  const now = await countRunsNow(host)
  const of = (...statuses: string[]) => statuses.reduce((sum, status) => sum + (today[status] ?? 0), 0)
  return {
    total_jobs: active + paused + completed + failed,
    active_jobs: active,
    paused_jobs: paused,
    completed_jobs: completed,
    failed_jobs: failed,
    runs_today: of('queued', 'running', 'succeeded', 'failed', 'timed_out', 'cancelled', 'lost'),
    succeeded_today: of('succeeded'),
    failed_today: of('failed', 'timed_out', 'lost'),
    missed_today: of('missed'),
    skipped_today: of('skipped'),
    running: now.running ?? 0,
    queued: now.queued ?? 0,
    next_run_at: await nextDueJob(host),
    timezone: zone,
  }
}

/** Whether due times are looked for, and when they were last. */
export function schedulerStatus({ process, clock }: Pick<Host, 'process' | 'clock'>) {
  return {
    running: process.ready && !process.stopping.aborted,
    tick_interval_seconds: longestWait / second,
    next_tick_at: iso(process.next_tick_at ?? clock.now()),
    jobs_checked_last_tick: schedulerState({ process }).jobs_checked,
  }
}

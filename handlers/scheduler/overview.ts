import { z } from 'zod'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { zoneOfDays } from '../../runtime/monitoring/budget-limits.ts'
import { validateSchedule } from '../../runtime/scheduler/next-run.ts'
import { schedulerStats, schedulerStatus } from '../../runtime/scheduler/stats.ts'
import { requireTimeZone } from '../../runtime/time.ts'

const count = z.number().int()

export const validate = endpoint({
  method: 'GET',
  path: '/api/scheduler/validate',
  summary: 'Whether a schedule is valid, and its next 5 times',
  query: z.object({
    type: z.enum(['cron', 'every', 'at']),
    value: z.string().max(200).meta({ description: 'The expression, the seconds, or the date and time' }),
    timezone: z.string().max(64).optional(),
    starts_at: z.string().max(40).optional().meta({ description: 'Of every: the first time' }),
  }),
  returns: z.object({ valid: z.boolean(), error: z.string().optional(), next_runs: z.array(z.string()) }),
  async run({ query: { timezone, ...wish } }, context) {
    const zone = timezone ?? (await zoneOfDays(context))
    return validateSchedule({ ...wish, timezone: zone }, context.clock.now())
  },
})

export const stats = endpoint({
  method: 'GET',
  path: '/api/scheduler/stats',
  summary: 'Counts of jobs, and of the runs since midnight',
  query: z.object({ tz: z.string().max(64).default('UTC') }),
  returns: z.object({
    total_jobs: count,
    active_jobs: count,
    autopilot_active_jobs: count.meta({ description: 'Active jobs in the mode autonomous' }),
    paused_jobs: count,
    completed_jobs: count,
    failed_jobs: count,
    jobs_by_status: z.object({ active: count, paused: count, completed: count, failed: count }),
    runs_today: count,
    total_runs_today: count,
    succeeded_today: count,
    failed_today: count,
    missed_today: count,
    skipped_today: count,
    success_rate: z.number().nullable().meta({ description: 'Today, 0 to 1; null if no run has ended' }),
    avg_duration_seconds: z.number().nullable().meta({ description: 'Today; null if no run has ended' }),
    running: count,
    queued: count,
    next_run_at: z.string().nullable(),
    timezone: z.string(),
  }),
  async run({ query: { tz } }, context) {
    return schedulerStats(context, requireTimeZone(tz, 'tz'))
  },
})

export const status = endpoint({
  method: 'GET',
  path: '/api/scheduler/status',
  summary: 'Whether due times are looked for, and when they were last',
  returns: z.object({
    running: z.boolean(),
    tick_interval_seconds: z.number(),
    next_tick_at: z.string(),
    jobs_checked_last_tick: count,
  }),
  run: (_, context) => schedulerStatus(context),
})

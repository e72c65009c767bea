import { z } from 'zod'
import { callerTimeZone } from '../../runtime/auth/profile.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { ParsedSchedule, parseSchedule } from '../../runtime/scheduler/plain-words.ts'
import { ScheduleWords } from '../../runtime/scheduler/schema.ts'
import { schedulerStats, schedulerStatus } from '../../runtime/scheduler/stats.ts'
import { validateSchedule } from '../../runtime/schedules/next-run.ts'
import { isTimeZone, requireTimeZone } from '../../runtime/time.ts'

const count = z.int()

export const validate = endpoint('GET /api/scheduler/validate', {
  owner: 'none',
  summary: 'Check a schedule and list its next 5 due times',
  query: z.object({
    type: z.enum(['cron', 'every', 'at']),
    value: z.string().max(200).meta({ description: 'The expression, the seconds, or the date and time' }),
    timezone: z.string().max(64).optional(),
    starts_at: z.string().max(40).optional().meta({ description: 'For every: the first due time' }),
  }),
  returns: z.object({ valid: z.boolean(), error: z.string().optional(), next_runs: z.array(z.string()) }),
  async run({ query: { timezone, ...wish } }, context) {
    const zone = timezone ?? (await callerTimeZone(context))
    return validateSchedule({ ...wish, timezone: zone }, context.clock.now())
  },
})

export const stats = endpoint('GET /api/scheduler/stats', {
  summary: 'Count jobs, and runs since midnight',
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
  run: ({ query: { tz } }, context) => schedulerStats(context, requireTimeZone(tz, 'tz')),
})

export const status = endpoint('GET /api/scheduler/status', {
  owner: 'none',
  summary: 'Get whether the scheduler is running, and its last and next tick',
  returns: z.object({
    running: z.boolean(),
    tick_interval_seconds: z.number(),
    next_tick_at: z.string(),
    jobs_checked_last_tick: count,
  }),
  run: (_, context) => schedulerStatus(context),
})

const zone = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

export const parseNl = endpoint('POST /api/scheduler/parse-nl', {
  owner: 'none',
  summary: 'Parse a schedule in plain language; a 422 says why it cannot be parsed',
  body: z.object({
    text: ScheduleWords,
    timezone: zone.optional().meta({ description: 'Default: the time zone of the profile' }),
    split: z
      .boolean()
      .optional()
      .meta({ description: 'The text may also say what to do; that part is returned as `goal`' }),
    preview: z
      .boolean()
      .optional()
      .meta({ description: 'Parse by rules only: no model is called while a person types' }),
  }),
  returns: ParsedSchedule,
  run: ({ body }, context) => parseSchedule(context, body),
})

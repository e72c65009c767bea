import { z } from 'zod'
import { callerTimeZone } from '../../runtime/auth/profile.ts'
import type { Context } from '../../runtime/context.ts'
import { badRequest } from '../../runtime/fault.ts'
import { endpoint } from '../../runtime/http/endpoint.ts'
import { activity, heatmapOf, Suggestion, suggestionDays, suggestionsOf } from '../../runtime/scheduler/activity.ts'
import { calendar, countedCalendar } from '../../runtime/scheduler/calendar.ts'
import { CalendarEvent } from '../../runtime/scheduler/schema.ts'
import { jobStats } from '../../runtime/scheduler/stats.ts'
import { parseInstant } from '../../runtime/schedules/next-run.ts'
import { day, requireTimeZone } from '../../runtime/time.ts'

const tz = z.string().max(64).optional().meta({ description: 'Default: the time zone of the profile' })
const count = z.int()
const seconds = z.number().nullable()

const zoneOf = async (context: Context, tz: string | undefined): Promise<string> =>
  tz === undefined ? callerTimeZone(context) : requireTimeZone(tz, 'tz')

const days = (fallback: number) => z.coerce.number().int().min(1).max(366).default(fallback)

const counts = { runs: count, succeeded: count, failed: count, missed: count, skipped: count }

export const stats = endpoint('GET /api/scheduler/jobs/{id}/stats', {
  summary: 'Get statistics of a job over the last days: outcomes, durations, cost',
  query: z.object({ days: days(30) }),
  returns: z.object({
    ...counts,
    cancelled: count,
    success_rate: z.number().nullable().meta({ description: '0 to 1; null if no run has ended' }),
    avg_duration_seconds: seconds,
    p50_duration_seconds: seconds,
    p95_duration_seconds: seconds,
    last_error: z.string().nullable(),
    last_error_at: z.string().nullable(),
    tokens: count,
    cost_usd: z.number(),
    by_day: z.array(z.object({ date: z.string(), ...counts, tokens: count, cost_usd: z.number() })),
    timezone: z.string(),
    since: z.string(),
    truncated: z.boolean().meta({ description: 'Only the latest 10,000 runs are included' }),
  }),
  run: ({ params, query }, context) => jobStats(context, params.id, query.days),
})

const moment = z
  .string()
  .max(40)
  .regex(/^\d{4}-\d\d-\d\d([T ]\d\d:\d\d.*)?$/, 'must be a date, or a date and time of ISO 8601')
  .optional()

const calendarAt = <const Path extends string>(path: Path) =>
  endpoint(`GET ${path}`, {
    summary: 'List past and planned due times, by default for 31 days from today',
    query: z.object({
      start: moment,
      end: moment,
      tz,
      group: z
        .enum(['hour', 'day'])
        .optional()
        .meta({ description: 'Count the runs of a job per hour or day instead of listing each' }),
    }),
    returns: z.object({
      events: z.array(CalendarEvent),
      truncated: z.boolean(),
      start: z.string(),
      end: z.string(),
      timezone: z.string(),
    }),
    async run({ query }, context) {
      const timezone = await zoneOf(context, query.tz)
      const today = new Date(context.clock.now()).toLocaleDateString('sv-SE', { timeZone: timezone })
      const start = instantIn(query.start ?? today, 'start', timezone)
      const end = query.end === undefined ? start + 31 * day : instantIn(query.end, 'end', timezone)
      const span = { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
      const { group } = query
      const days = group
        ? await countedCalendar(context, { start, end, group, zone: timezone })
        : await calendar(context, { start, end })
      return { ...days, ...span, timezone }
    },
  })

/** A date without a time is its local midnight. */
function instantIn(text: string, name: string, zone: string): number {
  const whole = text.length === 10 ? `${text}T00:00` : text.replace(' ', 'T')
  if (Number.isNaN(Date.parse(whole))) throw badRequest(`${name} must be a date such as 2026-03-01, or a date and time`)
  return parseInstant(whole, zone)
}

export const calendarData = calendarAt('/api/scheduler/calendar-data')

/** The misspelt path of the published API. */
export const calendarDataa = calendarAt('/api/scheduler/calendar-dataa')

export const heatmap = endpoint('GET /api/scheduler/smart/heatmap', {
  summary: 'Get when people chat or start jobs manually, by weekday (Monday first) and hour',
  query: z.object({ tz, days: days(90) }),
  returns: z.object({ timezone: z.string(), grid: z.array(z.array(count)), max: count }),
  async run({ query }, context) {
    const timezone = await zoneOf(context, query.tz)
    return heatmapOf(await activity(context, timezone, query.days), timezone)
  },
})

export const suggestions = endpoint('GET /api/scheduler/smart/suggestions', {
  summary: 'Suggest schedules from weekly habits',
  query: z.object({ tz }),
  returns: z.object({
    suggestions: z.array(Suggestion),
  }),
  async run({ query }, context) {
    const timezone = await zoneOf(context, query.tz)
    const moments = await activity(context, timezone, suggestionDays)
    return { suggestions: suggestionsOf(moments) }
  },
})

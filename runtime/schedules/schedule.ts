import { z } from 'zod'
import { errorMessage } from '../thrown.ts'
import { iso, isTimeZone } from '../time.ts'
import { readCron } from './cron.ts'

/** Seconds; one leap year. */
const maxInterval = 366 * 24 * 3_600

const zone = z.string().max(64).refine(isTimeZone, 'must be an IANA time zone such as Europe/Berlin')

export const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00')

/** A cron expression that is due at some time. */
export const CronExpression = z
  .string()
  .max(200)
  .superRefine((text, issue) => {
    try {
      readCron(text)
    } catch (thrown) {
      issue.addIssue({ code: 'custom', message: errorMessage(thrown) })
    }
  })

/** `Date.parse` reads 31 February as 3 March. */
const isDate = (text: string) => iso(Date.parse(text)).startsWith(text)

const datetime = z
  .string()
  .max(40)
  .refine(
    (text) =>
      /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d/.test(text) && !Number.isNaN(Date.parse(text)) && isDate(text.slice(0, 10)),
    'must be an ISO 8601 date and time such as 2026-03-01T09:00:00+01:00',
  )

/** Without a time zone, the zone of the profile is used and stored with the job. */
export const Schedule = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('cron'),
    expression: CronExpression,
    /**
     * Further expressions, for times that one cannot express, such as 7:30 and 19:00. The job is due when any
     * matches.
     */
    also: z.array(CronExpression).min(1).max(24).optional(),
    timezone: zone.optional(),
  }),
  z.object({
    type: z.literal('every'),
    /** Seconds. */
    interval: z.int().min(1).max(maxInterval),
    /**
     * The first due time; by default one interval after the job was created. Without an offset it is local
     * time, and intervals of whole days then keep their local time.
     */
    starts_at: datetime.optional(),
    timezone: zone.optional(),
  }),
  z.object({ type: z.literal('at'), datetime, timezone: zone.optional() }),
])
export type Schedule = z.output<typeof Schedule>

import { z } from 'zod'
import type { Context } from '../context.ts'
import { countEventsByBucket, countEventsByType, oldestEvent } from '../events/commit.ts'
import { hour, iso } from '../time.ts'
import { lengths, UsagePeriod } from './usage.ts'
import { bucketsOf } from './zoned.ts'

const count = z.number().int()

export const Activity = z.object({
  period: UsagePeriod,
  tz: z.string(),
  from: z.string(),
  to: z.string(),
  available_from: z
    .string()
    .nullable()
    .meta({ description: 'Time of the oldest stored event; events are deleted after about a week' }),
  total: count,
  /** The most frequent type first. */
  types: z.array(z.object({ type: z.string(), count, last_at: z.string() })),
  series: z.array(z.object({ bucket: z.string(), label: z.string(), count })),
})
export type Activity = z.output<typeof Activity>

/** The events of a period that the caller may see, by type and by hour or day. */
export async function readActivity(context: Context, period: UsagePeriod, tz: string): Promise<Activity> {
  const now = context.clock.now()
  const from = now - lengths[period]
  const stretch = { from: iso(from), to: iso(now + 1) }
  const types = await countEventsByType(context, stretch)
  const unit = lengths[period] <= 24 * hour ? 'hour' : 'day'
  const buckets = bucketsOf({ from, to: now + 1, unit }, tz)
  const counts = await countEventsByBucket(
    context,
    buckets.map(({ start, end }) => ({ from: iso(start), to: iso(end) })),
  )
  return {
    period,
    tz,
    from: stretch.from,
    to: iso(now),
    available_from: await oldestEvent(context),
    total: types.reduce((sum, one) => sum + one.count, 0),
    types,
    series: buckets.map(({ start, label }, index) => ({
      bucket: iso(start),
      label,
      count: counts[index] ?? 0,
    })),
  }
}

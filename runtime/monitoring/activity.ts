import { z } from 'zod'
import type { Context } from '../context.ts'
import { countEventsByBucket, countEventsByType, oldestEvent } from '../events/commit.ts'
import { sumOf } from '../numbers.ts'
import { iso } from '../time.ts'
import { bucketsOf } from '../zones/wall-clock.ts'
import { periodSpan, UsagePeriod } from './usage.ts'

const count = z.int()

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
  const span = periodSpan(now, period, tz)
  const stretch = { from: iso(span.from), to: iso(span.to) }
  const types = await countEventsByType(context, stretch)
  const buckets = bucketsOf(span, tz)
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
    total: sumOf(types, (one) => one.count),
    types,
    series: buckets.map(({ start, label }, index) => ({
      bucket: iso(start),
      label,
      count: counts[index] ?? 0,
    })),
  }
}

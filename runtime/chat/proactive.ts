import { z } from 'zod'
import { TimeOfDay } from '../schedules/schedule.ts'
import { defineSection } from '../sections/section.ts'
import { minute } from '../time.ts'
import { zoneReader } from '../zones/wall-clock.ts'
import { dueAgain } from './check-in-store.ts'

/** Hours of each day, in a person's time zone. */
export const Hours = z
  .object({
    start: TimeOfDay.meta({ title: 'From', format: 'time-of-day' }),
    end: TimeOfDay.meta({ title: 'Until', format: 'time-of-day' }),
  })
  .refine(({ start, end }) => start !== end, { path: ['end'], message: 'must differ from the start' })
export type Hours = z.output<typeof Hours>

export const ProactiveSettings = z.object({
  enabled: z.boolean().meta({ title: 'Proactive agents', description: 'Agents may start conversations on their own' }),
  check_ins: z.boolean().meta({ title: 'Check-ins', description: 'Agents check on tasks that they are waiting for' }),
  max_per_day: z
    .int()
    .min(1)
    .max(1_000)
    .meta({ title: 'Daily limit', description: 'Further messages wait until the next day', unit: 'per day' }),
  quiet_hours: Hours.nullable().meta({
    title: 'Quiet hours',
    description: 'In your profile’s time zone. Messages wait until quiet hours end',
  }),
})
export type ProactiveSettings = z.output<typeof ProactiveSettings>

export const proactiveSettings = defineSection({
  name: 'proactive',
  title: 'what agents may start without being asked',
  schema: ProactiveSettings,
  defaults: () => ({ enabled: true, check_ins: true, max_per_day: 50, quiet_hours: null }),
  // Waiting check-ins are checked against the new rules.
  also: () => [dueAgain()],
})

/** All UTC offsets, and all their changes, are multiples of this. */
const quarter = 15 * minute
const quartersOfTwoDays = 2 * 24 * 4

/**
 * The first moment at or after `at` that is not quiet, in milliseconds since the epoch; `at` itself if it is
 * not quiet. Hours are local time: an hour that a clock change skips is not quiet, and one that it repeats is
 * quiet both times.
 */
export function quietUntil(hours: Hours | null, zone: string, at: number): number {
  if (!hours) return at
  const isQuiet = duringOf(hours, zone)
  if (!isQuiet(at)) return at
  let last = Math.floor(at / quarter) * quarter
  for (let tries = 0; isQuiet(last + quarter) && tries < quartersOfTwoDays; tries += 1) last += quarter
  const first = Math.max(Math.floor(at / minute) * minute, last) + minute
  for (let moment = first; moment < last + quarter; moment += minute) if (!isQuiet(moment)) return moment
  return last + quarter
}

/** Returns whether a moment, in milliseconds since the epoch, is within the hours of a zone. */
export function duringOf(hours: Hours, zone: string): (moment: number) => boolean {
  const read = zoneReader(zone)
  return (moment) => {
    const { hour, offset } = read(moment)
    return isWithin(hours, hour * 60 + minuteOfHour(moment, offset))
  }
}

/** Whether a local time, in minutes after midnight, is within the hours; the end is not. */
function isWithin({ start, end }: Hours, now: number): boolean {
  const minutesOf = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))
  const [from, until] = [minutesOf(start), minutesOf(end)]
  return from < until ? from <= now && now < until : now >= from || now < until
}

/** Current offsets are whole minutes; those of the 19th century do not matter here. */
const minuteOfHour = (moment: number, offset: number): number => ((Math.floor(moment / minute + offset) % 60) + 60) % 60

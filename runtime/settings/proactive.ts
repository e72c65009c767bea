import { z } from 'zod'
import { dueAgain } from '../chat/check-in-store.ts'
import { type Section, subsetOf } from './section.ts'

const TimeOfDay = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day such as 22:00')

export const QuietHours = z
  .object({
    start: TimeOfDay.meta({ title: 'From', format: 'time-of-day' }),
    end: TimeOfDay.meta({ title: 'Until', format: 'time-of-day' }),
  })
  .refine(({ start, end }) => start !== end, { path: ['end'], message: 'must differ from the start' })
export type QuietHours = z.output<typeof QuietHours>

export const ProactiveSettings = z.object({
  enabled: z
    .boolean()
    .meta({ title: 'Proactive', description: 'Agents may begin to speak without being asked' }),
  check_ins: z
    .boolean()
    .meta({ title: 'Check-ins', description: 'Agents come back to what they were waiting for' }),
  max_per_day: z
    .number()
    .int()
    .min(1)
    .max(1_000)
    .meta({ title: 'At most', description: 'More wait for the next day', unit: 'a day' }),
  quiet_hours: QuietHours.nullable().meta({
    title: 'Quiet hours',
    description: 'In the time zone of the profile. What is due in them waits for their end',
  }),
})
export type ProactiveSettings = z.output<typeof ProactiveSettings>

export const ProactiveChange = subsetOf(ProactiveSettings)

/** What agents may begin by themselves. What waits is looked at anew with every change. */
export const proactiveSettings: Section<typeof ProactiveSettings> = {
  name: 'proactive',
  schema: ProactiveSettings,
  defaults: () => ({ enabled: true, check_ins: true, max_per_day: 50, quiet_hours: null }),
  also: () => [dueAgain()],
}

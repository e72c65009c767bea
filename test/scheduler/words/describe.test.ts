import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type CronDays, cronOfTimes } from '../../../runtime/english/schedules/cron-text.ts'
import { parseWords } from '../../../runtime/english/schedules/parse.ts'
import { humanReadable } from '../../../runtime/scheduler/describe.ts'
import { nextRuns } from '../../../runtime/schedules/next-run.ts'
import { Schedule } from '../../../runtime/schedules/schedule.ts'
import { berlin, monday } from './kit.ts'

const viewer = { zone: berlin, now: monday }
const cron = (expression: string) => Schedule.parse({ type: 'cron', expression })

test.each([
  ['0 9 * * 1-5', 'Every weekday at 09:00'],
  ['0 9 * * MON,WED-FRI', 'Every Monday, Wednesday, Thursday and Friday at 09:00'],
  ['30 7,19 * * *', 'Every day at 07:30 and 19:30'],
  ['*/15 9-16 * * 1-5', 'Every 15 minutes from 09:00 to 16:45 every weekday'],
  ['0 9-17/2 * * *', 'Every 2 hours from 09:00 to 17:00'],
  ['*/5 * * * *', 'Every 5 minutes by the clock'],
  ['15 * * * *', 'Every hour at :15'],
  ['0 * * * *', 'Every hour by the clock'],
  ['0 9 L * *', 'On the last day of the month at 09:00'],
  ['0 9 1,15,L * *', 'On the 1st, 15th and last day of the month at 09:00'],
  ['0 12 * * 1#1', 'On the first Monday of the month at 12:00'],
  ['0 12 * * FRI#L', 'On the last Friday of the month at 12:00'],
  ['0 12 * 6,12 5L', 'On the last Friday of the month in June and December at 12:00'],
  ['0 18 24 12 *', 'Every 24 December at 18:00'],
  ['0 9 1 */3 *', 'On the 1st of the month in January, April, July and October at 09:00'],
  ['0 9 13 * FRI', 'On the 13th of the month or every Friday at 09:00'],
  ['10 30 9 * * *', 'Every day at 09:30:10'],
  ['*/30 * * * * 1-5', 'Every 30 seconds by the clock every weekday'],
  ['@daily', 'Every day at 00:00'],
  ['@weekly', 'Every Sunday at 00:00'],
  ['0 9 * * 7', 'Every Sunday at 09:00'],
  ['*/7 * * * *', 'By the cron expression */7 * * * *'],
  ['0-59/7,3 * * * 1', 'By the cron expression 0-59/7,3 * * * 1'],
])('%s', (expression, words) => {
  expect(humanReadable(cron(expression), viewer)).toBe(words)
})

test.each<[unknown, string]>([
  [{ type: 'every', interval: 90 }, 'Every 90 seconds'],
  [{ type: 'every', interval: 7_200 }, 'Every 2 hours'],
  [{ type: 'every', interval: 86_400 }, 'Every 24 hours'],
  [{ type: 'every', interval: 604_800 }, 'Every 7 days'],
  [
    { type: 'every', interval: 1_209_600, starts_at: '2026-01-13T09:00' },
    'Every 2 weeks from Tuesday 13 January 2026 at 09:00',
  ],
  [{ type: 'every', interval: 3_600, starts_at: '2026-01-13T09:00:00Z' }, 'Every hour from 2026-01-13T09:00:00Z'],
  [{ type: 'at', datetime: '2026-01-05T17:00' }, 'Once, today at 17:00'],
  [{ type: 'at', datetime: '2026-01-06T16:00:00.000Z' }, 'Once, tomorrow at 17:00'],
  [{ type: 'at', datetime: '2026-12-24T17:00:00Z' }, 'Once, Thursday 24 December 2026 at 18:00'],
  [{ type: 'cron', expression: '0 9 * * *', timezone: 'Asia/Tokyo' }, 'Every day at 09:00 (Asia/Tokyo time)'],
  [{ type: 'cron', expression: '30 7 * * 1', also: ['0 19 * * 1'] }, 'Every Monday at 07:30 and 19:00'],
  [
    { type: 'cron', expression: '30 7 * * 1', also: ['0 19 * * 2'] },
    'Every Monday at 07:30; also every Tuesday at 19:00',
  ],
])('%j', (schedule, words) => {
  expect(humanReadable(Schedule.parse(schedule), viewer)).toBe(words)
})

const some = (from: number, to: number, most: number) =>
  fc
    .uniqueArray(fc.integer({ min: from, max: to }), { minLength: 1, maxLength: most })
    .map((list) => list.sort((a, b) => a - b))
const zone = fc.constantFrom(berlin, 'America/New_York', 'Asia/Kolkata', 'UTC', 'Etc/GMT-2')

const days: fc.Arbitrary<CronDays> = fc.oneof(
  fc.record({
    weekdays: fc.option(some(0, 6, 6)),
    nth: fc.constant([]),
    monthDays: fc.constant([]),
    months: fc.option(some(1, 12, 11)),
  }),
  fc.record({
    weekdays: fc.constant(null),
    nth: fc.constant([]),
    monthDays: fc.oneof(some(1, 28, 5), fc.constant([-1])),
    months: fc.option(some(1, 12, 11)),
  }),
  fc.record({
    weekdays: fc.constant(null),
    nth: fc
      .tuple(fc.constantFrom(1, 2, 3, 4, 5, -1), fc.integer({ min: 0, max: 6 }))
      .map(([nth, weekday]) => [{ nth, weekday }]),
    monthDays: fc.constant([]),
    months: fc.option(some(1, 12, 11)),
  }),
)
const minute = fc.integer({ min: 0, max: 1_439 }).map((minutes) => minutes * 60)
const times = fc.oneof(
  fc.uniqueArray(minute, { minLength: 1, maxLength: 6 }).map((list) => list.sort((a, b) => a - b)),
  fc
    .tuple(
      fc.integer({ min: 0, max: 12 }),
      fc.integer({ min: 1, max: 11 }),
      fc.constantFrom(600, 900, 1_200, 1_800, 3_600, 5_400, 7_200),
    )
    .map(([from, hours, step]) =>
      Array.from({ length: Math.ceil((hours * 3_600) / step) }, (_, index) => from * 3_600 + index * step),
    ),
)

const generated = fc.oneof(
  fc.tuple(times, days, zone).map(([list, on, timezone]) => Schedule.parse({ ...cronOfTimes(list, on), timezone })),
  fc
    .tuple(fc.integer({ min: 10, max: 3_000_000 }), zone)
    .map(([interval, timezone]) => Schedule.parse({ type: 'every', interval, timezone })),
  fc
    .tuple(
      fc.integer({ min: 1, max: 40 }),
      fc.constantFrom(3_600, 86_400, 604_800),
      fc.integer({ min: 3, max: 500 }),
      minute,
      zone,
    )
    .map(([count, unit, day, time, timezone]) => {
      const starts_at = new Date(Date.UTC(2026, 0, day) + time * 1_000).toISOString().slice(0, 16)
      return Schedule.parse({ type: 'every', interval: count * unit, starts_at, timezone })
    })
    .filter((schedule) => schedule.type === 'every' && Date.parse(`${schedule.starts_at}Z`) > Date.parse('2026-01-07')),
  fc
    .tuple(fc.integer({ min: 1, max: 900_000 }), zone)
    .map(([minutes, timezone]) =>
      Schedule.parse({ type: 'at', datetime: new Date(monday + minutes * 60_000).toISOString(), timezone }),
    ),
)

test('the description of a schedule is parsed as the same schedule', async () => {
  await fc.assert(
    fc.asyncProperty(generated, async (schedule) => {
      const words = humanReadable(schedule, viewer)
      const read = await parseWords(words, viewer)
      expect(read.ok ? due(read.schedule) : read.reason, words).toEqual(due(schedule))
      if (read.ok && schedule.type !== 'at') expect(read.schedule, words).toEqual(sorted(schedule, read.schedule))
    }),
    { numRuns: 400 },
  )
})

const due = (schedule: Schedule) => nextRuns(schedule, monday, { zone: berlin, anchor: monday, count: 6 })

/** Several expressions mean the same in any order. */
function sorted(schedule: Schedule, like: Schedule): Schedule {
  if (schedule.type !== 'cron' || like.type !== 'cron' || !schedule.also) return schedule
  const all = [schedule.expression, ...schedule.also].sort()
  const same = [like.expression, ...(like.also ?? [])].sort()
  return all.join() === same.join() ? like : schedule
}

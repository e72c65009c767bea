import { IANAZone } from 'luxon'
import { expect, test } from 'vitest'
import { readCron } from '../../runtime/schedules/cron.ts'
import { nextRun, nextRuns } from '../../runtime/schedules/next-run.ts'
import type { Schedule } from '../../runtime/schedules/schedule.ts'
import { day, hour, iso, minute } from '../../runtime/time.ts'

const place = { zone: 'UTC', anchor: 0 }

const cron = (expression: string, timezone = 'UTC'): Schedule => ({ type: 'cron', expression, timezone })

const after = (schedule: Schedule, from: string, count = 1) =>
  nextRuns(schedule, Date.parse(from), { ...place, count }).map((at) => iso(at).slice(0, 19))

test.each<[string, string, string[]]>([
  ['0 9 * * *', '2026-03-01T09:00:00Z', ['2026-03-02T09:00:00', '2026-03-03T09:00:00']],
  ['0 9 * * MON-FRI', '2026-03-06T12:00:00Z', ['2026-03-09T09:00:00']],
  ['*/20 9-10 * * *', '2026-03-01T09:30:00Z', ['2026-03-01T09:40:00', '2026-03-01T10:00:00']],
  ['0 0 1 jan,jul *', '2026-03-01T00:00:00Z', ['2026-07-01T00:00:00', '2027-01-01T00:00:00']],
  ['0 12 L * *', '2026-02-01T00:00:00Z', ['2026-02-28T12:00:00', '2026-03-31T12:00:00']],
  ['0 12 * * MON#1', '2026-03-03T00:00:00Z', ['2026-04-06T12:00:00']],
  ['0 12 * * FRI#L', '2026-03-01T00:00:00Z', ['2026-03-27T12:00:00']],
  ['0 9 13 * FRI', '2026-03-01T00:00:00Z', ['2026-03-06T09:00:00', '2026-03-13T09:00:00']],
  ['0 9 1 * 7', '2026-03-29T12:00:00Z', ['2026-04-01T09:00:00', '2026-04-05T09:00:00']],
  ['0 0 29 2 *', '2026-03-01T00:00:00Z', ['2028-02-29T00:00:00']],
  ['30 59 23 * * *', '2026-03-01T00:00:00Z', ['2026-03-01T23:59:30']],
  ['*/15 * * * * *', '2026-03-01T00:00:14Z', ['2026-03-01T00:00:15', '2026-03-01T00:00:30']],
  ['@daily', '2026-03-01T00:00:00Z', ['2026-03-02T00:00:00']],
  ['@weekly', '2026-03-02T00:00:00Z', ['2026-03-08T00:00:00']],
  ['@hourly', '2026-03-02T00:00:00Z', ['2026-03-02T01:00:00']],
])('%s', (expression, from, expected) => {
  expect(after(cron(expression), from, expected.length)).toEqual(expected)
})

const newYork = 'America/New_York'

/** Spring 2026 in New York: 2:00 to 3:00 on 8 March does not exist. Autumn: 1:00 to 2:00 on 1 November comes twice. */
test.each<[string, string, string, string[]]>([
  ['0,30 2 * * *', newYork, '2026-03-08T00:00:00Z', ['2026-03-08T07:00:00', '2026-03-09T06:00:00']],
  ['30 2 * * *', newYork, '2026-03-08T00:00:00Z', ['2026-03-08T07:00:00', '2026-03-09T06:30:00']],
  ['0 2,3 * * *', newYork, '2026-03-08T00:00:00Z', ['2026-03-08T07:00:00', '2026-03-09T06:00:00']],
  ['0 * * * *', newYork, '2026-03-08T05:30:00Z', ['2026-03-08T06:00:00', '2026-03-08T07:00:00']],
  ['0 */2 * * *', newYork, '2026-03-08T05:30:00Z', ['2026-03-08T08:00:00']],
  [
    '0,30 1 * * *',
    newYork,
    '2026-11-01T00:00:00Z',
    ['2026-11-01T05:00:00', '2026-11-01T05:30:00', '2026-11-02T06:00:00'],
  ],
  ['0 * * * *', newYork, '2026-11-01T04:30:00Z', ['2026-11-01T05:00:00', '2026-11-01T06:00:00', '2026-11-01T07:00:00']],
  ['0 2 * * *', newYork, '2026-11-01T06:30:00Z', ['2026-11-01T07:00:00']],
  ['15 2 * * *', 'Australia/Lord_Howe', '2026-10-03T14:00:00Z', ['2026-10-03T15:30:00', '2026-10-04T15:15:00']],
  ['0 0 * * *', 'America/Santiago', '2026-09-05T12:00:00Z', ['2026-09-06T04:00:00', '2026-09-07T03:00:00']],
  // 30 December did not happen there, so nothing is made up for.
  ['0 12 * * *', 'Pacific/Apia', '2011-12-30T00:00:00Z', ['2011-12-30T22:00:00', '2011-12-31T22:00:00']],
  ['0 12 30 12 *', 'Pacific/Apia', '2011-12-29T00:00:00Z', ['2012-12-29T22:00:00']],
  // A fixed hour in the gap runs once, however many of its minutes match.
  ['*/15 2 * * *', newYork, '2026-03-08T00:00:00Z', ['2026-03-08T07:00:00', '2026-03-09T06:00:00']],
])('%s in %s', (expression, zone, from, expected) => {
  expect(after(cron(expression, zone), from, expected.length)).toEqual(expected)
})

test('every counts elapsed time from its anchor, even if the clock is set back before it', () => {
  const anchor = Date.parse('2026-03-08T06:30:00Z')
  const schedule: Schedule = { type: 'every', interval: 7_200, timezone: newYork }
  const next = (from: number) => nextRun(schedule, from, { zone: newYork, anchor })
  expect([anchor, anchor + 1, anchor + 2 * hour, anchor - day].map(next)).toEqual(
    [2, 2, 4, -22].map((hours) => anchor + hours * hour),
  )
})

test('at runs once; without an offset it is local time', () => {
  expect(after({ type: 'at', datetime: '2026-07-01T09:00:00+02:00' }, '2026-03-01T00:00:00Z', 2)).toEqual([
    '2026-07-01T07:00:00',
  ])
  expect(after({ type: 'at', datetime: '2026-07-01T09:00', timezone: newYork }, '2026-03-01T00:00:00Z')).toEqual([
    '2026-07-01T13:00:00',
  ])
  expect(after({ type: 'at', datetime: '2026-01-01T09:00:00Z' }, '2026-03-01T00:00:00Z')).toEqual([])
})

test.each([
  '',
  '* * * *',
  '60 * * * *',
  '* 24 * * *',
  '* * 0 * *',
  '* * * 13 *',
  '* * * * 8',
  '*/0 * * * *',
  '10-5 * * * *',
  '0 0 30 2 *',
  '2026-01-01T00:00:00',
  '0 0 0 1 1 * 2027',
  '@reboot',
  'every day',
  '0 9 15W * *',
  '0 9 +1 * 1',
])('refuses %j and says why', (expression) => {
  expect(() => readCron(expression)).toThrow(/\w+ \w+/)
})

/** Checked around the changes of the clock only: 79,000 runs a year. */
const often = '*/7 * * * *'

const expressions = [
  '0 * * * *',
  often,
  '30 */2 * * *',
  '0,30 2 * * *',
  '15,45 1 * * *',
  '*/20 0-3 * * *',
  '0 0 * * *',
  '59 23 * * *',
  '30 2 * * SUN',
  '0 3 1,15 * *',
]

interface Span {
  from: number
  to: number
}

const quarter = 15 * minute

/** The offset of each quarter of an hour, in minutes: every change of a clock is at one. */
function offsetsOf(clock: IANAZone, { from, to }: Span): number[] {
  const offsets: number[] = []
  for (let at = from; at <= to; at += hour) {
    const [before, after] = [clock.offset(at), clock.offset(at + hour)]
    for (let part = 0; part < hour; part += quarter) offsets.push(before === after ? before : clock.offset(at + part))
  }
  return offsets
}

const fieldsOf = (expression: string) => {
  const [minutes = '', hours = '', days = '', , weekdays = ''] = expression.split(' ')
  const set = (field: string, most: number): Set<number> | null => {
    if (field === '*') return null
    if (field === 'SUN') return new Set([0])
    const [range = '', step] = field.split('/')
    const [low = 0, high = most] = range === '*' ? [] : range.split('-').map(Number)
    if (step)
      return new Set(
        Array.from({ length: most }, (_, index) => index).filter(
          (n) => n >= low && n <= high && (n - low) % Number(step) === 0,
        ),
      )
    return range.includes('-')
      ? new Set(Array.from({ length: high - low + 1 }, (_, index) => low + index))
      : new Set(field.split(',').map(Number))
  }
  return { minutes: set(minutes, 60), hours: set(hours, 24), days: set(days, 32), weekdays: set(weekdays, 7) }
}

/** Whether the clock on the wall shows a time of the expression; `wall` as if it were UTC, in minutes. */
const matcher = (expression: string) => {
  const { minutes, hours, days, weekdays } = fieldsOf(expression)
  const fits = (of: Set<number> | null) => Uint8Array.from({ length: 60 }, (_, n) => Number(of?.has(n) ?? true))
  const [isMinute, isHour] = [fits(minutes), fits(hours)]
  return (wall: number) => {
    if (isMinute[wall % 60] === 0 || isHour[Math.floor(wall / 60) % 24] === 0) return false
    if (!days && !weekdays) return true
    const date = new Date(wall * minute)
    return (days?.has(date.getUTCDate()) ?? true) && (weekdays?.has(date.getUTCDay()) ?? true)
  }
}

/** Walks the minutes of a year of a zone by the clock on its wall, and notes every moment that is due. */
function walked(expression: string, walls: Int32Array, from: number): number[] {
  const matches = matcher(expression)
  const wildcard = expression.split(' ')[1]?.includes('*') ?? false
  const due: number[] = []
  let shown = walls[0] ?? 0
  for (let index = 0; index + 1 < walls.length; index += 1) {
    const wall = walls[index + 1] ?? 0
    const fresh = wildcard || wall > shown
    let is = fresh && matches(wall)
    const isWholeDay = wall - shown > day / minute
    for (let skipped = shown + 1; !wildcard && !isWholeDay && skipped < wall; skipped += 1) is ||= matches(skipped)
    if (is) due.push(from + (index + 1) * minute)
    shown = wildcard ? wall : Math.max(shown, wall)
  }
  return due
}

test.each([
  ['America/New_York', 2026],
  ['Europe/Berlin', 2026],
  ['Australia/Lord_Howe', 2026],
  ['America/Sao_Paulo', 2018],
  ['Asia/Kolkata', 2026],
  ['Pacific/Apia', 2020],
  ['Africa/Casablanca', 2026],
  ['America/Santiago', 2026],
  ['Africa/Cairo', 2026],
  ['Pacific/Apia', 2011],
] as const)('a year in %s (%i): nothing lost, nothing doubled', (zone, year) => {
  const clock = IANAZone.create(zone)
  const all: Span = { from: Date.UTC(year, 0), to: Date.UTC(year + 1, 0) }
  const first = all.from - 2 * day
  const offsets = offsetsOf(clock, { from: first, to: all.to })
  const walls = Int32Array.from(
    { length: (all.to - first) / minute + 1 },
    (_, index) => first / minute + index + (offsets[Math.floor(index / 15)] ?? 0),
  )
  const changes = offsets.flatMap((offset, index) =>
    index > 0 && offset !== offsets[index - 1] ? [first + index * quarter] : [],
  )
  const around = changes.map((at) => ({
    from: Math.max(all.from, at - 2 * day),
    to: Math.min(all.to, at + 2 * day),
  }))
  for (const expression of expressions) {
    const due = walked(expression, walls, first)
    for (const { from, to } of expression === often ? around : [all]) {
      const schedule = cron(expression, zone)
      const computed: number[] = []
      let at = nextRun(schedule, from, place)
      for (; at !== null && at <= to; at = nextRun(schedule, at, place)) computed.push(at)
      const expected = due.filter((at) => at > from && at <= to)
      const wrong = expected.findIndex((at, index) => computed[index] !== at)
      expect({
        expression,
        wrong: expected[wrong] ?? null,
        got: computed[wrong] ?? null,
        count: computed.length,
      }).toEqual({ expression, wrong: null, got: null, count: expected.length })
    }
  }
})

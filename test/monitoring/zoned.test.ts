import { expect, test } from 'vitest'
import { spanOf } from '../../runtime/ledger/budget-limits.ts'
import { periodSpan } from '../../runtime/monitoring/usage.ts'
import { day, hour, iso } from '../../runtime/time.ts'
import { bucketsOf, hourLabel, startOfDay, zoneReader } from '../../runtime/zones/wall-clock.ts'

const at = (text: string) => Date.parse(text)
const hours = (from: string, to: string, zone: string) => bucketsOf({ from: at(from), to: at(to), unit: 'hour' }, zone)
const days = (from: string, to: string, zone: string) => bucketsOf({ from: at(from), to: at(to), unit: 'day' }, zone)

test('the hour that Berlin repeats in autumn is two buckets', () => {
  const buckets = hours('2026-10-25T00:00:00Z', '2026-10-25T03:00:00Z', 'Europe/Berlin')
  expect(buckets.map(({ label, start }) => [label, iso(start)])).toEqual([
    ['2026-10-25T02:00+02:00', '2026-10-25T00:00:00.000Z'],
    ['2026-10-25T02:00+01:00', '2026-10-25T01:00:00.000Z'],
    ['2026-10-25T03:00+01:00', '2026-10-25T02:00:00.000Z'],
  ])
})

test('the hour that New York skips in spring has no bucket', () => {
  const labels = hours('2026-03-08T06:00:00Z', '2026-03-08T08:00:00Z', 'America/New_York').map(({ label }) => label)
  expect(labels).toEqual(['2026-03-08T01:00-05:00', '2026-03-08T03:00-04:00'])
})

test('half an hour repeated on Lord Howe is also distinguished', () => {
  const labels = hours('2026-04-04T14:00:00Z', '2026-04-04T16:30:00Z', 'Australia/Lord_Howe').map(({ label }) => label)
  expect(labels).toEqual(['2026-04-05T01:00+11:00', '2026-04-05T01:00+10:30', '2026-04-05T02:00+10:30'])
})

test('in zones with partial-hour offsets hours start with the local hour', () => {
  const buckets = hours('2026-01-05T12:00:00Z', '2026-01-05T14:00:00Z', 'Asia/Kathmandu')
  expect(buckets.map(({ label, start, end }) => [label, iso(start).slice(11, 16), iso(end).slice(11, 16)])).toEqual([
    ['2026-01-05T17:00+05:45', '12:00', '12:15'],
    ['2026-01-05T18:00+05:45', '12:15', '13:15'],
    ['2026-01-05T19:00+05:45', '13:15', '14:00'],
  ])
})

test.each([
  ['Europe/Berlin', '2026-03-29', 23],
  ['Europe/Berlin', '2026-10-25', 25],
  ['Australia/Lord_Howe', '2026-04-05', 24.5],
  ['UTC', '2026-03-29', 24],
])('a day of %s on %s has %d hours', (zone, label, length) => {
  const buckets = days(`${label}T00:00:00Z`, '2026-12-31T00:00:00Z', zone)
  const found = bucketsOf({ from: at(label) - 2 * day, to: at(label) + 3 * day, unit: 'day' }, zone).find(
    (bucket) => bucket.label === label,
  )
  expect(((found?.end ?? 0) - (found?.start ?? 0)) / hour).toBe(length)
  expect(buckets.every((bucket, index) => bucket.end === (buckets[index + 1]?.start ?? bucket.end))).toBe(true)
})

test('a day without midnight starts later', () => {
  const read = zoneReader('Africa/Cairo')
  const start = startOfDay('2026-04-24', read)
  expect(hourLabel(read(start))).toBe('2026-04-24T01:00+03:00')
})

test('buckets cover exactly the whole period', () => {
  const buckets = days('2026-01-01T10:00:00Z', '2026-01-04T09:00:00Z', 'Asia/Tokyo')
  expect(iso(buckets[0]?.start ?? 0)).toBe('2026-01-01T10:00:00.000Z')
  expect(iso(buckets.at(-1)?.end ?? 0)).toBe('2026-01-04T09:00:00.000Z')
  expect(buckets.map(({ label }) => label)).toEqual(['2026-01-01', '2026-01-02', '2026-01-03', '2026-01-04'])
})

const spans = (window: 'day' | 'week' | 'month', now: string, zone: string) => {
  const { since, resets_at } = spanOf(window, at(now), { zone, run: '' })
  return [iso(since ?? 0), iso(resets_at ?? 0)]
}

test.each([
  ['day', '2026-01-05T12:00:00Z', 'UTC', '2026-01-05T00:00:00.000Z', '2026-01-06T00:00:00.000Z'],
  ['day', '2026-01-05T20:00:00Z', 'Asia/Tokyo', '2026-01-05T15:00:00.000Z', '2026-01-06T15:00:00.000Z'],
  ['day', '2026-10-25T12:00:00Z', 'Europe/Berlin', '2026-10-24T22:00:00.000Z', '2026-10-25T23:00:00.000Z'],
  ['week', '2026-01-05T12:00:00Z', 'UTC', '2026-01-05T00:00:00.000Z', '2026-01-12T00:00:00.000Z'],
  ['week', '2026-01-04T23:59:59Z', 'UTC', '2025-12-29T00:00:00.000Z', '2026-01-05T00:00:00.000Z'],
  ['month', '2026-02-28T12:00:00Z', 'UTC', '2026-02-01T00:00:00.000Z', '2026-03-01T00:00:00.000Z'],
  ['month', '2026-12-31T12:00:00Z', 'UTC', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
] as const)('the %s of %s in %s', (window, now, zone, since, resets) => {
  expect(spans(window, now, zone)).toEqual([since, resets])
})

const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu']
/** Around both clock changes of the year in both hemispheres, and at the first instant of a day. */
const instants = [
  '2026-03-08T07:30:00Z',
  '2026-03-29T01:30:00Z',
  '2026-04-04T15:30:00Z',
  '2026-10-03T16:10:00Z',
  '2026-10-25T01:30:00Z',
  '2026-11-01T06:15:00Z',
  '2026-06-30T22:00:00Z',
]

test.each(zones)('a period has as many buckets as its name says, up to now: %s', (zone) => {
  for (const instant of instants) {
    const now = Date.parse(instant)
    for (const [period, count] of [
      ['24h', 24],
      ['7d', 7],
      ['30d', 30],
    ] as const) {
      const buckets = bucketsOf(periodSpan(now, period, zone), zone)
      expect([instant, period, buckets.length]).toEqual([instant, period, count])
      expect(buckets.at(-1)?.end).toBe(now + 1)
      expect(new Set(buckets.map(({ label }) => label)).size).toBe(count)
    }
  }
})

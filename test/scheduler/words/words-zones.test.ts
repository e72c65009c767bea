import { expect, test } from 'vitest'
import { parseWords } from '../../../runtime/english/schedules/parse.ts'
import { nextRuns } from '../../../runtime/schedules/next-run.ts'
import { iso } from '../../../runtime/time.ts'
import { readShort } from './kit.ts'

const newYork = 'America/New_York'
const berlin = 'Europe/Berlin'

/** New York: 2:00 to 3:00 on 8 March 2026 does not exist. Berlin: 2:00 to 3:00 on 25 October comes twice. */
test.each<[string, string, string, string, string]>([
  ['every day at 2:30', newYork, '2026-03-08T05:00:00Z', '30 2 * * *', '2026-03-08T07:00'],
  ['tomorrow at 2:30am', newYork, '2026-03-07T20:00:00Z', 'at 2026-03-08T07:00:00.000Z', '2026-03-08T07:00'],
  ['in 24 hours', newYork, '2026-03-07T20:00:00Z', 'at 2026-03-08T20:00:00.000Z', '2026-03-08T20:00'],
  ['in 1 day', newYork, '2026-03-07T20:00:00Z', 'at 2026-03-08T19:00:00.000Z', '2026-03-08T19:00'],
  ['tomorrow at noon', newYork, '2026-03-07T20:00:00Z', 'at 2026-03-08T16:00:00.000Z', '2026-03-08T16:00'],
  ['in 20 minutes', newYork, '2026-03-08T06:50:00Z', 'at 2026-03-08T07:10:00.000Z', '2026-03-08T07:10'],
  ['tomorrow at 2:30', berlin, '2026-10-24T12:00:00Z', 'at 2026-10-25T00:30:00.000Z', '2026-10-25T00:30'],
  ['every day at 2:30', berlin, '2026-10-25T00:00:00Z', '30 2 * * *', '2026-10-25T00:30'],
  ['next month', berlin, '2026-01-31T12:00:00Z', 'at 2026-02-28T08:00:00.000Z', '2026-02-28T08:00'],
  ['in 1 month', berlin, '2026-01-31T12:00:00Z', 'at 2026-02-28T12:00:00.000Z', '2026-02-28T12:00'],
  ['today at 9', 'Pacific/Auckland', '2026-01-05T12:00:00Z', 'at 2026-01-05T20:00:00.000Z', '2026-01-05T20:00'],
  ['tomorrow at 9', 'America/Los_Angeles', '2026-01-05T12:00:00Z', 'at 2026-01-06T17:00:00.000Z', '2026-01-06T17:00'],
  ['tomorrow at 9', 'Asia/Kolkata', '2026-01-05T12:00:00Z', 'at 2026-01-06T03:30:00.000Z', '2026-01-06T03:30'],
  ['every weekday at 9', 'Asia/Tokyo', '2026-01-05T12:00:00Z', '0 9 * * 1-5', '2026-01-06T00:00'],
  ['every day at 9 Berlin time', 'Asia/Tokyo', '2026-01-05T12:00:00Z', '0 9 * * * Europe/Berlin', '2026-01-06T08:00'],
  [
    '9am PST tomorrow',
    berlin,
    '2026-07-05T12:00:00Z',
    'at 2026-07-06T16:00:00.000Z America/Los_Angeles',
    '2026-07-06T16:00',
  ],
  [
    'tomorrow at 8 in New York',
    berlin,
    '2026-01-05T12:00:00Z',
    'at 2026-01-06T13:00:00.000Z America/New_York',
    '2026-01-06T13:00',
  ],
  ['every day at 9 Asia/Kolkata', berlin, '2026-01-05T12:00:00Z', '0 9 * * * Asia/Kolkata', '2026-01-06T03:30'],
  ['every day at 9 utc', berlin, '2026-01-05T12:00:00Z', '0 9 * * * UTC', '2026-01-06T09:00'],
])('%s in %s at %s', async (words, zone, now, schedule, next) => {
  expect(await readShort(words, Date.parse(now), zone)).toEqual([schedule, next])
})

test('every other Sunday keeps its local time when the clocks change', async () => {
  const now = Date.parse('2026-10-16T12:00:00Z')
  const read = await parseWords('every other Sunday at 9', { now, zone: berlin })
  if (!read.ok) throw new Error(read.reason)
  const times = nextRuns(read.schedule, now, { zone: berlin, anchor: now, count: 3 }).map(iso)
  expect(times).toEqual(['2026-10-18T07:00:00.000Z', '2026-11-01T08:00:00.000Z', '2026-11-15T08:00:00.000Z'])
})

test('several times with different minutes are one schedule', async () => {
  const now = Date.parse('2026-01-05T05:00:00Z')
  const read = await parseWords('Mon and Wed at 7:30 and 19:00', { now, zone: berlin })
  if (!read.ok) throw new Error(read.reason)
  const times = nextRuns(read.schedule, now, { zone: berlin, anchor: now, count: 3 }).map(iso)
  expect(times).toEqual(['2026-01-05T06:30:00.000Z', '2026-01-05T18:00:00.000Z', '2026-01-07T06:30:00.000Z'])
})

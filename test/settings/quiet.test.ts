import { expect, test } from 'vitest'
import { deliverAt } from '../../runtime/chat/check-ins.ts'
import { quietUntil } from '../../runtime/chat/proactive.ts'

const night = { start: '22:00', end: '07:00' }
const noon = { start: '12:00', end: '13:30' }
const early = { start: '01:00', end: '02:30' }

test.each([
  ['none', null, 'Europe/Berlin', '2026-01-05T03:00:00Z', '2026-01-05T03:00:00Z'],
  ['before the night', night, 'Europe/Berlin', '2026-01-05T20:59:59Z', '2026-01-05T20:59:59Z'],
  ['at its first minute', night, 'Europe/Berlin', '2026-01-05T21:00:00Z', '2026-01-06T06:00:00Z'],
  ['in the middle', night, 'Europe/Berlin', '2026-01-05T23:17:31Z', '2026-01-06T06:00:00Z'],
  ['in its last second', night, 'Europe/Berlin', '2026-01-06T05:59:59Z', '2026-01-06T06:00:00Z'],
  ['at its end', night, 'Europe/Berlin', '2026-01-06T06:00:00Z', '2026-01-06T06:00:00Z'],
  ['by day', noon, 'UTC', '2026-01-05T12:10:00Z', '2026-01-05T13:30:00Z'],
  ['a zone of quarters', night, 'Asia/Kathmandu', '2026-01-05T16:20:00Z', '2026-01-06T01:15:00Z'],
  ['another day there', night, 'Pacific/Auckland', '2026-01-05T09:30:00Z', '2026-01-05T18:00:00Z'],
  ['the night that loses an hour', night, 'Europe/Berlin', '2026-03-28T22:00:00Z', '2026-03-29T05:00:00Z'],
  ['the night that gains one', night, 'Europe/Berlin', '2026-10-24T21:00:00Z', '2026-10-25T06:00:00Z'],
  ['an end that the clock skips', early, 'Europe/Berlin', '2026-03-29T00:10:00Z', '2026-03-29T01:00:00Z'],
  ['the first of two half past twos', early, 'Europe/Berlin', '2026-10-25T00:10:00Z', '2026-10-25T00:30:00Z'],
  ['the second of two half past twos', early, 'Europe/Berlin', '2026-10-25T01:10:00Z', '2026-10-25T01:30:00Z'],
  ['half an hour of change', early, 'Australia/Lord_Howe', '2026-10-03T15:10:00Z', '2026-10-03T15:30:00Z'],
])('quiet hours: %s', (_, hours, zone, at, until) => {
  expect(new Date(quietUntil(hours, zone, Date.parse(at))).toISOString()).toBe(new Date(until).toISOString())
})

const on = { enabled: true, check_ins: true, max_per_day: 2, quiet_hours: null }

test.each([
  ['now, when nothing forbids it', on, 1, '2026-01-05T12:00:00Z'],
  ['the next day, when the day is full', on, 2, '2026-01-05T23:00:00Z'],
  ['after the night of that day', { ...on, quiet_hours: night }, 2, '2026-01-06T06:00:00Z'],
  ['a day later, when it is switched off', { ...on, enabled: false }, 0, '2026-01-06T12:00:00Z'],
  ['a day later, without check-ins', { ...on, check_ins: false }, 0, '2026-01-06T12:00:00Z'],
])('a check-in is delivered %s', (_, settings, delivered, expected) => {
  const now = Date.parse('2026-01-05T12:00:00Z')
  expect(deliverAt(settings, { zone: 'Europe/Berlin', now, delivered })).toBe(Date.parse(expected))
})

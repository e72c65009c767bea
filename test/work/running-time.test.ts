import { expect, test } from 'vitest'
import { runningTime, waitedIn } from '../../runtime/work/running-time.ts'

/** A unit from one second to another, which has waited for some seconds. */
const unit = (from: number, to: number | null, payload: Record<string, unknown> = {}) => ({
  started_at: new Date(from * 1_000).toISOString(),
  finished_at: to === null ? null : new Date(to * 1_000).toISOString(),
  payload,
})

const waited = (seconds: number) => ({ waited_ms: seconds * 1_000 })

test.each([
  ['nothing', [], 0],
  ['one that has ended', [unit(0, 10)], 10],
  ['one that runs', [unit(40, null)], 60],
  ['one that waited', [unit(0, 100, waited(90))], 10],
  ['one that waits now', [unit(0, null, { ...waited(50), paused_at: 60_000 })], 10],
  ['six that waited together', Array.from({ length: 6 }, () => unit(0, 100, waited(90))), 10],
  ['two in a row', [unit(0, 30, waited(20)), unit(50, 90, waited(10))], 40],
  ['two of which one did not wait', [unit(0, 100), unit(0, 100)], 100],
  ['one that has not started', [{ started_at: null, finished_at: null, payload: {} }], 0],
])('how long %s ran', (_, units, seconds) => {
  expect(runningTime(units, 100_000)).toBeCloseTo(seconds * 1_000)
})

test('a unit that was cancelled while it waited waits no longer', () => {
  expect(waitedIn(unit(0, 80, { paused_at: 60_000 }), 100_000)).toBe(20_000)
})

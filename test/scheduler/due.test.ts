import { expect, test } from 'vitest'
import { planDue } from '../../runtime/scheduler/due.ts'
import { NewJob } from '../../runtime/scheduler/schema.ts'
import { day, hour, iso, minute, second } from '../../runtime/time.ts'

const first = Date.parse('2026-01-05T13:00:00Z')

function plan(own: Record<string, unknown>, now: number, open = 0) {
  const wish = NewJob.parse({ name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 3_600 }, ...own })
  const stored = { run_count: 0, anchor_at: iso(first - hour), next_run_at: iso(first) }
  const { slots, next } = planDue({ ...wish, ...stored }, now, open)
  return {
    slots: slots.map(({ at, status, trigger }) => [iso(at).slice(11, 16), status, trigger]),
    next,
    all: slots,
  }
}

test('on time: runs, and returns the next due time', () => {
  const { slots, next } = plan({}, first + 5)
  expect(slots).toEqual([['13:00', 'queued', 'schedule']])
  expect(next).toBe(first + hour)
})

test('a run on time makes up for missed ones', () => {
  const { slots, all } = plan({}, first + 2 * hour + second)
  expect(slots).toEqual([
    ['13:00', 'missed', 'schedule'],
    ['14:00', 'missed', 'schedule'],
    ['15:00', 'queued', 'schedule'],
  ])
  expect(all[0]?.reason).toBe('Missed; replaced by the run of 2026-01-05T15:00:00.000Z')
})

test('late: only the latest is made up for', () => {
  expect(plan({}, first + 90 * minute).slots).toEqual([
    ['13:00', 'missed', 'schedule'],
    ['14:00', 'queued', 'catchup'],
  ])
})

test('due times outside the window are missed whatever the policy', () => {
  for (const policy of ['run_once', 'run_all', 'skip']) {
    const { slots } = plan({ misfire: { policy, window_seconds: 600 } }, first + 30 * minute)
    expect(slots).toEqual([['13:00', 'missed', 'schedule']])
  }
})

test('an open run skips a due time, or queues one', () => {
  expect(plan({}, first, 1).slots).toEqual([['13:00', 'skipped', 'schedule']])
  expect(plan({ overlap: 'buffer_one' }, first, 1).slots).toEqual([['13:00', 'queued', 'schedule']])
  expect(plan({ overlap: 'buffer_one' }, first, 2).slots).toEqual([['13:00', 'skipped', 'schedule']])
  expect(plan({ overlap: 'allow' }, first, 9).slots).toEqual([['13:00', 'queued', 'schedule']])
})

test('after the last run of max_runs there is no next due time', () => {
  expect(plan({ max_runs: 1 }, first).next).toBeNull()
  expect(plan({ ends_at: iso(first + hour) }, first + 1).next).toBe(first + hour)
  expect(plan({ ends_at: iso(first + hour - 1) }, first + 1).next).toBeNull()
})

test.each([1, 10])('a clock that jumps %i years ahead costs little: one run, and one row for the rest', (years) => {
  for (const schedule of [
    { type: 'every', interval: 60 },
    { type: 'cron', expression: '* * * * *' },
    { type: 'every', interval: 1 },
    { type: 'cron', expression: '0 9 * * 1-5' },
  ]) {
    const now = first + years * 365 * day + 30 * second
    const { all, next } = plan({ schedule }, now)
    expect(all.length).toBeLessThan(600)
    expect(new Set(all.map(({ at }) => at)).size).toBe(all.length)
    expect(all.filter(({ status }) => status === 'queued')).toHaveLength(1)
    expect(next).toBeGreaterThan(now)
  }
})

test('due times of one moment that are processed late together follow the overlap policy', () => {
  const { slots } = plan({ schedule: { type: 'every', interval: 1 } }, first + 2 * second)
  expect(slots.map(([, status]) => status)).toEqual(['queued', 'skipped', 'skipped'])
})

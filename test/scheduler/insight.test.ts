import { expect, test } from 'vitest'
import { calendarData, calendarDataa, heatmap, stats, suggestions } from '../../handlers/scheduler/insight.ts'
import { pause, trigger } from '../../handlers/scheduler/jobs.ts'
import type { Host } from '../../runtime/host.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { heatmapOf, type Moment, suggestionsOf } from '../../runtime/scheduler/activity.ts'
import type { RunFact } from '../../runtime/scheduler/run-store.ts'
import type { CalendarEvent } from '../../runtime/scheduler/schema.ts'
import { summarize } from '../../runtime/scheduler/stats.ts'
import { day, hour, iso } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { chat } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text } from '../support/models.ts'
import { newJob } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

type TestHost = Awaited<ReturnType<typeof testHost>>

async function pass(host: TestHost, milliseconds: number): Promise<void> {
  await host.clock.advance(milliseconds)
  await workOff(host)
}

async function eventsOf(host: Host, query: Record<string, string>) {
  const response = await call(calendarData, host, { query })
  expect(response.status).toBe(200)
  return (await response.json()) as { events: CalendarEvent[]; truncated: boolean; timezone: string }
}

test('the statistics of a job', async () => {
  const models = scriptedModels(
    text('One'),
    [new ModelError('internal_error', 'the vendor answers nonsense')],
    text('Three'),
  )
  const host = await testHost({ models })
  const job = await newJob(host)
  for (let index = 0; index < 3; index += 1) await pass(host, hour)
  await call(pause, host, { params: { id: job.id } })
  await pass(host, day)
  const found = await (await call(stats, host, { params: { id: job.id } })).json()
  expect(found).toMatchObject({
    runs: 3,
    succeeded: 2,
    failed: 1,
    missed: 0,
    last_error: 'the vendor answers nonsense',
    tokens: 30,
    truncated: false,
  })
  expect(found.success_rate).toBeCloseTo(2 / 3)
  expect(found.by_day).toEqual([
    { date: '2026-01-05', runs: 3, succeeded: 2, failed: 1, missed: 0, skipped: 0, tokens: 30, cost_usd: 0 },
  ])
  expect((await call(stats, host, { params: { id: 'job_none' } })).status).toBe(404)
})

test('durations are ranked, and runs that did not start do not count', () => {
  const base = iso(0)
  const fact = (seconds: number, status: RunFact['status'] = 'succeeded'): RunFact => ({
    status,
    created_at: base,
    started_at: base,
    completed_at: iso(seconds * 1_000),
    error: null,
    tokens: 0,
    cost_usd: 0,
  })
  const facts = Array.from({ length: 100 }, (_, index) => fact(index + 1))
  const idle = { ...fact(0, 'missed'), started_at: null }
  expect(summarize([...facts, idle, fact(9_999, 'lost')])).toMatchObject({
    runs: 101,
    missed: 1,
    avg_duration_seconds: 50.5,
    p50_duration_seconds: 50,
    p95_duration_seconds: 95,
  })
  expect(summarize([])).toMatchObject({ runs: 0, success_rate: null, p95_duration_seconds: null })
})

test('the calendar shows past and planned runs', async () => {
  const host = await testHost({ models: scriptedModels(text('One')) })
  const daily = { type: 'cron', expression: '0 13 * * *', timezone: 'UTC' }
  const job = await newJob(host, { name: 'Daily', schedule: daily, max_runs: 3 })
  const once = await newJob(host, {
    name: 'Once',
    schedule: { type: 'at', datetime: '2026-01-06T09:00:00Z' },
  })
  await pass(host, hour)
  const { events, truncated } = await eventsOf(host, { start: '2026-01-05', end: '2026-01-20', tz: 'UTC' })
  expect(events.map(({ job_id, at, kind, status }) => [job_id, at, kind, status])).toEqual([
    [job.id, '2026-01-05T13:00:00.000Z', 'run', 'succeeded'],
    [once.id, '2026-01-06T09:00:00.000Z', 'planned', 'planned'],
    [job.id, '2026-01-06T13:00:00.000Z', 'planned', 'planned'],
    [job.id, '2026-01-07T13:00:00.000Z', 'planned', 'planned'],
  ])
  expect(truncated).toBe(false)
  const later = await eventsOf(host, { start: '2026-01-07', end: '2026-01-08', tz: 'UTC' })
  expect(later.events).toMatchObject([{ job_id: job.id, at: '2026-01-07T13:00:00.000Z' }])
})

test('dates of the calendar are in its zone, even across a clock change', async () => {
  const host = await testHost()
  const daily = { type: 'cron', expression: '30 2 * * *', timezone: 'Europe/Berlin' }
  await newJob(host, { schedule: daily })
  const { events } = await eventsOf(host, { start: '2026-03-28', end: '2026-03-31', tz: 'Europe/Berlin' })
  // On the 29th there is no half past two.
  expect(events.map(({ at }) => at)).toEqual([
    '2026-03-28T01:30:00.000Z',
    '2026-03-29T01:00:00.000Z',
    '2026-03-30T00:30:00.000Z',
  ])
})

test('frequent runs are counted per hour or day, so that no day is empty', async () => {
  const host = await testHost()
  const minutely = { type: 'cron', expression: '* * * * *', timezone: 'UTC' }
  const job = await newJob(host, { name: 'Minutely', schedule: minutely })
  await newJob(host, { name: 'Often', schedule: { type: 'every', interval: 20 } })
  const span = { start: '2026-01-06', end: '2026-02-05', tz: 'Europe/Berlin' }
  const days = await eventsOf(host, { ...span, group: 'day' })
  const own = days.events.filter(({ job_id }) => job_id === job.id)
  expect(own).toHaveLength(30)
  expect(own.every(({ count, run_id }) => count === 24 * 60 && run_id === null)).toBe(true)
  expect(own[0]?.at).toBe('2026-01-05T23:00:00.000Z')
  expect(days.events.find(({ name }) => name === 'Often')?.count).toBe(24 * 180)
  expect(days.truncated).toBe(false)
  const hours = await eventsOf(host, { start: '2026-01-06', end: '2026-01-07', tz: 'UTC', group: 'hour' })
  expect(hours.events.filter(({ name }) => name === 'Minutely').map(({ count }) => count)).toEqual(
    Array.from({ length: 24 }, () => 60),
  )
})

test('past runs are counted by status; a single one keeps its id', async () => {
  const host = await testHost({ models: scriptedModels(text('One'), text('Two'), text('Three')) })
  const job = await newJob(host, {
    schedule: { type: 'cron', expression: '0,20,40 13 * * *', timezone: 'UTC' },
    max_runs: 3,
  })
  await pass(host, 2 * hour)
  const span = { start: '2026-01-05', end: '2026-01-06', tz: 'UTC' }
  const { events } = await eventsOf(host, { ...span, group: 'hour' })
  const counts = events.map(({ job_id, kind, count }) => [job_id, kind, count])
  expect(counts.filter(([, kind]) => kind === 'run').reduce((sum, [, , count]) => sum + Number(count), 0)).toBe(
    (await eventsOf(host, span)).events.filter(({ kind }) => kind === 'run').length,
  )
  expect(events.every(({ count, run_id, kind }) => kind === 'planned' || (count === 1) === (run_id !== null))).toBe(
    true,
  )
  expect(events[0]?.job_id).toBe(job.id)
})

test('an endless calendar is cut and marked', async () => {
  const host = await testHost()
  await newJob(host, { schedule: { type: 'every', interval: 1 } })
  const rare = await newJob(host, { schedule: { type: 'at', datetime: '2026-01-05T12:10:00Z' } })
  const { events, truncated } = await eventsOf(host, { start: '2026-01-05', end: '2026-02-05' })
  expect(events).toHaveLength(2_000)
  expect(truncated).toBe(true)
  expect(events.some(({ job_id }) => job_id === rare.id)).toBe(true)
})

test.each([
  [{ start: '2026-02-01', end: '2026-01-01' }, 422],
  [{ start: '2026-01-01', end: '2029-01-01' }, 422],
  [{ start: 'soon' }, 400],
  [{ start: '2026-13-45' }, 400],
  [{ tz: 'Mars/Olympus' }, 400],
])('a calendar of %j is refused', async (query, status) => {
  const host = await testHost()
  const answer = await call(calendarDataa, host, { query: query as Record<string, string> })
  expect(answer.status).toBe(status)
})

test('the activity map uses local hours, Monday first, even across clock changes', async () => {
  const host = await testHost({ models: scriptedModels(...Array.from({ length: 9 }, () => text('Hello'))) })
  const say = () => chat(host, { message: 'Hi' })
  const job = await newJob(host, { schedule: { type: 'cron', expression: '0 0 1 1 *' } })
  // Saturday and Monday around the change of 2026-03-29, at nine in Berlin each time.
  await host.clock.advance(Date.parse('2026-03-28T08:00:00Z') - host.clock.now())
  await say()
  await host.clock.advance(Date.parse('2026-03-30T07:00:00Z') - host.clock.now())
  await say()
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  const map = await (await call(heatmap, host, { query: { tz: 'Europe/Berlin' } })).json()
  expect(map.timezone).toBe('Europe/Berlin')
  expect(map.grid).toHaveLength(24)
  expect(map.grid[9]).toEqual([2, 0, 0, 0, 0, 1, 0])
  expect(map.max).toBe(2)
  expect(map.grid.flat().reduce((sum: number, cell: number) => sum + cell, 0)).toBe(3)
  const india = await (await call(heatmap, host, { query: { tz: 'Asia/Kathmandu' } })).json()
  expect(india.grid[12]).toEqual([2, 0, 0, 0, 0, 0, 0])
  expect(india.grid[13]).toEqual([0, 0, 0, 0, 0, 1, 0])
})

/** One moment a day on these weekdays of the last weeks. */
const habit = (weeks: number, weekdays: number[], at: number, job: Moment['job'] = null): Moment[] =>
  Array.from({ length: weeks }).flatMap((_, week) =>
    weekdays.map((weekday) => ({
      date: iso(Date.parse('2026-01-05T00:00:00Z') + (week * 7 + weekday) * day).slice(0, 10),
      weekday,
      hour: at,
      job,
    })),
  )

test('only what recurs weekly is suggested', () => {
  const job = { id: 'job_1', name: 'Report' }
  const found = suggestionsOf([...habit(4, [0, 1, 2, 3, 4], 9), ...habit(3, [4], 17, job), ...habit(2, [6], 22)])
  expect(found).toEqual([
    {
      time: '09:00',
      days: ['mon', 'tue', 'wed', 'thu', 'fri'],
      reason: 'You wrote to an agent between 09:00 and 10:00 on 20 days of the last four weeks',
      job_id: null,
    },
    {
      time: '17:00',
      days: ['fri'],
      reason: 'You started “Report” by hand between 17:00 and 18:00 on 3 days of the last four weeks',
      job_id: 'job_1',
    },
  ])
  expect(suggestionsOf(habit(1, [0], 9).concat(habit(1, [0], 9), habit(1, [0], 9)))).toEqual([])
  expect(heatmapOf([], 'UTC').max).toBe(0)
})

test('without a history nothing is suggested', async () => {
  const host = await testHost()
  expect(await (await call(suggestions, host)).json()).toEqual({ suggestions: [] })
})

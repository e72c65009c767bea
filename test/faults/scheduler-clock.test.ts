import { expect, test } from 'vitest'
import { show } from '../../handlers/scheduler/jobs.ts'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { tick } from '../../runtime/tick.ts'
import { day, hour, minute } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

const year = 365 * day

async function scheduled(own: Record<string, unknown> = {}) {
  const host = await testHost({ models: scriptedModels() })
  const job = await newJob(host, own)
  const pass = async (milliseconds: number) => {
    await host.clock.advance(milliseconds)
    await workOff(host)
  }
  const ran = async () => {
    const sql = `SELECT count(*) AS count FROM scheduler_runs WHERE status = 'succeeded'`
    return (await host.sql.read<{ count: number }>(sql))[0]?.count ?? 0
  }
  const nextRun = async () => {
    const found = (await (await call(show, host, { params: { id: job.id } })).json()) as Job
    return Date.parse(found.next_run_at ?? '')
  }
  return { host, job, pass, ran, nextRun }
}

test.each([
  ['an hour', hour],
  ['a night of 8 hours', 8 * hour + 5 * minute],
  ['a day', day],
  ['ten years', 10 * year],
])('a clock that goes ahead %s costs at most one make-up', async (_, jump) => {
  const { host, job, pass, ran, nextRun } = await scheduled()
  await pass(hour)
  host.clock.jump(jump)
  await workOff(host)
  expect(await ran()).toBeLessThanOrEqual(2)
  expect(await nextRun()).toBeGreaterThan(host.clock.now())
  expect(await nextRun()).toBeLessThanOrEqual(host.clock.now() + hour)
  const rows = await runsOf(host, job)
  expect(new Set(rows.map(({ scheduled_for }) => scheduled_for)).size).toBe(rows.length)
})

test.each([
  ['an hour', hour],
  ['a day', day],
  ['ten years', 10 * year],
])('a clock that is set back %s neither doubles a due time nor waits for the old one', async (_, jump) => {
  const { host, job, pass, ran, nextRun } = await scheduled()
  await pass(hour)
  await pass(hour)
  host.clock.jump(-jump)
  await workOff(host)
  expect(await nextRun()).toBeLessThanOrEqual(host.clock.now() + 3 * hour)
  await pass(hour)
  await pass(hour)
  await pass(hour)
  expect(await ran()).toBeGreaterThanOrEqual(3)
  const rows = await runsOf(host, job)
  expect(new Set(rows.map(({ scheduled_for }) => scheduled_for)).size).toBe(rows.length)
})

test('a clock that was ten years ahead and is corrected continues as if nothing had happened', async () => {
  const { host, pass, ran, nextRun } = await scheduled()
  await pass(hour)
  host.clock.jump(10 * year)
  await workOff(host)
  const before = await ran()
  host.clock.jump(-10 * year)
  await workOff(host)
  expect(await nextRun()).toBe(Date.parse('2026-01-05T14:00:00Z'))
  for (let index = 0; index < 5; index += 1) await pass(hour)
  expect(await ran()).toBe(before + 5)
})

test.each([
  ['America/New_York', '30 2 * * *', '2026-03-07T12:00:00Z'],
  ['America/New_York', '30 1 * * *', '2026-10-31T12:00:00Z'],
  ['Australia/Lord_Howe', '15 2 * * *', '2026-10-03T01:00:00Z'],
  ['America/Santiago', '0 0 * * *', '2026-09-05T12:00:00Z'],
])('over a change of the clocks in %s, %s runs once a day', async (timezone, expression, from) => {
  const { host, pass, ran } = await scheduled({ schedule: { type: 'cron', expression, timezone } })
  host.clock.jump(Date.parse(from) - host.clock.now())
  await workOff(host)
  const before = await ran()
  for (let index = 0; index < 72; index += 1) await pass(hour)
  expect(await ran()).toBe(before + 3)
})

test('a thousand paused jobs write nothing', async () => {
  const { host, job } = await scheduled()
  await host.sql.write([
    { sql: `UPDATE scheduler_jobs SET status = 'paused', next_run_at = NULL WHERE id = ?`, args: [job.id] },
    {
      sql: `INSERT INTO scheduler_jobs SELECT 'job_' || value, owner_id, name, goal, schedule, status, paused_reason, agent_id, next_run_at,
        last_run_at, last_status, run_count, consecutive_failures, settings, anchor_at, planned_at, created_at, updated_at
        FROM scheduler_jobs, json_each(?)`,
      args: [JSON.stringify(Array.from({ length: 1_000 }, (_, index) => index))],
    },
  ])
  const written: unknown[] = []
  const write = host.sql.write.bind(host.sql)
  host.sql.write = (statements, options) => {
    written.push(statements)
    return write(statements, options)
  }
  for (let index = 0; index < 24 * 60; index += 1) {
    await host.clock.advance(minute)
    await tick(host)
  }
  expect(written).toEqual([])
})

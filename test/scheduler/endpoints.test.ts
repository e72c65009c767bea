import { expect, test } from 'vitest'
import { create as createAgent, remove as removeAgent } from '../../handlers/agents/agents.ts'
import { create, list, resume, show, update } from '../../handlers/scheduler/jobs.ts'
import { stats, status, validate } from '../../handlers/scheduler/overview.ts'
import { backfill, dryRun } from '../../handlers/scheduler/runs.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { findJob, recordRun, updateJob } from '../../runtime/scheduler/job-store.ts'
import { Job } from '../../runtime/scheduler/schema.ts'
import { hour } from '../../runtime/time.ts'
import { addAgents } from '../support/agents.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

test('creates a job with every default, and returns, changes and lists it', async () => {
  const host = await testHost()
  const schedule = { type: 'cron', expression: '0 9 * * 1-5', timezone: 'Europe/Berlin' }
  const job = Job.parse(await newJob(host, { schedule }))
  expect(job).toMatchObject({
    human_readable: 'Every weekday at 09:00',
    status: 'active',
    next_run_at: '2026-01-06T08:00:00.000Z',
    misfire: { policy: 'run_once', window_seconds: 86_400 },
    overlap: 'skip',
    timeout_seconds: 3_600,
    auto_pause_after: 10,
    execution_mode: 'auto',
    delivery: { channel: 'none', format: 'text' },
  })
  const params = { id: job.id }
  const body = { name: 'Other', schedule: { type: 'every', interval: 60 } }
  expect(await (await call(update, host, { params, body })).json()).toMatchObject({
    name: 'Other',
    next_run_at: '2026-01-05T12:01:00.000Z',
    schedule: { type: 'every', interval: 60, timezone: 'UTC' },
  })
  expect(await (await call(list, host, { query: { status: 'active' } })).json()).toMatchObject({
    count: 1,
    total: 1,
  })
  expect(await (await call(list, host, { query: { status: 'failed' } })).json()).toMatchObject({
    jobs: [],
    count: 0,
  })
  expect((await call(list, host, { query: { limit: '201' } })).status).toBe(400)
  expect((await call(show, host, { params: { id: 'job_none' } })).status).toBe(404)
  expect(host.events.slice(-2)).toEqual(['job.created', 'job.updated'])
})

test.each([
  [{ schedule: { type: 'cron', expression: 'often' } }, 'schedule.expression'],
  [{ schedule: { type: 'cron', expression: '2026-01-01T00:00:00' } }, 'schedule.expression'],
  [{ schedule: { type: 'cron', expression: '0 9 * * *', timezone: 'Mars/Base' } }, 'schedule.timezone'],
  [{ schedule: { type: 'every', interval: 0 } }, 'schedule.interval'],
  [{ schedule: { type: 'at', datetime: 'tomorrow' } }, 'schedule.datetime'],
  [{ schedule: { type: 'at', datetime: '2026-02-31T09:00:00' } }, 'schedule.datetime'],
  [{ schedule: { type: 'at', datetime: '2020-01-01T00:00:00Z' } }, 'schedule.datetime'],
  [{ schedule: { type: 'never' } }, 'schedule.type'],
  [{ ends_at: '2026-01-05T12:30:00Z' }, 'ends_at'],
  [{ agent_id: 'agent_none' }, 'agent_id'],
  [{ target: { kind: 'workflow', id: 'wf_1' } }, 'target.id'],
  [{ target: { kind: 'webhook', id: 'wh_1' } }, 'target.kind'],
  [{ retry: { max_attempts: 21 } }, 'retry.max_attempts'],
  [{ goal: ' ' }, 'goal'],
])('refuses %j', async (own, path) => {
  const host = await testHost()
  const body = { name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 3_600 }, ...own }
  const response = await call(create, host, { body })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({ issues: [{ path }] })
})

test('a changed target changes the agent', async () => {
  const host = await testHost()
  await addAgents(host, 'agent_other')
  const job = await newJob(host)
  const body = { target: { kind: 'agent', id: 'agent_other' } }
  const changed = await (await call(update, host, { params: { id: job.id }, body })).json()
  expect(changed).toMatchObject({ agent_id: 'agent_other', target: { id: 'agent_other' } })
  const refused = await call(update, host, {
    params: { id: job.id },
    body: { target: { kind: 'webhook' } },
  })
  expect(refused.status).toBe(422)
})

test('a repeated key creates no second job', async () => {
  const host = await testHost()
  const body = { name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 60 } }
  const once = () => call(create, host, { body, headers: { 'idempotency-key': 'k' } })
  const [first, second] = [await (await once()).json(), await (await once()).json()]
  expect(second).toEqual(first)
  expect(await (await call(list, host)).json()).toMatchObject({ total: 1 })
})

test('reports whether a schedule is valid', async () => {
  const host = await testHost()
  const ask = async (query: Record<string, string>) => {
    const response = await call(validate, host, { query })
    expect(response.status).toBe(200)
    return response.json()
  }
  const good = await ask({ type: 'cron', value: '0 9 * * *', timezone: 'America/New_York' })
  expect(good).toMatchObject({ valid: true })
  expect(good.next_runs).toHaveLength(5)
  expect(good.next_runs[0]).toBe('2026-01-05T14:00:00.000Z')
  expect((await ask({ type: 'every', value: '60' })).next_runs[0]).toBe('2026-01-05T12:01:00.000Z')
  const later = { type: 'every', value: '3600', starts_at: '2026-02-01T00:00', timezone: 'Europe/Berlin' }
  expect((await ask(later)).next_runs.slice(0, 2)).toEqual(['2026-01-31T23:00:00.000Z', '2026-02-01T00:00:00.000Z'])
  expect((await ask({ type: 'at', value: '2026-02-01T00:00:00Z' })).next_runs).toEqual(['2026-02-01T00:00:00.000Z'])
  for (const [type, value, timezone] of [
    ['cron', 'often', 'UTC'],
    ['cron', '* * * * *', 'Mars/Base'],
    ['every', 'x', 'UTC'],
    ['at', '2020-01-01T00:00:00Z', 'UTC'],
  ] as const)
    expect(await ask({ type, value, timezone })).toEqual({
      valid: false,
      error: expect.any(String),
      next_runs: [],
    })
  expect((await call(validate, host, { query: { type: 'zz', value: '1' } })).status).toBe(400)
})

test('a past period is backfilled once', async () => {
  const host = await testHost({ models: scriptedModels() })
  const job = await newJob(host)
  await host.clock.advance(5 * hour)
  await workOff(host)
  const params = { id: job.id }
  const body = { start: '2026-01-05T12:30:00Z', end: '2026-01-05T16:30:00Z' }
  const preview = await (await call(backfill, host, { params, body: { ...body, preview: true } })).json()
  expect(preview).toEqual({ run_ids: [], count: 4, due_times: 4 })
  const first = await (await call(backfill, host, { params, body })).json()
  expect(first).toMatchObject({ count: 4, due_times: 4 })
  expect(await (await call(backfill, host, { params, body })).json()).toMatchObject({
    count: 0,
    due_times: 4,
  })
  expect(await (await call(backfill, host, { params, body: { ...body, preview: true } })).json()).toEqual({
    run_ids: [],
    count: 0,
    due_times: 4,
  })
  await workOff(host)
  const made = (await runsOf(host, job)).filter(({ trigger }) => trigger === 'backfill')
  expect(made.map(({ status }) => status)).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
  const ahead = { start: '2026-01-05T12:30:00Z', end: '2027-01-01T00:00:00Z' }
  expect((await call(backfill, host, { params, body: ahead })).status).toBe(422)
})

test('a dry run reports what would happen and does nothing', async () => {
  const host = await testHost()
  const job = await newJob(host)
  const answer = await (await call(dryRun, host, { params: { id: job.id } })).json()
  expect(answer.next_runs).toHaveLength(10)
  expect(answer).toMatchObject({
    estimate_basis: 'goal',
    estimated_cost_usd: 0,
    changes_need_approval: false,
  })
  expect(answer.tools).toContain('web_fetch')
  expect(await runsOf(host, job)).toEqual([])
})

test('a dry run without a usable model reports which one to choose', async () => {
  const host = await testHost()
  const job = await newJob(host)
  await configureProvider(localContext(host), { provider: 'ollama', base_url: 'http://ollama.test/v1' })
  const answer = await call(dryRun, host, { params: { id: job.id } })
  expect(answer.status).toBe(503)
  expect(await answer.json()).toMatchObject({
    error: 'model_not_found',
    message: expect.stringContaining('Choose a model of ollama'),
  })
})

test('counts jobs and shows the next tick; reading changes nothing', async () => {
  const host = await testHost({ models: scriptedModels() })
  const job = await newJob(host)
  await host.clock.advance(hour)
  const before = await (await call(show, host, { params: { id: job.id } })).json()
  await call(list, host)
  expect(await (await call(show, host, { params: { id: job.id } })).json()).toEqual(before)
  await workOff(host)
  expect(await (await call(stats, host, { query: { tz: 'Asia/Tokyo' } })).json()).toMatchObject({
    active_jobs: 1,
    autopilot_active_jobs: 0,
    jobs_by_status: { active: 1, paused: 0, completed: 0, failed: 0 },
    runs_today: 1,
    total_runs_today: 1,
    succeeded_today: 1,
    success_rate: 1,
    avg_duration_seconds: expect.any(Number),
    next_run_at: '2026-01-05T14:00:00.000Z',
  })
  expect((await call(stats, host, { query: { tz: 'Mars/Base' } })).status).toBe(400)
  expect(await (await call(status, host)).json()).toMatchObject({
    running: true,
    tick_interval_seconds: 60,
    next_tick_at: '2026-01-05T13:01:00.000Z',
  })
  expect((await call(resume, host, { params: { id: job.id } })).status).toBe(200)
})

test('the jobs of a deleted agent are paused with a reason', async () => {
  const host = await testHost()
  const agent = await (await call(createAgent, host, { body: { name: 'Ada' } })).json()
  const job = await newJob(host, { agent_id: agent.id })
  const other = await newJob(host, {})
  await call(removeAgent, host, { params: { id: agent.id } })

  expect(await (await call(show, host, { params: { id: job.id } })).json()).toMatchObject({
    status: 'paused',
    paused_reason: expect.stringContaining('agent was deleted'),
    next_run_at: null,
  })
  expect(await (await call(show, host, { params: { id: other.id } })).json()).toMatchObject({
    status: 'active',
  })
})

test('a failure that is counted during a change of the job is kept', async () => {
  const host = await testHost()
  const { id } = await newJob(host)
  const read = await findJob(host, id)
  if (!read) throw new Error('no job')
  await host.sql.write([recordRun(id, { last_run_at: null, last_status: 'failed', failures: 1 })])
  await host.sql.write([updateJob({ ...read, name: 'Other' }, read, read.updated_at)])

  expect(await (await call(show, host, { params: { id } })).json()).toMatchObject({
    name: 'Other',
    consecutive_failures: 1,
  })
})

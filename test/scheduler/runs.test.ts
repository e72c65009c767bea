import { expect, test } from 'vitest'
import { create as createAgent, remove as removeAgent } from '../../handlers/agents/agents.ts'
import { list as listBudgets } from '../../handlers/monitoring/budgets.ts'
import { pause, remove, resume, show as showJob, trigger } from '../../handlers/scheduler/jobs.ts'
import { cancel, show } from '../../handlers/scheduler/runs.ts'
import type { Host } from '../../runtime/host.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { tick } from '../../runtime/tick.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { newLoop } from '../loops/kit.ts'
import { call } from '../support/call.ts'
import { conversationOf } from '../support/chat.ts'
import { restarted, testHost } from '../support/host.ts'
import { hanging, notesOf, type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

const jobOf = async (host: Host, { id }: Pick<Job, 'id'>): Promise<Job> =>
  (await call(showJob, host, { params: { id } })).json()

async function pass(host: Awaited<ReturnType<typeof testHost>>, milliseconds: number): Promise<void> {
  await host.clock.advance(milliseconds)
  await workOff(host)
}

const failing = (): Step => [new ModelError('internal_error', 'the vendor answers nonsense')]

/** A model that answers when it is told to. */
function gate() {
  const open = Promise.withResolvers<void>()
  const step: Step = [open.promise, { type: 'text', text: 'At last' }, finish]
  return { step, open: open.resolve }
}

const finish = { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 } as const

/** Ticks until what is due has begun, without waiting for its end. */
async function begin(host: Host): Promise<void> {
  for (let index = 0; index < 30; index += 1) {
    await tick(host)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const statuses = async (host: Host, job: Job) => (await runsOf(host, job)).map(({ status }) => status)

test('a job runs when it is due, in its own conversation, and its row has the result', async () => {
  const models = scriptedModels(text('Hello!'))
  const host = await testHost({ models })
  const job = await newJob(host)
  await pass(host, hour)

  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'succeeded', trigger: 'schedule', attempt: 1, output: 'Hello!' })
  expect(run).toMatchObject({ scheduled_for: '2026-01-05T13:00:00.000Z', input_tokens: 10, output_tokens: 5 })
  const conversation = await conversationOf(host, run?.conversation_id ?? '')
  expect(conversation).toMatchObject({ kind: 'scheduled', execution_mode: 'auto', title: 'Job' })
  expect(await jobOf(host, job)).toMatchObject({
    status: 'active',
    run_count: 1,
    last_status: 'succeeded',
    next_run_at: '2026-01-05T14:00:00.000Z',
  })
  expect(host.events).toContain('job.run.started')
  expect(host.events).toContain('job.run.finished')
})

test('a failed attempt is retried as the job says, each attempt in its own row', async () => {
  const host = await testHost({ models: scriptedModels(failing(), failing(), text('Back again')) })
  const retry = { max_attempts: 3, strategy: 'fixed', base_delay: 10 }
  const job = await newJob(host, { schedule: { type: 'at', datetime: '2026-01-05T13:00:00Z' }, retry })
  await pass(host, hour)
  expect(await statuses(host, job)).toEqual(['failed', 'queued'])
  expect((await jobOf(host, job)).status).toBe('active')
  await pass(host, 12 * second)
  await pass(host, 12 * second)

  const runs = await runsOf(host, job)
  expect(runs.map(({ status, trigger, attempt }) => [status, trigger, attempt])).toEqual([
    ['failed', 'schedule', 1],
    ['failed', 'retry', 2],
    ['succeeded', 'retry', 3],
  ])
  expect(runs[0]?.error).toBe('the vendor answers nonsense')
  expect(new Set(runs.map(({ scheduled_for }) => scheduled_for)).size).toBe(1)
  expect(await jobOf(host, job)).toMatchObject({ status: 'completed', next_run_at: null, run_count: 1 })
})

test('a one-time job has failed after its last attempt', async () => {
  const host = await testHost({ models: scriptedModels(failing()) })
  const job = await newJob(host, { schedule: { type: 'at', datetime: '2026-01-05T13:00:00Z' } })
  await pass(host, hour)
  expect(await jobOf(host, job)).toMatchObject({ status: 'failed', last_status: 'failed' })
})

test('a job that fails too often in a row is paused, with the reason', async () => {
  const host = await testHost({ models: scriptedModels(failing(), failing()) })
  const job = await newJob(host, { auto_pause_after: 2 })
  await pass(host, hour)
  await pass(host, hour)
  expect(await jobOf(host, job)).toMatchObject({
    status: 'paused',
    next_run_at: null,
    consecutive_failures: 2,
  })
  expect((await jobOf(host, job)).paused_reason).toContain('the vendor answers nonsense')
  await pass(host, 3 * hour)
  expect(await runsOf(host, job)).toHaveLength(2)

  await call(resume, host, { params: { id: job.id } })
  expect(await jobOf(host, job)).toMatchObject({
    status: 'active',
    paused_reason: null,
    consecutive_failures: 0,
  })
})

test('a run that takes too long times out, and its turn is stopped', async () => {
  const { step } = gate()
  const host = await testHost({ models: scriptedModels(step) })
  const job = await newJob(host, { timeout_seconds: 60 })
  await host.clock.advance(hour)
  await begin(host)
  expect(await statuses(host, job)).toEqual(['running'])
  await host.clock.advance(minute)
  await begin(host)

  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'timed_out', error: 'It took longer than 60 s', duration_seconds: 60 })
  expect(host.process.running.count('chat.turn')).toBe(1)
})

test('a run is cancelled once, and its work is stopped', async () => {
  const { step, open } = gate()
  const host = await testHost({ models: scriptedModels(step) })
  const job = await newJob(host)
  await call(trigger, host, { params: { id: job.id } })
  await begin(host)
  const [run] = await runsOf(host, job)
  const params = { id: job.id, run_id: run?.id ?? '' }
  expect(await (await call(cancel, host, { params })).json()).toMatchObject({ status: 'cancelled' })
  expect((await call(cancel, host, { params })).status).toBe(409)
  open()
  await workOff(host)

  const conversation = await conversationOf(host, run?.conversation_id ?? '')
  expect(conversation.status).toBe('idle')
  expect(conversation.messages.at(-1)).toMatchObject({ status: 'interrupted' })
  expect(await (await call(show, host, { params })).json()).toMatchObject({ status: 'cancelled' })
  expect((await call(cancel, host, { params: { ...params, run_id: 'run_none' } })).status).toBe(404)
})

test.each([
  ['skip', ['running', 'skipped', 'skipped'], ['succeeded', 'skipped', 'skipped']],
  ['buffer_one', ['running', 'queued', 'skipped'], ['succeeded', 'succeeded', 'skipped']],
  ['allow', ['running', 'running', 'running'], ['succeeded', 'succeeded', 'succeeded']],
  ['cancel_other', ['cancelled', 'cancelled', 'running'], ['cancelled', 'cancelled', 'succeeded']],
])('with the overlap %s', async (overlap, meanwhile, atLast) => {
  const gates = [gate(), gate(), gate()]
  const host = await testHost({ models: scriptedModels(...gates.map(({ step }) => step)) })
  const job = await newJob(host, { overlap, schedule: { type: 'every', interval: 10 } })
  for (let index = 0; index < 3; index += 1) {
    await host.clock.advance(10 * second)
    await begin(host)
  }
  expect(await statuses(host, job)).toEqual(meanwhile)
  for (const { open } of gates) open()
  await workOff(host)
  expect(await statuses(host, job)).toEqual(atLast)
})

test('a newer run replaces the retry of an older one, with cancel_other', async () => {
  const { step, open } = gate()
  const host = await testHost({ models: scriptedModels(failing(), step, text('Too late')) })
  const retry = { max_attempts: 2, strategy: 'fixed', base_delay: 15 }
  const schedule = { type: 'every', interval: 10 }
  const job = await newJob(host, { overlap: 'cancel_other', schedule, retry, max_runs: 2 })
  await host.clock.advance(10 * second)
  await begin(host)
  expect(await statuses(host, job)).toEqual(['failed', 'queued'])
  await host.clock.advance(10 * second)
  await begin(host)
  await host.clock.advance(10 * second)
  await begin(host)
  expect((await runsOf(host, job)).map(({ status, error }) => [status, error])).toEqual([
    ['failed', 'the vendor answers nonsense'],
    ['cancelled', 'Replaced by a newer run'],
    ['running', null],
  ])
  open()
  await workOff(host)
  expect((await statuses(host, job)).at(-1)).toBe('succeeded')
})

test('missed runs are made up for one after the other, with cancel_other', async () => {
  const gates = [gate(), gate()]
  const host = await testHost({ models: scriptedModels(...gates.map(({ step }) => step)) })
  const misfire = { policy: 'run_all' }
  const job = await newJob(host, { overlap: 'cancel_other', misfire, max_runs: 2, timeout_seconds: 36_000 })
  await host.clock.advance(2 * hour + 10 * minute)
  await begin(host)
  expect(await statuses(host, job)).toEqual(['running', 'queued'])
  for (const { open } of gates) open()
  await workOff(host)
  expect(await statuses(host, job)).toEqual(['succeeded', 'succeeded'])
})

test('a newer run of a loop stops the one before, with cancel_other', async () => {
  const host = await testHost({ models: scriptedModels(hanging, hanging) })
  const loop = await newLoop(host)
  const schedule = { type: 'every', interval: 10 }
  const target = { kind: 'loop', id: loop.id }
  const job = await newJob(host, { overlap: 'cancel_other', schedule, target, max_runs: 2 })
  await host.clock.advance(10 * second)
  await begin(host)
  await host.clock.advance(10 * second)
  await begin(host)
  const runs = await runsOf(host, job)
  expect(runs.map(({ status, error }) => [status, error])).toEqual([
    ['cancelled', 'Replaced by a newer run'],
    ['running', null],
  ])
  expect(host.process.running.count('chat.turn')).toBe(1)
})

test.each([
  ['run_once', ['missed', 'missed', 'missed', 'succeeded']],
  ['run_all', ['succeeded', 'succeeded', 'succeeded', 'succeeded']],
  ['skip', ['missed', 'missed', 'missed', 'missed']],
])('what was missed during a sleep, with %s', async (policy, expected) => {
  const host = await testHost({ models: scriptedModels() })
  const job = await newJob(host, { misfire: { policy } })
  await pass(host, 4 * hour + 10 * minute)

  const runs = await runsOf(host, job)
  expect(runs.map(({ status }) => status)).toEqual(expected)
  expect(runs.map(({ scheduled_for }) => scheduled_for.slice(11, 13))).toEqual(['13', '14', '15', '16'])
  expect((await jobOf(host, job)).next_run_at).toBe('2026-01-05T17:00:00.000Z')
  for (const run of runs) if (run.status === 'missed') expect(run.error).toMatch(/^Missed/)
})

test('of many runs that make up for missed ones at most five run at once', async () => {
  const gates = Array.from({ length: 12 }, () => gate())
  const host = await testHost({ models: scriptedModels(...gates.map(({ step }) => step)) })
  const jobs: Job[] = []
  for (let index = 0; index < 12; index += 1) jobs.push(await newJob(host, { timeout_seconds: 36_000 }))
  await host.clock.advance(hour + 10 * minute)
  await begin(host)
  const all = async () => (await Promise.all(jobs.map((job) => statuses(host, job)))).flat()
  expect((await all()).filter((status) => status === 'running')).toHaveLength(5)
  for (const { open } of gates) open()
  await workOff(host)
  expect(await all()).toEqual(Array.from({ length: 12 }, () => 'succeeded'))
})

test('max_runs and ends_at complete a job', async () => {
  const host = await testHost({ models: scriptedModels() })
  const counted = await newJob(host, { max_runs: 2 })
  const ending = await newJob(host, { ends_at: '2026-01-05T13:30:00Z' })
  for (let index = 0; index < 4; index += 1) await pass(host, hour)
  expect(await jobOf(host, counted)).toMatchObject({ status: 'completed', run_count: 2, next_run_at: null })
  expect(await jobOf(host, ending)).toMatchObject({ status: 'completed', run_count: 1 })
  expect((await call(resume, host, { params: { id: counted.id } })).status).toBe(409)
})

test('a paused job does not run, but a person may run it; after resuming it continues with the next due time', async () => {
  const host = await testHost({ models: scriptedModels() })
  const job = await newJob(host)
  const params = { id: job.id }
  expect(await (await call(pause, host, { params })).json()).toMatchObject({
    status: 'paused',
    next_run_at: null,
  })
  expect((await call(pause, host, { params })).status).toBe(200)
  await pass(host, 3 * hour)
  expect(await runsOf(host, job)).toEqual([])
  const { run_id } = (await (await call(trigger, host, { params })).json()) as { run_id: string }
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ id: run_id, status: 'succeeded', trigger: 'manual' }])
  await call(resume, host, { params })
  expect(await jobOf(host, job)).toMatchObject({ status: 'active', next_run_at: '2026-01-05T16:00:00.000Z' })
})

test('a job whose agent was deleted does not run, and triggering it returns the reason', async () => {
  const host = await testHost({ models: scriptedModels() })
  const agent = (await (await call(createAgent, host, { body: { name: 'Gone' } })).json()) as { id: string }
  const job = await newJob(host, { agent_id: agent.id, retry: { max_attempts: 5 } })
  await call(removeAgent, host, { params: { id: agent.id } })
  await pass(host, hour)
  expect(await runsOf(host, job)).toEqual([])
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([
    { status: 'failed', error: 'Its agent was deleted; choose another for the job' },
  ])
})

test('deleting a job stops its run', async () => {
  const { step, open } = gate()
  const host = await testHost({ models: scriptedModels(step) })
  const job = await newJob(host)
  await call(trigger, host, { params: { id: job.id } })
  await begin(host)
  const [run] = await runsOf(host, job)
  expect((await call(remove, host, { params: { id: job.id } })).status).toBe(200)
  await begin(host)
  open()
  await workOff(host)
  expect((await call(showJob, host, { params: { id: job.id } })).status).toBe(404)
  const { messages, status } = await conversationOf(host, run?.conversation_id ?? '')
  expect([status, messages.at(-1)?.status]).toEqual(['idle', 'interrupted'])
})

test("the job's budget stops its runs", async () => {
  const host = await testHost({ models: scriptedModels() })
  const job = await newJob(host, { budget: { run_usd: 0, daily_usd: 1 } })
  const { budgets } = (await (await call(listBudgets, host)).json()) as { budgets: unknown[] }
  expect(budgets).toMatchObject([
    { scope: { kind: 'job', id: job.id }, window: 'day', limit_usd: 1 },
    { scope: { kind: 'job', id: job.id }, window: 'run', limit_usd: 0 },
  ])
  await call(remove, host, { params: { id: job.id } })
  expect(await (await call(listBudgets, host)).json()).toMatchObject({ budgets: [] })
})

test('a question in an unattended run is shown, and the run continues with the answer', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const host = await testHost({ models: scriptedModels(write, text('As you wish')) })
  const job = await newJob(host, { execution_mode: 'approval_required' })
  await pass(host, hour)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'running', waiting_approval: true }])
  await pass(host, 31 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', waiting_approval: false }])
})

test('the time limit of a run does not count the wait for an approval', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const host = await testHost({ models: scriptedModels(write, text('As you wish')) })
  const job = await newJob(host, { execution_mode: 'approval_required', timeout_seconds: 600 })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  for (let wait = 0; wait < 5; wait += 1) await pass(host, 5 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'running', waiting_approval: true }])
  await pass(host, 6 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded' }])
})

test('a condition that is not met skips the run with its reason', async () => {
  const host = await testHost({ models: scriptedModels(failing()) })
  const condition = { type: 'previous_status', expression: 'succeeded' }
  const job = await newJob(host, { condition })
  await pass(host, hour)
  await pass(host, hour)
  expect(await runsOf(host, job)).toMatchObject([
    { status: 'failed' },
    { status: 'skipped', error: 'The previous run ended failed, not succeeded' },
  ])
})

test('a run continues after a kill, in the same conversation', async () => {
  const killed = await testHost({ models: scriptedModels(hanging) })
  const job = await newJob(killed)
  await call(trigger, killed, { params: { id: job.id } })
  await begin(killed)
  const host = await restarted(killed, scriptedModels(text('Hello')))
  await begin(host)
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', attempt: 1, output: 'Hello' }])
})

test('a run during which the daemon stops each time fails and says so', async () => {
  let host = await testHost({ models: scriptedModels(hanging) })
  const job = await newJob(host, { timeout_seconds: 36_000 })
  await call(trigger, host, { params: { id: job.id } })
  await begin(host)
  await call(pause, host, { params: { id: job.id } })
  for (let stop = 0; stop < 10; stop += 1) {
    host = await restarted(host, scriptedModels(hanging))
    await begin(host)
    await host.clock.advance(10 * minute)
    await begin(host)
    expect(host.process.running.count('chat.turn')).toBe(1)
  }
  host = await restarted(host, scriptedModels())
  await begin(host)
  await workOff(host)
  const error = 'The daemon stopped 11 times in the middle of this answer'
  expect(await runsOf(host, job)).toMatchObject([{ status: 'failed', error }])
})

test('a run whose vendor breaks off each time fails with the reason', async () => {
  const broken = new ModelError('interrupted', 'The connection broke', { transient: true })
  const host = await testHost({ models: scriptedModels(...Array.from({ length: 6 }, () => [broken])) })
  const job = await newJob(host, { timeout_seconds: 36_000 })
  await call(trigger, host, { params: { id: job.id } })
  await call(pause, host, { params: { id: job.id } })
  for (let wait = 0; wait < 6; wait += 1) await pass(host, 10 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'failed', error: 'The connection broke' }])
})

test('an agent is told which job it works for and what the last run returned, unless untrusted text led to that', async () => {
  const fetching = toolCall('web_fetch', { url: 'https://tea.example/' })
  const models = scriptedModels(text('It rains.'), fetching, text('It snows.'), text('The sun shines.'))
  const host = await testHost({ models })
  await newJob(host, { name: 'Weather' })
  await pass(host, hour)
  expect(notesOf(models.calls[0])).toContain('This is a run of the job "Weather".')
  expect(notesOf(models.calls[0])).not.toContain('last run')
  await pass(host, hour)
  expect(notesOf(models.calls[1])).toContain(
    'Its last run ended on 2026-01-05 13:00 UTC with the status succeeded.\nThe result of that run: It rains.',
  )
  await pass(host, hour)
  expect(notesOf(models.calls[3])).toContain('Its last run ended on 2026-01-05 14:00 UTC')
  expect(notesOf(models.calls[3])).not.toContain('snows')
})

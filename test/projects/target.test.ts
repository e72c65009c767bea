import { expect, test } from 'vitest'
import * as projects from '../../handlers/projects/projects.ts'
import { create, remove, trigger, update } from '../../handlers/scheduler/jobs.ts'
import { cancel as cancelRun, dryRun } from '../../handlers/scheduler/runs.ts'
import type { Host } from '../../runtime/host.ts'
import type { Project } from '../../runtime/projects/schema.ts'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { tick } from '../../runtime/tick.ts'
import { call } from '../support/call.ts'
import { type Step, text } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { approved, plannedProject, planStep, projectHost, shown } from './kit.ts'

const guide = planStep({
  a: { title: 'Collect kinds of tea' },
  b: { title: 'Write the guide', depends_on: ['a'] },
})

async function ran(host: Host, job: Job) {
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  return (await runsOf(host, job)).at(-1)
}

const listed = async (host: Host): Promise<Project[]> =>
  (await (await call(projects.list, host, { query: { sort_by: 'oldest' } })).json()).projects

test('each run of a job repeats the approved plan of a project, and ends with it', async () => {
  const { host } = await projectHost(guide)
  const source = await plannedProject(host)
  const target = { kind: 'project', id: source.id }
  const job = await newJob(host, { target, budget: { run_usd: 2 }, delivery: { channel: 'chat' } })
  expect(await ran(host, job)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('is not approved'),
  })

  await approved(host, source.id)
  const run = await ran(host, job)
  const [, copy] = await listed(host)
  expect(run).toMatchObject({ status: 'succeeded', started_id: copy?.id, conversation_id: null })
  expect(run?.output).toContain('Done: Write the guide')
  expect(run?.input_tokens).toBeGreaterThan(0)
  expect(await shown(host, copy?.id ?? '')).toMatchObject({
    name: 'Tea guide 2026-01-05',
    status: 'completed',
    job_id: job.id,
    run_id: run?.id,
    budget: { project_usd: 2 },
    tasks: [{ status: 'completed' }, { status: 'completed' }],
  })
  expect((await shown(host, source.id)).completed_at).not.toBe(null)
  expect(await (await call(dryRun, host, { params: { id: job.id } })).json()).toMatchObject({
    estimate_basis: 'runs',
  })
})

test('a job with only a goal proposes a project, which waits for its owner', async () => {
  const { host } = await projectHost(guide)
  const job = await newJob(host, { goal: 'Write about coffee', target: { kind: 'project' } })
  const run = await ran(host, job)
  const [project] = await listed(host)
  expect(project).toMatchObject({ name: 'Job', description: 'Write about coffee', status: 'pending' })
  expect(run).toMatchObject({ status: 'succeeded', started_id: project?.id })
  expect(run?.output).toContain(`/projects/${project?.id}`)

  expect((await approved(host, project?.id ?? '')).status).toBe('completed')
  expect((await runsOf(host, job)).at(-1)?.input_tokens).toBeGreaterThan(0)
})

test('a plan that cannot be made, and a project that fails, fail the run', async () => {
  const { host } = await projectHost(text('I would rather not.'))
  const job = await newJob(host, { target: { kind: 'project' } })
  expect(await ran(host, job)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('did not return a plan'),
  })

  const failing = await projectHost(guide, () => [new Error('The model is broken')])
  const source = await plannedProject(failing.host)
  await approved(failing.host, source.id)
  const again = await newJob(failing.host, { target: { kind: 'project', id: source.id } })
  expect(await ran(failing.host, again)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('Collect kinds of tea'),
  })
})

test('a cancelled run cancels its project, a cancelled project its run, and a deleted job both', async () => {
  const never: Step = async function* ({ signal }) {
    signal.throwIfAborted()
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    yield* []
  }
  let hangs = false
  const { host } = await projectHost(guide, () => (hangs ? never : undefined))
  const source = await plannedProject(host)
  await approved(host, source.id)
  hangs = true
  const job = await newJob(host, { target: { kind: 'project', id: source.id }, overlap: 'allow' })
  const start = async () => {
    await call(trigger, host, { params: { id: job.id } })
    for (;;) {
      await tick(host)
      const run = (await runsOf(host, job)).at(-1)
      if (run?.started_id && (await shown(host, run.started_id)).tasks[0]?.status === 'running') return run
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const statusOf = async (id: string | null) => (await shown(host, id ?? '')).status

  const first = await start()
  await call(cancelRun, host, { params: { id: job.id, run_id: first.id } })
  await workOff(host)
  expect(await statusOf(first.started_id)).toBe('cancelled')

  const second = await start()
  await call(projects.cancel, host, { params: { id: second.started_id ?? '' } })
  await workOff(host)
  expect((await runsOf(host, job)).at(-1)).toMatchObject({ id: second.id, status: 'cancelled' })

  const third = await start()
  await call(remove, host, { params: { id: job.id } })
  await workOff(host)
  expect(await statusOf(third.started_id)).toBe('cancelled')
})

test.each([
  [{ target: { kind: 'project', id: 'proj_none' } }, 'target.id'],
  [{ target: { kind: 'project' }, execution_mode: 'read_only' }, 'execution_mode'],
  [{ target: { kind: 'project' }, model: 'anthropic/m' }, 'model'],
  [{ target: { kind: 'project' }, agent_id: 'agent_none' }, 'agent_id'],
])('refuses %j', async (own, path) => {
  const { host } = await projectHost(guide)
  const body = { name: 'Job', goal: 'Go', schedule: { type: 'every', interval: 3_600 }, ...own }
  const refused = await call(create, host, { body })
  expect([refused.status, (await refused.json()).issues]).toEqual([422, [expect.objectContaining({ path })]])
  const job = await newJob(host)
  expect((await call(update, host, { params: { id: job.id }, body: own })).status).toBe(422)
})

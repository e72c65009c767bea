import { expect, test } from 'vitest'
import { showPlan } from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { approved, plannedProject, planStep, projectHost, shown, taskNamed } from './kit.ts'

const guide = planStep({
  a: { title: 'Collect kinds of tea' },
  b: { title: 'Collect kinds of water' },
  c: { title: 'Write the guide', depends_on: ['a', 'b'] },
})

test('a plan is made, approved and carried out, and every task reports its result', async () => {
  const { host, models } = await projectHost(guide, ({ messages }, asked) =>
    asked.startsWith('Write the guide') && messages.every(({ role }) => role !== 'tool')
      ? toolCall('files', { action: 'write', path: 'guide.md', content: 'Boil water.' })
      : undefined,
  )
  const planned = await plannedProject(host)
  expect(planned).toMatchObject({
    status: 'pending',
    planning: false,
    plan: { version: 1, status: 'pending_approval', made_by: 'anthropic/m', estimate: { tasks: 3 } },
    phases: [{ name: 'Phase 1', status: 'pending' }],
  })

  const done = await approved(host, planned.id)
  expect(done.status).toBe('completed')
  expect(done.tasks.map(({ status, attempts }) => [status, attempts])).toEqual(Array(3).fill(['completed', 1]))
  expect(taskNamed(done, 'Write the guide').outputs).toMatchObject([
    { kind: 'text', name: 'Report' },
    { kind: 'file', value: 'guide.md', size_bytes: 11 },
  ])
  const prompt = JSON.stringify(models.calls.findLast(({ tools }) => tools.length > 1)?.messages)
  expect(prompt).toContain('Done: Collect kinds of water')
})

test('nothing starts before the plan is approved, and of two approvals one wins', async () => {
  const { host } = await projectHost(guide)
  const { id } = await plannedProject(host)
  expect((await shown(host, id)).tasks.map(({ status }) => status)).toEqual(['pending', 'pending', 'pending'])
  const metrics = await (await call(projects.metrics, host, { params: { id } })).json()
  expect(metrics.waiting_for).toBe('plan_approval')

  const approvals = [1, 2].map(() => call(projects.approve, host, { params: { id } }))
  const statuses = (await Promise.all(approvals)).map(({ status }) => status)
  expect(statuses.sort()).toEqual([200, 409])
})

test('with auto_approve_plan the project starts with its plan', async () => {
  const { host } = await projectHost(guide)
  expect((await plannedProject(host, { auto_approve_plan: true })).status).toBe('completed')
})

test('the offline model plans from a list and runs what its tools can do', async () => {
  const host = await testHost()
  const description = '1. Write "Hello" to hello.txt\n2. Calculate 12 * 34\n3. Compose a symphony'
  const planned = await plannedProject(host, { description })
  expect(planned.tasks.map(({ title }) => title)).toEqual([
    'Write "Hello" to hello.txt',
    'Calculate 12 * 34',
    'Compose a symphony',
  ])
  expect(planned.plan?.made_by).toBe('offline/offline')

  const done = await approved(host, planned.id)
  expect(taskNamed(done, 'Write "Hello" to hello.txt')).toMatchObject({ status: 'completed' })
  expect(taskNamed(done, 'Calculate 12 * 34')).toMatchObject({ status: 'completed' })
  expect(taskNamed(done, 'Compose a symphony')).toMatchObject({
    status: 'failed',
    attempts: 1,
    error: expect.stringContaining('The offline model used no tool, so nothing was done'),
  })
  expect(done).toMatchObject({ status: 'failed', error: expect.stringContaining('Compose a symphony') })
})

test('a cancelled project keeps what is completed and starts nothing more', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'First' } }, { b: { title: 'Second' } }))
  const planned = await plannedProject(host, { auto_approve_phases: false })
  await approved(host, planned.id)
  await call(projects.cancel, host, { params: { id: planned.id } })
  await workOff(host)

  const cancelled = await shown(host, planned.id)
  expect(cancelled.status).toBe('cancelled')
  expect(cancelled.tasks.map(({ status }) => status)).toEqual(['completed', 'cancelled'])
  expect((await call(projects.cancel, host, { params: { id: planned.id } })).status).toBe(409)
})

test('the phases of a plan have their state and their tasks', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'First' } }, { b: { title: 'Second' } }))
  const planned = await plannedProject(host, { auto_approve_phases: false })
  await approved(host, planned.id)
  const plan = await (await call(showPlan, host, { params: { id: planned.id } })).json()
  const [first, second] = planned.tasks.map(({ id }) => id)
  expect(plan.phases).toMatchObject([
    { order: 0, status: 'completed', task_ids: [first] },
    { order: 1, status: 'waiting_approval', task_ids: [second] },
  ])
})

import { expect, test } from 'vitest'
import * as conversations from '../../handlers/chat/conversations.ts'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { addAgent, changeAgent, NewAgent, requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import type { Message } from '../../runtime/chat/schema.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { outputsOf } from '../../runtime/projects/outputs.ts'
import { tick } from '../../runtime/tick.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { listWork } from '../../runtime/work/select.ts'
import { call } from '../support/call.ts'
import { restarted } from '../support/host.ts'
import { hanging, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import {
  approved,
  createProject,
  plannedProject,
  planStep,
  projectHost,
  projectModels,
  shown,
  stopped,
  taskNamed,
  wants,
} from './kit.ts'

const one = planStep({ a: { title: 'Brew tea' } })

test('a project that is cancelled while its plan is made stays cancelled', async () => {
  const reached = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const { host, models } = await projectHost(one)
  const { stream } = models
  models.stream = async function* (modelCall) {
    if (wants(modelCall, 'submit_plan')) {
      reached.resolve()
      await release.promise
    }
    yield* stream.call(models, modelCall)
  }
  const { id } = await createProject(host, { auto_approve_plan: true })
  await call(plan.generatePlan, host, { params: { id } })
  await tick(host)
  await reached.promise
  const cancelled = call(projects.cancel, host, { params: { id } })
  release.resolve()
  expect((await cancelled).status).toBe(200)
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'cancelled', plan: null })
})

test('a task whose agent is disabled fails with the reason, and the project ends', async () => {
  const { host } = await projectHost(one)
  const context = localContext(host)
  const { id: agent_id } = await addAgent(context, NewAgent.parse({ name: 'Helper' }))
  const planned = await plannedProject(host, { agent_id })
  await changeAgent(context, agent_id, { enabled: false })
  const failed = await approved(host, planned.id)
  expect(failed.status).toBe('failed')
  expect(taskNamed(failed, 'Brew tea').error).toContain('Helper is disabled')
  expect((await requireDefaultAgent(context)).enabled).toBe(true)
})

test('a task whose conversation is deleted is tried again', async () => {
  let runs = 0
  const { host } = await projectHost(one, () => {
    runs += 1
    return undefined
  })
  const planned = await plannedProject(host)
  await call(projects.approve, host, { params: { id: planned.id } })
  await tick(host)
  await host.process.running.settled()
  const { conversation_id } = taskNamed(await shown(host, planned.id), 'Brew tea')
  if (conversation_id) await call(conversations.remove, host, { params: { id: conversation_id } })
  await workOff(host)
  expect((await shown(host, planned.id)).status).toBe('completed')
  expect(runs).toBeGreaterThan(0)
})

test('a task of a cancelled project is not retried, and a running one gets no phase before its own', async () => {
  const ask = toolCall('ask_user', { question: 'Green or black?' })
  const { host } = await projectHost(planStep({ a: { title: 'First' } }, { b: { title: 'Second' } }), () => ask)
  const planned = await plannedProject(host, { decision_mode: 'human' })
  await approved(host, planned.id)
  const body = { name: 'Before', order: 0 }
  expect(await (await call(plan.createPhase, host, { params: { id: planned.id }, body })).json()).toMatchObject({
    order: 1,
  })

  await call(projects.cancel, host, { params: { id: planned.id } })
  const { tasks } = await shown(host, planned.id)
  expect(tasks.map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  const params = { id: planned.id, task_id: tasks[0]?.id ?? '' }
  expect((await call(plan.retry, host, { params })).status).toBe(409)
  expect((await call(plan.answer, host, { params, body: { answer: 'Green' } })).status).toBe(409)
})

test('a copy has the tasks that were added by hand', async () => {
  const { host } = await projectHost(one)
  const planned = await plannedProject(host)
  await call(plan.createTask, host, { params: { id: planned.id }, body: { title: 'Drink it' } })
  const copy = await (await call(projects.duplicate, host, { params: { id: planned.id } })).json()
  expect((await shown(host, copy.id)).tasks.map(({ title }) => title)).toEqual(['Brew tea', 'Drink it'])
})

test('the outputs of all answers count, and a large edit is shown as replaced', () => {
  const answer = (content: string, parts: unknown[]) => ({ role: 'assistant', content, parts }) as Message
  const edit = {
    action: 'edit',
    path: 'a.txt',
    find: Array.from({ length: 4_000 }, (_, index) => `old ${index}`).join('\n'),
    replace: Array.from({ length: 4_000 }, (_, index) => `new ${index}`).join('\n'),
  }
  const done = (id: string, input: unknown, output: unknown) => [
    { type: 'tool_use', id, tool: 'files', input, summary: '', state: 'done' },
    { type: 'tool_result', id, tool: 'files', output, is_error: false },
  ]
  const outputs = outputsOf([
    answer('', done('1', { action: 'write', path: 'a.txt', content: 'x' }, { size_bytes: 1 })),
    answer('Ready', done('2', edit, { replacements: 1 })),
  ])
  expect(outputs).toMatchObject([
    { kind: 'text', value: 'Ready' },
    { kind: 'file', value: 'a.txt', size_bytes: 1 },
    { kind: 'diff', name: 'a.txt', value: expect.stringContaining('-old 0') },
  ])
})

test('an attempt that changed something continues, and does it once', async () => {
  let posts = 0
  const { host } = await projectHost(one, ({ messages }, asked) => {
    if (messages.at(-1)?.role === 'tool' && posts === 1 && !asked.startsWith('The task is not done yet'))
      return [new ModelError('internal_error', 'The line broke')]
    if (asked !== 'Brew tea') return undefined
    posts += 1
    return toolCall('files', { action: 'append', path: 'log.txt', content: 'once' })
  })
  const done = await approved(host, (await plannedProject(host)).id)
  expect(taskNamed(done, 'Brew tea')).toMatchObject({
    status: 'completed',
    attempts: 2,
    outputs: [{ kind: 'text' }, { kind: 'file', value: 'log.txt' }],
  })
  expect(posts).toBe(1)
})

test('a crash right after a cancel leaves no turn in the queue', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'Brew tea' } }))
  const { id } = await plannedProject(host)
  await call(projects.approve, host, { params: { id } })
  // The task is started, and its turn is queued for the next tick.
  while ((await shown(host, id)).tasks[0]?.status === 'pending') {
    await tick(host)
    await host.process.running.settled()
  }
  expect(await listWork(host, { kind: 'chat.turn' })).toHaveLength(1)
  // The commit is done, and the daemon stops before anything else.
  const commit = host.sql.write
  host.sql.write = async (...args) => {
    const written = await commit.apply(host.sql, args)
    if (JSON.stringify(args).includes("'cancelled'")) throw new Error('crash')
    return written
  }
  await call(projects.cancel, host, { params: { id } }).catch(() => undefined)
  host.sql.write = commit
  expect((await shown(host, id)).status).toBe('cancelled')
  await workOff(host)
  expect(await listWork(host, { kind: 'chat.turn' })).toEqual([])
})

test('the answer of the owner reaches the attempt after an interrupted one', async () => {
  let runs = 0
  const { host, models } = await projectHost(one, () => {
    runs += 1
    if (runs === 1) return toolCall('ask_user', { question: 'Which tea?' })
    return runs === 2 ? stopped(() => host) : undefined
  })
  const planned = await plannedProject(host, { decision_mode: 'human' })
  const { id } = taskNamed(await approved(host, planned.id), 'Brew tea')
  await call(plan.answer, host, { params: { id: planned.id, task_id: id }, body: { answer: 'Green' } })
  await workOff(host)
  expect((await shown(host, planned.id)).status).toBe('completed')
  expect(JSON.stringify(models.calls.at(-1)?.messages)).toMatch(/Which tea\?.*Green/)
})

test('only what was interrupted is done again, not what the task did before', async () => {
  let runs = 0
  const { host, models } = await projectHost(one, () => {
    runs += 1
    if (runs === 1) return toolCall('files', { action: 'write', path: 'a.txt', content: 'tea' })
    return runs === 2 ? toolCall('files', { action: 'write', path: 'b.txt', content: 'tea' }) : undefined
  })
  const { change } = host.files
  host.files.change = async (...args) => {
    if (runs === 2) host.process.running.abortAll(new Stopping('stopping'))
    return change.apply(host.files, args) as never
  }
  const planned = await plannedProject(host)
  const task = taskNamed(await approved(host, planned.id), 'Brew tea')
  expect(task).toMatchObject({ status: 'blocked', block: { kind: 'repeat' } })
  const answered = { params: { id: planned.id, task_id: task.id }, body: { answer: 'Try again' } }
  await call(plan.answer, host, answered)
  await workOff(host)
  expect((await shown(host, planned.id)).status).toBe('completed')
  const prompt = JSON.stringify(models.calls.at(-1)?.messages)
  expect(prompt).toContain('a.txt')
  expect(prompt).toContain('Do that again')
})

test('a kill is no attempt of the task that it interrupts', async () => {
  const { host: killed } = await projectHost(one, () => hanging)
  const { id } = await plannedProject(killed)
  await call(projects.approve, killed, { params: { id } })
  while (killed.process.running.count('chat.turn') === 0) {
    await tick(killed)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const host = await restarted(
    killed,
    projectModels(() => text('Brewed.')),
  )
  await workOff(host)
  const task = taskNamed(await shown(host, id), 'Brew tea')
  expect(task).toMatchObject({ status: 'completed', attempts: 1 })
})

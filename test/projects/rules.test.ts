import { describe, expect, test } from 'vitest'
import * as files from '../../handlers/projects/files.ts'
import * as plan from '../../handlers/projects/plan.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { sections } from '../../handlers/settings/sections.ts'
import { changeAgent, requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { ModelError, type ModelEvent } from '../../runtime/ports/models.ts'
import { changeSection } from '../../runtime/sections/section.ts'
import { strategySettings } from '../../runtime/settings/strategy.ts'
import { configure } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { type Step, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import {
  approved,
  askedIn,
  createProject,
  plannedProject,
  planStep,
  projectHost,
  shown,
  taskNamed,
  wants,
} from './kit.ts'

const one = planStep({ a: { title: 'Brew tea' } })

describe('the width of a strategy', () => {
  test.each([
    ['economy', 1],
    ['thorough', 2],
    ['balanced', 4],
    ['performance', 8],
  ] as const)('%s runs at most %i tasks at once', async (strategy, width) => {
    const tasks = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`t${index}`, { title: `T${index}` }]))
    let running = 0
    let most = 0
    const { host } = await projectHost(
      planStep(tasks),
      () =>
        async function* () {
          running += 1
          most = Math.max(most, running)
          for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
          running -= 1
          yield { type: 'text', text: 'It tastes of grass.' }
          yield { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }
        },
    )
    const planned = await plannedProject(host, { strategy })
    expect((await approved(host, planned.id)).status).toBe('completed')
    expect(most).toBe(width)
  })
})

test('urgent tasks start first', async () => {
  const order: string[] = []
  const step = planStep({ a: { title: 'Later', priority: 'low' }, b: { title: 'Now', priority: 'urgent' } })
  const { host } = await projectHost(step, (_, asked) => {
    order.push(asked)
    return undefined
  })
  const planned = await plannedProject(host, { strategy: 'economy' })
  await approved(host, planned.id)
  expect(order).toEqual(['Now', 'Later'])
})

test('a phase waits for approval unless phases are approved automatically', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'First' } }, { b: { title: 'Second' } }))
  const planned = await plannedProject(host, { auto_approve_phases: false })
  const waiting = await approved(host, planned.id)
  expect(waiting.status).toBe('running')
  expect(waiting.phases.map(({ status }) => status)).toEqual(['completed', 'waiting_approval'])

  const metrics = await (await call(projects.metrics, host, { params: { id: planned.id } })).json()
  expect(metrics.waiting_for).toBe('phase_approval')
  const listed = (await (await call(projects.list, host)).json()).projects[0]
  expect(listed.progress).toMatchObject({ waiting_for: 'phase_approval', done: 1, total: 2 })
  await call(projects.update, host, { params: { id: planned.id }, body: { name: 'Another look' } })
  await workOff(host)
  const asked = `SELECT 1 FROM events WHERE type = 'approval.required' AND data ->> 'phase_id' IS NOT NULL`
  expect(await host.sql.read(asked)).toHaveLength(1)
  const params = { id: planned.id, phase_id: waiting.phases[1]?.id ?? '' }
  const answers = await Promise.all([1, 2].map(() => call(plan.approvePhase, host, { params })))
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 409])
  await workOff(host)
  expect((await shown(host, planned.id)).status).toBe('completed')
})

describe('a task that fails', () => {
  test('is tried three times, and a retry by a person continues the project', async () => {
    let fail = true
    const { host } = await projectHost(
      planStep({ a: { title: 'Brew tea' }, b: { title: 'Drink', depends_on: ['a'] } }),
      () => (fail ? [new ModelError('internal_error', 'The kettle is broken')] : undefined),
    )
    const planned = await plannedProject(host)
    const failed = await approved(host, planned.id)
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('The kettle is broken') })
    expect(taskNamed(failed, 'Brew tea')).toMatchObject({ status: 'failed', attempts: 3 })
    expect(taskNamed(failed, 'Drink').status).toBe('pending')

    fail = false
    const task_id = taskNamed(failed, 'Brew tea').id
    expect((await call(plan.retry, host, { params: { id: planned.id, task_id } })).status).toBe(200)
    await workOff(host)
    expect((await shown(host, planned.id)).status).toBe('completed')
  })

  test('can be left out, and what depends on it runs', async () => {
    const { host } = await projectHost(
      planStep({ a: { title: 'Brew tea' }, b: { title: 'Drink', depends_on: ['a'] } }),
      (_, asked) => (asked.startsWith('Brew') ? [new ModelError('auth', 'No key')] : undefined),
    )
    const failed = await approved(host, (await plannedProject(host)).id)
    expect(taskNamed(failed, 'Brew tea').attempts).toBe(1)
    await call(plan.skip, host, { params: { id: failed.id, task_id: taskNamed(failed, 'Brew tea').id } })
    await workOff(host)
    expect(await shown(host, failed.id)).toMatchObject({ status: 'completed' })
  })
})

describe('a question of a task', () => {
  const ask = toolCall('ask_user', { question: 'Green or black?', options: ['Green', 'Black'] })
  const asking = (_: unknown, asked: string) => (asked === 'Brew tea' ? ask : undefined)

  test('in decision mode human blocks it, is asked in the project conversation, and its answer continues it', async () => {
    const { host, models } = await projectHost(one, asking)
    const planned = await plannedProject(host, { decision_mode: 'human' })
    const blocked = await approved(host, planned.id)
    const task = taskNamed(blocked, 'Brew tea')
    expect(blocked.status).toBe('running')
    expect(blocked.conversation_id).not.toBeNull()
    expect(task).toMatchObject({
      status: 'blocked',
      block: { question: 'Green or black?', decided_by: null },
    })

    const metrics = await (await call(projects.metrics, host, { params: { id: planned.id } })).json()
    expect(metrics.waiting_for).toBe('answer')
    const params = { id: planned.id, task_id: task.id }
    expect((await call(plan.answer, host, { params, body: { answer: 'Green' } })).status).toBe(200)
    expect((await call(plan.answer, host, { params, body: { answer: 'Black' } })).status).toBe(409)
    await workOff(host)
    const done = await shown(host, planned.id)
    expect(taskNamed(done, 'Brew tea')).toMatchObject({
      status: 'completed',
      attempts: 1,
      block: { answer: 'Green', decided_by: 'human' },
    })
    expect(models.calls.map(askedIn)).toContain('Green')
  })

  test('cannot be asked in decision mode agent: the agent decides, and reports why', async () => {
    const { host, models } = await projectHost(one, () => text('Green, because it is morning.'))
    const done = await approved(host, (await plannedProject(host)).id)
    expect(taskNamed(done, 'Brew tea')).toMatchObject({
      status: 'completed',
      block: null,
      outputs: [{ value: 'Green, because it is morning.' }],
    })
    const work = models.calls.find((modelCall) => wants(modelCall, 'files'))
    expect(work?.system).toContain('Nobody is available to answer questions. Decide what is open')
    expect(work && wants(work, 'ask_user')).toBe(false)
  })
})

test('a result that does not meet its criteria is tried again with what is missing', async () => {
  let reviews = 0
  const step = planStep({ a: { title: 'Brew tea', acceptance: ['It is hot'] } })
  const { host, models } = await projectHost(step, ({ tools }) => {
    if (!tools.some(({ name }) => name === 'submit_verdict')) return undefined
    reviews += 1
    return toolCall('submit_verdict', reviews === 1 ? { met: false, missing: 'It is cold' } : { met: true })
  })
  const done = await approved(host, (await plannedProject(host, { strategy: 'balanced' })).id)
  expect(taskNamed(done, 'Brew tea')).toMatchObject({ status: 'completed', attempts: 2 })
  expect(JSON.stringify(models.calls.at(-2)?.messages)).toContain('It is cold')
})

describe('a plan that cannot be used', () => {
  const many = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`t${index}`, { title: 'x' }]))
  test.each([
    ['prose', text('First you boil water.'), 'no call of submit_plan'],
    ['a cycle', planStep({ a: { title: 'A', depends_on: ['b'] }, b: { title: 'B', depends_on: ['a'] } }), 'cycle'],
    ['an unknown dependency', planStep({ a: { title: 'A', depends_on: ['z'] } }), 'not in the plan'],
    ['an empty task', planStep({ a: { title: ' ' } }), 'title'],
    ['no tasks', planStep({}), 'no tasks'],
    ['501 tasks', planStep(many), 'at most 500'],
  ])('%s is sent back once and then reported', async (_, step, message) => {
    const { host, models } = await projectHost(step)
    const planned = await plannedProject(host)
    expect(planned).toMatchObject({ status: 'pending', plan: null, error: expect.stringContaining(message) })
    expect(models.calls).toHaveLength(2)
  })
})

test('a plan in JSON from a model without tools is accepted', async () => {
  const refusal = new ModelError('internal_error', 'no tools', { refuses: 'tools' })
  const json = '```json\n{"summary": "Tea", "phases": [{"name": "P", "tasks": [{"ref": "a", "title": "Brew"}]}]}\n```'
  const { host } = await projectHost(text('unused'))
  host.models.stream = async function* (modelCall) {
    if (modelCall.tools.length > 0) throw refusal
    yield { type: 'text', text: json }
    yield { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }
  }
  expect((await plannedProject(host)).tasks.map(({ title }) => title)).toEqual(['Brew'])
})

test('refining makes a new version, keeps completed tasks and shows both versions', async () => {
  let refined: string | null = null
  const { host, models } = await projectHost(one)
  const first = await approved(host, (await plannedProject(host)).id)
  const kept = taskNamed(first, 'Brew tea').id
  models.stream = async function* (modelCall) {
    refined = askedIn(modelCall)
    yield* planStep({
      [kept]: { title: 'Brew tea' },
      x: { title: 'Add milk', depends_on: [kept] },
    }) as ModelEvent[]
  }
  const body = { instructions: 'Add milk' }
  expect((await call(plan.refinePlan, host, { params: { id: first.id }, body })).status).toBe(202)
  await workOff(host)
  const second = await shown(host, first.id)
  expect(refined).toContain('Changes: Add milk')
  expect(second).toMatchObject({
    status: 'pending',
    plan: { version: 2, instructions: 'Add milk', estimate: { tasks: 1 } },
  })
  expect(second.tasks.map(({ title, status }) => [title, status])).toEqual([
    ['Brew tea', 'completed'],
    ['Add milk', 'pending'],
  ])
  const { plans } = await (await call(plan.versions, host, { params: { id: first.id } })).json()
  expect(plans.map(({ version, status }: never) => [version, status])).toEqual([
    [2, 'pending_approval'],
    [1, 'superseded'],
  ])
})

test('a project that has a plan does not get a first one, and one without a plan cannot be approved', async () => {
  const { host } = await projectHost(one)
  const { id } = await createProject(host)
  expect((await call(projects.approve, host, { params: { id } })).status).toBe(409)
  expect((await call(plan.regeneratePlan, host, { params: { id } })).status).toBe(409)
  await call(plan.generatePlan, host, { params: { id } })
  expect((await call(plan.generatePlan, host, { params: { id } })).status).toBe(409)
  await workOff(host)
  expect((await call(plan.generatePlan, host, { params: { id } })).status).toBe(409)
})

test('parallel tasks never spend more than the project may', async () => {
  const tasks = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`t${index}`, { title: `T${index}` }]))
  const answer: Step = [
    { type: 'text', text: 'It tastes of grass.' },
    { type: 'finish', reason: 'stop', input_tokens: 10, output_tokens: 1_000 },
  ]
  const { host } = await projectHost(planStep(tasks), () => answer)
  const planned = await plannedProject(host)
  const body = { budget: { project_usd: 0.05, task_usd: null } }
  await call(projects.update, host, { params: { id: planned.id }, body })
  const ended = await approved(host, planned.id)

  const completed = ended.tasks.filter(({ status }) => status === 'completed')
  expect(completed.length).toBeGreaterThan(0)
  const { cost_usd } = await (await call(projects.metrics, host, { params: { id: planned.id } })).json()
  expect(cost_usd).toBeLessThanOrEqual(0.05)
  expect(ended).toMatchObject({ status: 'failed', error: expect.stringContaining('budget') })
})

describe('the files of a project', () => {
  async function withFile() {
    const { host } = await projectHost(one)
    const { id } = await createProject(host)
    const body = new FormData()
    body.append('path', 'drafts')
    body.append('file', new File(['Boil water.'], 'guide.md'))
    expect((await call(files.upload, host, { params: { id }, body })).status).toBe(201)
    return { host, id }
  }

  test('are uploaded, listed and downloaded one by one or as a zip', async () => {
    const { host, id } = await withFile()
    const { files: found } = await (await call(files.outputFiles, host, { params: { id } })).json()
    expect(found).toMatchObject([{ path: 'drafts/guide.md', size_bytes: 11 }])
    const raw = await call(files.raw, host, { params: { id }, query: { path: 'drafts/guide.md' } })
    expect(await raw.text()).toBe('Boil water.')
    expect(raw.headers.get('content-disposition')).toContain('guide.md')

    const { unzipSync, strFromU8 } = await import('fflate')
    const zip = unzipSync(new Uint8Array(await (await call(files.download, host, { params: { id } })).arrayBuffer()))
    expect(Object.entries(zip).map(([name, bytes]) => [name, strFromU8(bytes)])).toEqual([
      ['drafts/guide.md', 'Boil water.'],
    ])
  })

  test.each(['../other/secret.txt', '/etc/passwd', 'drafts/../../x', '%2e%2e/x', 'drafts\\..\\x'])(
    'stay inside its folder: %s',
    async (path) => {
      const { host, id } = await withFile()
      expect((await call(files.raw, host, { params: { id }, query: { path } })).status).toBe(400)
      const form = new FormData()
      form.append('path', path)
      form.append('file', new File(['x'], 'x.txt'))
      const encoded = new Response(form)
      const headers = { 'content-type': encoded.headers.get('content-type') ?? '' }
      const body = await encoded.bytes()
      const { status } = await call(files.upload, host, { params: { id }, body, headers })
      expect(status).toBe(path === '/etc/passwd' ? 201 : 400)
    },
  )
})

test('the list has counts, filters, search and orders', async () => {
  const { host } = await projectHost(one)
  await createProject(host, { name: 'Tea' })
  await createProject(host, { name: 'Coffee' })
  await approved(host, (await plannedProject(host, { name: 'Cocoa' })).id)
  const read = async (query: Record<string, string>) => (await call(projects.list, host, { query })).json()

  const all = await read({})
  expect(all).toMatchObject({ total: 3, status_counts: { pending: 2, running: 0, completed: 1 } })
  expect(all.projects.map(({ name }: never) => name)).toEqual(['Cocoa', 'Coffee', 'Tea'])
  expect(await read({ status: 'completed' })).toMatchObject({ total: 1, projects: [{ name: 'Cocoa' }] })
  expect((await read({ search: 'offe', sort_by: 'name' })).projects).toHaveLength(1)
  expect((await call(projects.list, host, { query: { sort_by: 'size' } })).status).toBe(400)
})

test('a copy has the same plan with its own tasks, not started', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'A' }, b: { title: 'B', depends_on: ['a'] } }))
  const done = await approved(host, (await plannedProject(host)).id)
  const copy = await (await call(projects.duplicate, host, { params: { id: done.id } })).json()
  const copied = await shown(host, copy.id)
  expect(copied).toMatchObject({ status: 'pending', plan: { version: 1, status: 'pending_approval' } })
  expect(copied.tasks[1]?.depends_on).toEqual([copied.tasks[0]?.id])
  expect((await approved(host, copy.id)).status).toBe('completed')
})

test('the settings decide the default strategy, its width and its reviews', async () => {
  const tasks = Object.fromEntries(Array.from({ length: 4 }, (_, index) => [`t${index}`, { title: `T${index}` }]))
  let running = 0
  let most = 0
  const { host } = await projectHost(
    planStep(tasks),
    () =>
      async function* () {
        running += 1
        most = Math.max(most, running)
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
        running -= 1
        yield { type: 'text', text: 'Done' }
        yield { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }
      },
  )
  const body = { default: 'economy', profiles: { economy: { parallelism: 3, review: 'none' } } }
  expect((await call(sections.strategy.update, host, { body })).status).toBe(200)
  const planned = await plannedProject(host)
  expect(planned.strategy).toBe('economy')
  await approved(host, planned.id)
  expect(most).toBe(3)
})

test.each([
  ['cheapest', 'mistral/m'],
  ['strongest', 'anthropic/m'],
  ['agent', 'anthropic/m'],
] as const)('a strategy chooses the %s model among those of the agent', async (model, used) => {
  const { host, models } = await projectHost(planStep({ a: { title: 'Brew tea' } }))
  await configure(host, ['mistral'], { input: 0.1, output: 1 })
  const context = localContext(host)
  const agent = await requireDefaultAgent(host)
  const fallbacks = [{ provider: 'mistral' as const, model: 'm' }]
  await changeAgent(context, agent.id, { model: { provider: 'anthropic', model: 'm', fallbacks } })
  await changeSection(context, strategySettings, { profiles: { balanced: { model } } })
  const done = await approved(host, (await plannedProject(host, { strategy: 'balanced' })).id)
  expect(done.status).toBe('completed')
  const call = models.calls.find(({ tools }) => tools.some(({ name }) => name === 'files'))
  expect(`${call?.provider}/${call?.model}`).toBe(used)
})

test('two changes of a task at the same time are both kept', async () => {
  const { host } = await projectHost(planStep({ a: { title: 'Brew tea' } }))
  const planned = await plannedProject(host)
  const params = { id: planned.id, task_id: taskNamed(planned, 'Brew tea').id }
  const changes = [{ title: 'Brew coffee' }, { description: 'With hot water' }, { priority: 'high' }]
  await Promise.all(changes.map((body) => call(plan.updateTask, host, { params, body })))

  expect((await shown(host, planned.id)).tasks).toMatchObject([Object.assign({}, ...changes)])
})

import { expect, test } from 'vitest'
import * as budgets from '../../handlers/monitoring/budgets.ts'
import * as projects from '../../handlers/projects/projects.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { callModel } from '../../runtime/providers/call.ts'
import { second } from '../../runtime/time.ts'
import { approved, plannedProject, planStep, projectHost, shown, wants } from '../projects/kit.ts'
import { configure, request } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const finish = { type: 'finish', reason: 'stop', input_tokens: 100, output_tokens: 100 } as const
const said: Step = [{ type: 'text', text: 'It tastes of grass.' }, finish]
const six = Object.fromEntries(
  ['a', 'b', 'c', 'd', 'e', 'f'].map((ref) => [ref, { title: `Taste ${ref}`, acceptance: ['It is tasted'] }]),
)
const verdict: Step = [{ type: 'tool_call', id: 'v', name: 'submit_verdict', input: { met: true } }, finish]

test('parallel tasks wait for what the others have reserved, and all are completed', async () => {
  const { host, models } = await projectHost(planStep(six), (one) => (wants(one, 'submit_verdict') ? verdict : said))
  const planned = await plannedProject(host, { strategy: 'performance' })
  const body = { budget: { project_usd: 0.03, task_usd: null } }
  await call(projects.update, host, { params: { id: planned.id }, body })
  const ended = await approved(host, planned.id)
  expect(ended).toMatchObject({ status: 'completed', error: null })
  expect(ended.tasks.map(({ attempts }) => attempts)).toEqual([1, 1, 1, 1, 1, 1])
  // The plan, six answers and six reviews.
  expect(models.calls).toHaveLength(13)
})

test('what is spent refuses a task for good, with the budget and its use', async () => {
  const dear: Step = [
    { type: 'text', text: 'It tastes of grass.' },
    { ...finish, output_tokens: 1_000 },
  ]
  const { host } = await projectHost(planStep(six), () => dear)
  const planned = await plannedProject(host, { strategy: 'performance' })
  const body = { budget: { project_usd: 0.03, task_usd: null } }
  await call(projects.update, host, { params: { id: planned.id }, body })
  const ended = await approved(host, planned.id)
  expect(ended.status).toBe('failed')
  expect(ended.tasks.filter(({ status }) => status === 'completed').length).toBeGreaterThan(0)
  const [failed] = ended.tasks.filter(({ status }) => status === 'failed')
  expect(failed?.error).toContain("The budget the project's own has no room for this call")
})

/** A host with a global budget of $0.012 a day and one call that holds most of it until it is let go. */
async function held() {
  const gate = Promise.withResolvers<void>()
  const models = scriptedModels([gate.promise, { type: 'text', text: 'At last' }, finish], said)
  const host = await testHost({ models })
  await configure(host, ['anthropic'])
  const limit = { scope: { kind: 'global', id: null }, window: 'day', limit_usd: 0.012, action: 'pause' }
  const { id } = await (await call(budgets.create, host, { body: limit })).json()
  const first = consume(host)
  while (models.calls.length === 0) await new Promise(setImmediate)
  const budget = async () => (await (await call(budgets.show, host, { params: { id } })).json()) as { paused: boolean }
  return { host, gate, first, budget }
}

async function consume(host: Parameters<typeof request>[0], max_wait = 0): Promise<string> {
  let text = ''
  for await (const event of callModel(localContext(host), await request(host, 'anthropic', { max_wait })))
    if (event.type === 'text') text += event.text
  return text
}

test('calls of different conversations under one budget wait for each other', async () => {
  const { host, gate, first, budget } = await held()
  const second = consume(host)
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  gate.resolve()
  expect(await Promise.all([first, second])).toEqual(['At last', 'It tastes of grass.'])
  expect((await budget()).paused).toBe(false)
})

test('after half a minute a person is told, work is postponed, and the budget is not paused', async () => {
  const { host, gate, first, budget } = await held()
  const told = consume(host).catch((thrown: unknown) => thrown)
  const postponed = consume(host, Number.POSITIVE_INFINITY).catch((thrown: unknown) => thrown)
  let areRefused = false
  void Promise.all([told, postponed]).then(() => {
    areRefused = true
  })
  while (!areRefused) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    await host.clock.advance(5 * second)
  }
  expect(await told).toBeInstanceOf(ModelError)
  expect((await told) as Error).toMatchObject({
    code: 'budget_exceeded',
    message: expect.stringContaining('while other calls run'),
  })
  expect(await postponed).toMatchObject({ name: 'Postponed', code: 'budget_exceeded' })
  expect((await budget()).paused).toBe(false)
  gate.resolve()
  await first
})

test('a task whose budget is reserved by a long call continues when that has ended', async () => {
  const gate = Promise.withResolvers<void>()
  let asked = 0
  const { host } = await projectHost(planStep(six), () => {
    asked += 1
    return asked === 1 ? [gate.promise, ...(said as never[])] : said
  })
  const planned = await plannedProject(host, { strategy: 'performance' })
  const body = { budget: { project_usd: 0.024, task_usd: null } }
  await call(projects.update, host, { params: { id: planned.id }, body })
  const working = approved(host, planned.id)
  for (let step = 0; step < 12; step += 1) {
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    await host.clock.advance(5 * second)
  }
  gate.resolve()
  await working
  for (let step = 0; step < 10; step += 1) {
    await host.clock.advance(10 * second)
    await workOff(host)
  }
  const ended = await shown(host, planned.id)
  expect(ended.tasks.map(({ status, attempts }) => [status, attempts])).toEqual(Array(6).fill(['completed', 1]))
})

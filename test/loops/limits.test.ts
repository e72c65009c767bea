import { expect, test } from 'vitest'
import * as conversations from '../../handlers/chat/conversations.ts'
import { send } from '../../handlers/chat/stream.ts'
import * as loops from '../../handlers/loops/loops.ts'
import * as budgets from '../../handlers/monitoring/budgets.ts'
import { usage } from '../../handlers/monitoring/usage.ts'
import { create as createJob, trigger } from '../../handlers/scheduler/jobs.ts'
import { changeAgent, requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { loop as loopTool } from '../../runtime/loops/tool.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { configureProvider } from '../../runtime/providers/providers.ts'
import { decide } from '../../runtime/tools/policy.ts'
import { call } from '../support/call.ts'
import { chat, onlyApproval } from '../support/chat.ts'
import { toolCall } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { act, loopHost, newLoop, notYet, ran, shown, writer } from './kit.ts'

const never = Array(100).fill(notYet)

test('the budget in tokens is reserved before each call, so it is never exceeded', async () => {
  const { host } = await loopHost(never, writer())
  const loop = await ran(host, { budget: { tokens: 9_500, usd: null, minutes: null }, max_iterations: 100 })
  expect(loop).toMatchObject({ status: 'failed', stop_reason: 'budget' })
  expect(loop.tokens_used).toBeLessThanOrEqual(9_500)
  expect(loop.iteration).toBeGreaterThanOrEqual(1)
})

test('a budget of five cents is never exceeded, and another run has its own', async () => {
  const { host } = await loopHost(never, writer())
  const loop = await ran(host, { budget: { usd: 0.05, tokens: null, minutes: null }, max_iterations: 100 })
  expect(loop).toMatchObject({ status: 'failed', stop_reason: 'budget' })
  expect(loop.cost_usd).toBeLessThanOrEqual(0.05)
  const [spent] = await host.sql.read<{ usd: number }>('SELECT sum(cost_usd) AS usd FROM model_calls')
  expect(spent?.usd).toBeLessThanOrEqual(0.05)
})

test('budgets with the scope of a loop apply, and usage counts what loops spend', async () => {
  const { host } = await loopHost(never, writer())
  const { id } = await newLoop(host, { max_iterations: 100 })
  const budget = { scope: { kind: 'loop', id }, window: 'day', limit_tokens: 9_000 }
  expect((await call(budgets.create, host, { body: budget })).status).toBe(201)
  const unknown = { ...budget, scope: { kind: 'loop', id: 'loop_x' } }
  expect((await call(budgets.create, host, { body: unknown })).status).toBe(422)
  await act(host, id, 'start')
  await workOff(host)
  expect(await shown(host, id)).toMatchObject({ status: 'failed', stop_reason: 'budget' })
  const used = await (await call(usage, host, { query: { period: '24h' } })).json()
  expect(used.breakdown.loops).toBeGreaterThan(0)
})

test('the minutes of the budget end a run', async () => {
  const { host } = await loopHost(never, ({ messages }) => {
    if (messages.at(-1)?.role === 'tool') return undefined
    host.clock.jump(40_000)
    return toolCall('time', {})
  })
  const loop = await ran(host, { budget: { minutes: 1, usd: null, tokens: null } })
  expect(loop).toMatchObject({ status: 'failed', stop_reason: 'budget', iteration: 2 })
})

test('an iteration that fails is followed by another after a while, and the third failure in a row blocks', async () => {
  const { host } = await loopHost([], () => [new ModelError('internal_error', 'The vendor failed')])
  const { id } = await newLoop(host)
  await act(host, id, 'start')
  for (let round = 0; round < 6; round += 1) {
    await workOff(host)
    await host.clock.advance(60_000)
  }
  expect(await shown(host, id)).toMatchObject({
    status: 'blocked',
    stop_reason: 'stuck',
    iterations: [{ status: 'failed' }, { status: 'failed' }, { status: 'failed' }],
  })
})

test('a model that has no key fails the run, which can be resumed', async () => {
  let broken = true
  const { host } = await loopHost([], () => (broken ? [new ModelError('auth', 'No key')] : undefined))
  const failed = await ran(host)
  expect(failed).toMatchObject({ status: 'failed', stop_reason: 'error', error: 'No key' })
  broken = false
  await act(host, failed.id, 'resume')
  await workOff(host)
  expect(await shown(host, failed.id)).toMatchObject({ status: 'completed', iteration: 2 })
})

test('the tool of agents asks before it starts a loop, but not to look at one', () => {
  const decisionOf = (input: object, permitted = false) => {
    const parsed = loopTool.input.parse(input)
    const { effect, risk } = { effect: loopTool.effect(parsed), risk: loopTool.risk(parsed) }
    const rest = { mode: 'agent', execution_mode: 'auto', permitted, tainted: false } as const
    return decide({ ...rest, effect, risk }).do
  }
  expect(decisionOf({ action: 'start', goal: 'Brew tea' })).toBe('ask')
  expect(decisionOf({ action: 'status' })).toBe('run')
  // "Always" for another action of the tool allows no start.
  expect(decisionOf({ action: 'start', goal: 'Brew tea' }, true)).toBe('ask')
})

test('the approval of a loop that exists names its goal and its limits', async () => {
  const { host } = await loopHost([], ({ messages }, asked) => {
    if (messages.at(-1)?.role === 'tool' || !asked.startsWith('loop_')) return undefined
    return toolCall('loop', { action: 'start', loop_id: asked })
  })
  const { id } = await newLoop(host, { name: 'Tea', max_iterations: 500 })
  await call(send, host, { body: { message: id } })
  await workOff(host)
  expect((await onlyApproval(host)).summary).toBe('Start the loop "Tea": Brew tea (at most 500 iterations)')
})

test('an agent starts a loop; what it asks in an iteration waits for the owner', async () => {
  const { host } = await loopHost([], ({ messages }, asked) => {
    if (messages.at(-1)?.role === 'tool') return undefined
    if (asked === 'Repeat it') return toolCall('loop', { action: 'start', goal: 'Brew tea' })
    return asked === 'Brew tea' ? toolCall('loop', { action: 'start', goal: 'More tea' }) : undefined
  })
  const body = { execution_mode: 'autonomous' }
  const { id } = await (await call(conversations.create, host, { body })).json()
  await chat(host, { message: 'Repeat it', conversation_id: id })
  await workOff(host)
  const { loops: found } = await (await call(loops.list, host)).json()
  expect(found).toMatchObject([{ goal: 'Brew tea', status: 'waiting', next_at: null }])
})

test('a scheduled job starts a run and ends with it', async () => {
  const { host } = await loopHost([notYet], writer())
  const { id } = await newLoop(host)
  const job = await newJob(host, { target: { kind: 'loop', id } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'succeeded', started_id: (await shown(host, id)).run_id })
  const body = { name: 'x', goal: 'x', schedule: job.schedule, target: { kind: 'loop', id: 'loop_x' } }
  expect((await call(createJob, host, { body })).status).toBe(422)
})

test('the stream begins with a snapshot and ends with the run', async () => {
  const { host } = await loopHost([notYet], writer())
  const { id } = await newLoop(host)
  await act(host, id, 'start')
  const response = await call(loops.events, host, { params: { id } })
  const text = response.text()
  await workOff(host)
  const names = [...(await text).matchAll(/^event: (.*)$/gm)].map(([, name]) => name)
  expect([names.at(0), names.at(-1)]).toEqual(['snapshot', 'done'])
  for (const name of ['loop.iteration.started', 'loop.action', 'loop.verdict', 'loop.finished'])
    expect(names).toContain(name)
  expect(names.filter((name) => ['loop.updated', 'loop.iteration', 'loop.created'].includes(name ?? ''))).toEqual([])
  const ids = [...(await text).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
  expect(ids).toHaveLength(names.length)
  expect(ids).toEqual(ids.toSorted((left, right) => left - right))

  const again = await call(loops.events, host, {
    params: { id },
    headers: { 'last-event-id': String(ids[2]) },
  })
  const rest = [...(await again.text()).matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
  expect(rest).toEqual(ids.slice(3))
})

test('a budget in USD that an agent chose needs no price, one that a person set does', async () => {
  const { host } = await loopHost([])
  const access = { provider: 'openai', base_url: 'http://127.0.0.1:9/v1', default_model: 'qwen3:8b' }
  await configureProvider(localContext(host), access)
  await changeAgent(localContext(host), (await requireDefaultAgent(host)).id, {
    model: { provider: 'openai', model: 'qwen3:8b', fallbacks: [] },
  })
  const scope = {
    context: localContext(host),
    agent: await requireDefaultAgent(host),
    conversation_id: 'conv_1',
  }
  const wish = { action: 'start', goal: 'Brew tea', budget_usd: 1 }
  const { loop_id } = (await loopTool.run(wish, scope as never)) as { loop_id: string }
  await workOff(host)
  expect(await shown(host, loop_id)).toMatchObject({ status: 'completed', error: null })

  const params = { id: loop_id }
  await call(loops.update, host, { params, body: { budget: { usd: 2, tokens: null, minutes: null } } })
  await act(host, loop_id, 'start')
  await workOff(host)
  expect(await shown(host, loop_id)).toMatchObject({
    status: 'failed',
    stop_reason: 'budget',
    error: expect.stringContaining('set a price in Settings → Spending, or limit tokens'),
  })
})

test('an agent may set what a person may set', () => {
  const { input } = loopTool
  expect(input.parse({ action: 'start', goal: 'Tea', max_iterations: 1_000 })).toMatchObject({
    max_iterations: 1_000,
  })
  expect(input.safeParse({ action: 'start', goal: 'Tea', max_iterations: 1_001 }).success).toBe(false)
  expect(input.parse({ action: 'stop', loop_id: 'loop_1' })).toEqual({ action: 'stop', loop_id: 'loop_1' })
})

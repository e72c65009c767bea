import { expect, test } from 'vitest'
import { createMemoryHost, type MemoryHost } from '../../adapters/memory/host.ts'
import { send } from '../../handlers/chat/stream.ts'
import { areas } from '../../handlers/index.ts'
import { turnKillSwitch as setKillSwitch } from '../../handlers/monitoring/usage.ts'
import { pause, remove, trigger } from '../../handlers/scheduler/jobs.ts'
import { cancel } from '../../handlers/scheduler/runs.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { type ModelCall, ModelError } from '../../runtime/ports/models.ts'
import { chooseModel } from '../../runtime/providers/access.ts'
import { maxBreaks, postponement } from '../../runtime/providers/postpone.ts'
import { tick } from '../../runtime/tick.ts'
import { hour, minute, second } from '../../runtime/time.ts'
import { channelHost, deliver, message, pairOwner } from '../channels/kit.ts'
import { act, done, newLoop, shown as shownLoop } from '../loops/kit.ts'
import { approved, plannedProject, planStep, projectModels, wants } from '../projects/kit.ts'
import { call } from '../support/call.ts'
import { chat, conversationOf } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { text, toolCall } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { drawn, execution, ran } from '../workflows/kit.ts'
import { configure } from './kit.ts'

/** Models that refuse every call for `seconds` from the first one that `when` accepts, and name the time. */
function limitedModels(seconds: number, when: (call: ModelCall) => boolean = () => true) {
  let host: MemoryHost | undefined
  let until: number | null = null
  const models = projectModels((modelCall) => {
    const now = host?.clock.now() ?? 0
    if (until === null && when(modelCall)) until = now + seconds * second
    if (until !== null && now < until)
      return [new ModelError('rate_limit', 'slow down', { retry_after_seconds: (until - now) / second })]
    if (wants(modelCall, 'submit_verdict')) return done
    if (wants(modelCall, 'submit_plan')) return planStep({ a: { title: 'Brew tea' } })
    return text('It is noon.')
  })
  const use = async (made: MemoryHost) => {
    host = made
    await configure(made, ['anthropic'])
    return made
  }
  return { models, use }
}

async function limitedHost(seconds: number, when?: (call: ModelCall) => boolean) {
  const { models, use } = limitedModels(seconds, when)
  return { host: await use(await testHost({ models })), models }
}

async function pass(host: MemoryHost, milliseconds: number): Promise<void> {
  await host.clock.advance(milliseconds)
  await workOff(host)
}

test('a run of a job waits for the vendor; the wait is no attempt and no part of its time limit', async () => {
  const { host, models } = await limitedHost(1_800)
  const job = await newJob(host, { timeout_seconds: 600, retry: { max_attempts: 1 } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  expect(models.calls).toHaveLength(1)
  await pass(host, 11 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'running' }])
  await pass(host, 20 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', attempt: 1, output: 'It is noon.' }])
  expect(models.calls).toHaveLength(2)
})

test.each(['project', 'loop'])('nor does the wait of a %s that it started', async (kind) => {
  let isLimited = false
  const { host } = await limitedHost(1_800, () => isLimited)
  const source = kind === 'loop' ? await newLoop(host) : await plannedProject(host)
  if (kind === 'project') await approved(host, source.id)
  isLimited = true
  const target = { kind, id: source.id }
  const job = await newJob(host, { target, timeout_seconds: 600, retry: { max_attempts: 1 } })
  await call(pause, host, { params: { id: job.id } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  await pass(host, 11 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'running' }])
  await pass(host, 20 * minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', attempt: 1 }])
})

test('cancelling a run ends its wait', async () => {
  const { host, models } = await limitedHost(1_800)
  const job = await newJob(host)
  await call(pause, host, { params: { id: job.id } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  const [run] = await runsOf(host, job)
  await call(cancel, host, { params: { id: job.id, run_id: run?.id ?? '' } })
  await pass(host, hour)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'cancelled' }])
  expect(models.calls).toHaveLength(1)
  await call(remove, host, { params: { id: job.id } })
})

test.each([
  ['its turn', 'files'],
  ['its judge', 'submit_verdict'],
])('a loop waits for the vendor in %s, which uses up none of its minutes', async (_, tool) => {
  const { host } = await limitedHost(1_800, (modelCall) => wants(modelCall, tool))
  const { id } = await newLoop(host, { budget: { minutes: 5, usd: null, tokens: null } })
  await act(host, id, 'start')
  await workOff(host)
  const until = new Date(host.clock.now() + 1_800 * second).toISOString()
  expect(await shownLoop(host, id)).toMatchObject({
    status: 'waiting',
    next_at: until,
    error: expect.stringContaining('slow down'),
  })
  for (let minutes = 0; minutes < 31; minutes += 1) await pass(host, 1 * minute)
  expect(await shownLoop(host, id)).toMatchObject({ status: 'completed', iteration: 1, error: null })
  expect((await shownLoop(host, id)).active_seconds).toBeLessThan(60)
})

test.each([
  ['agent', { prompt: 'Tell the time' }],
  ['llm', { prompt: 'Tell the time' }],
])('a workflow node %s waits for the vendor', async (type, params) => {
  const { host } = await limitedHost(300)
  const nodes = { start: { type: 'trigger.manual' }, ask: { type, params } }
  const run = await ran(host, drawn(nodes, ['start → ask']))
  expect(run.status).toBe('waiting')
  await pass(host, 301 * second)
  const ended = await execution(host, run.id)
  expect(ended).toMatchObject({ status: 'succeeded', error: null })
})

test('a helper of a job waits for the vendor', async () => {
  const { models, use } = limitedModels(300, ({ system, messages }) =>
    JSON.stringify([system, messages]).includes('You are a helper'),
  )
  const { stream } = models
  models.stream = async function* (modelCall) {
    const isFirst = !JSON.stringify(modelCall).includes('Count to three')
    if (isFirst) yield* toolCall('delegate', { task: 'Count to three' })
    else yield* stream.call(models, modelCall)
  }
  const host = await use(await testHost({ models }))
  const job = await newJob(host, { retry: { max_attempts: 1 } })
  await call(trigger, host, { params: { id: job.id } })
  let isDone = false
  const working = workOff(host).finally(() => {
    isDone = true
  })
  for (let step = 0; !isDone && step < 300; step += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5))
    await host.clock.advance(10 * second)
    void tick(host)
  }
  await working
  await workOff(host)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', attempt: 1 }])
  expect(models.calls.map(({ messages }) => messages.length)).toHaveLength(3)
})

test.each([
  [600, 'It is noon.'],
  [3_600, 'It is noon.'],
  [13 * 3_600, 'slow down'],
])('a channel is answered after a wait of %i s, or told if it takes too long', async (seconds, answer) => {
  const { models, use } = limitedModels(seconds)
  const kit = await channelHost({ models })
  await use(kit.host)
  await pairOwner(kit)
  await deliver(kit, message())
  await pass(kit.host, (seconds + 1) * second)
  expect(kit.script.texts.at(-1)).toContain(answer)
})

test('a person in front of a chat is told at once', async () => {
  const { host, models } = await limitedHost(300)
  expect((await chat(host, { message: 'Hello' })).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'rate_limit' },
  })
  expect(models.calls).toHaveLength(1)
})

test('the switch that stops all calls pauses a job, and does not fail it', async () => {
  const { host, models } = await limitedHost(0)
  await call(setKillSwitch, host, { body: { paused: true } })
  const job = await newJob(host, { retry: { max_attempts: 1 } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  await pass(host, minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'running' }])
  expect(models.calls).toHaveLength(0)
  await call(setKillSwitch, host, { body: { paused: false } })
  await pass(host, minute)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded' }])
})

/** Models that break off the first `breaks` answers. */
async function brokenHost(breaks: number, error: ModelError, half = 'Half an ans') {
  let broken = 0
  const models = projectModels((modelCall) => {
    if (wants(modelCall, 'submit_verdict')) return done
    if (wants(modelCall, 'submit_plan')) return planStep({ a: { title: 'Brew tea' } })
    broken += 1
    return broken > breaks ? text('It is noon.') : [...(half ? [{ type: 'text' as const, text: half }] : []), error]
  })
  const host = await testHost({ models })
  await configure(host, ['anthropic'])
  return { host, models }
}

test.each([
  ['breaks off its answer', new ModelError('interrupted', 'The connection broke', { transient: true }), 'Half an ans'],
  ['falls silent in its answer', new ModelError('timeout', 'sent nothing'), 'Half an ans'],
  ['does not answer in time', new ModelError('timeout', 'no answer'), ''],
])('a vendor that %s uses up no attempt of a job', async (_, error, half) => {
  const { host, models } = await brokenHost(2, error, half)
  const job = await newJob(host, { retry: { max_attempts: 1 } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  for (let minutes = 0; minutes < 10; minutes += 1) await pass(host, minute)
  const [run] = await runsOf(host, job)
  expect(run).toMatchObject({ status: 'succeeded', attempt: 1, output: 'It is noon.' })
  expect(models.calls).toHaveLength(3)
})

test('an answer that always breaks off fails after the maximum', async () => {
  const { host, models } = await brokenHost(Number.POSITIVE_INFINITY, new ModelError('interrupted', 'It broke'))
  const job = await newJob(host, { retry: { max_attempts: 1 } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  for (let minutes = 0; minutes < 30; minutes += 1) await pass(host, minute)
  expect(await runsOf(host, job)).toMatchObject([{ attempt: 1, error: 'It broke' }])
  expect(models.calls).toHaveLength(maxBreaks + 1)
})

test.each(['agent', 'llm'])('a workflow node %s fails after as many broken answers', async (type) => {
  const { host, models } = await brokenHost(Number.POSITIVE_INFINITY, new ModelError('interrupted', 'It broke'))
  const nodes = { start: { type: 'trigger.manual' }, ask: { type, params: { prompt: 'Tell the time' } } }
  const run = await ran(host, drawn(nodes, ['start → ask']))
  for (let minutes = 0; minutes < 30; minutes += 1) await pass(host, minute)
  expect(await execution(host, run.id)).toMatchObject({ status: 'failed' })
  expect(models.calls).toHaveLength(maxBreaks + 1)
})

test('a wait survives a restart, and a later message of its conversation is answered after it', async () => {
  const { host, models } = await limitedHost(1_800)
  const job = await newJob(host, { retry: { max_attempts: 1 } })
  await call(trigger, host, { params: { id: job.id } })
  await workOff(host)
  const [run] = await runsOf(host, job)
  const conversation_id = run?.conversation_id ?? ''
  await call(send, host, { body: { message: 'And the date?', conversation_id } })
  await pass(host, minute)
  const waiting = { until: new Date(host.clock.now() + 29 * minute).toISOString(), code: 'rate_limit' }
  expect(await conversationOf(host, conversation_id)).toMatchObject({ status: 'running', waiting })
  expect(models.calls).toHaveLength(1)

  const { sql, secrets, files } = host
  const next = await createMemoryHost(areas, { sql, secrets, files, models })
  await pass(next, minute)
  expect(await runsOf(next, job)).toMatchObject([{ status: 'running', attempt: 1 }])
  expect(await conversationOf(next, conversation_id)).toMatchObject({ status: 'running', waiting })
  expect(models.calls).toHaveLength(1)
  await host.clock.advance(30 * minute)
  await pass(next, 30 * minute)
  expect(await runsOf(next, job)).toMatchObject([{ status: 'succeeded', attempt: 1, output: 'It is noon.' }])
  const asked = models.calls.map(({ messages }) => JSON.stringify(messages).includes('And the date?'))
  expect(asked).toEqual([false, false, true])
  expect(await conversationOf(next, conversation_id)).toMatchObject({ status: 'idle', waiting: null })
})

test('a channel answers the message that waits before a later one', async () => {
  const { models, use } = limitedModels(600)
  const kit = await channelHost({ models })
  await use(kit.host)
  await pairOwner(kit)
  await deliver(kit, message({ text: 'What of question 1?' }))
  await pass(kit.host, minute)
  await deliver(kit, message({ text: 'What of question 2?' }))
  await pass(kit.host, minute)
  expect(models.calls).toHaveLength(1)
  await pass(kit.host, 600 * second)
  const asked = models.calls.map(({ messages }) => JSON.stringify(messages).includes('question 2'))
  expect(asked).toEqual([false, false, true])
})

test('a wait is as long as the vendor asks, also if the success of another call has ended the cooldown', async () => {
  const { host } = await limitedHost(0)
  const context = localContext(host)
  const access = await chooseModel(context, null, (await requireDefaultAgent(host)).model)
  const thrown = new ModelError('rate_limit', 'slow down', { retry_after_seconds: 5 })
  const wanted = { access, max_wait: hour, step: 0, began: false }
  const postponed = await postponement(context, wanted, thrown)
  expect(postponed?.until).toBe(host.clock.now() + 5 * second)
})

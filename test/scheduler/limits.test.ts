import { expect, test } from 'vitest'
import { create as createAgent } from '../../handlers/agents/agents.ts'
import { create as createBudget } from '../../handlers/monitoring/budgets.ts'
import { hour } from '../../runtime/time.ts'
import { call } from '../support/call.ts'
import { conversationOf } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'

async function pass(host: Awaited<ReturnType<typeof testHost>>, milliseconds: number): Promise<void> {
  await host.clock.advance(milliseconds)
  await workOff(host)
}

test('a budget of one job stops its runs, and no others', async () => {
  const models = scriptedModels(...Array.from({ length: 9 }, () => text('Done')))
  const host = await testHost({ models })
  const [kept, free] = [await newJob(host, { name: 'kept' }), await newJob(host, { name: 'free' })]
  const body = { scope: { kind: 'job', id: kept.id }, window: 'day', limit_tokens: 1, action: 'block' }
  expect((await call(createBudget, host, { body })).status).toBe(201)
  await pass(host, hour)
  const [run] = await runsOf(host, kept)
  expect(run).toMatchObject({ status: 'failed', input_tokens: 0, cost_usd: 0 })
  expect(run?.error).toMatch(/budget/i)
  expect(await runsOf(host, free)).toMatchObject([{ status: 'succeeded' }])
  expect(models.calls).toHaveLength(1)
})

test('a read-only job writes nothing, whatever its agent may do', async () => {
  const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })
  const host = await testHost({ models: scriptedModels(write, text('I may not')) })
  const job = await newJob(host, { execution_mode: 'read_only' })
  await pass(host, hour)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded', output: 'I may not' }])
  expect(await host.files.list(`workspaces/${job.agent_id}`)).toEqual([])
})

test('a run has the instructions and tools of its agent, and no others', async () => {
  const models = scriptedModels(text('Done'))
  const host = await testHost({ models })
  const tools = { allow: ['time', 'files'], deny: ['files'] }
  const body = { name: 'Clerk', system_prompt: 'You are a clerk.', tools }
  const agent = (await (await call(createAgent, host, { body })).json()) as { id: string }
  const job = await newJob(host, { agent_id: agent.id })
  await pass(host, hour)
  const [made] = models.calls
  expect(made?.system).toContain('You are a clerk.')
  expect(made?.tools.map(({ name }) => name)).toEqual(['time'])
  const [run] = await runsOf(host, job)
  expect((await conversationOf(host, run?.conversation_id ?? '')).agent_id).toBe(agent.id)
})

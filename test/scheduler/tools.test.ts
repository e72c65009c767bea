import { expect, test } from 'vitest'
import { send } from '../../handlers/chat/stream.ts'
import { list } from '../../handlers/scheduler/jobs.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import { localContext } from '../../runtime/auth/local.ts'
import { StreamRequest } from '../../runtime/chat/schema.ts'
import { sendMessage } from '../../runtime/chat/send.ts'
import type { Host } from '../../runtime/host.ts'
import { contextOf } from '../../runtime/http/serve.ts'
import type { Job } from '../../runtime/scheduler/schema.ts'
import { configureAgent } from '../providers/kit.ts'
import { call } from '../support/call.ts'
import { chat, onlyApproval, onlyConversation } from '../support/chat.ts'
import { adminCaller, peer, testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'
import { findTool } from '../tools/bench.ts'

async function use(host: Host, name: string, input: Record<string, unknown>): Promise<Record<string, unknown>> {
  const context = { ...contextOf(new Request('http://127.0.0.1/'), host, peer), caller: adminCaller }
  const agent = await requireDefaultAgent(host)
  const { signal } = new AbortController()
  const scope = {
    context,
    agent,
    conversation_id: 'conv_1',
    project_id: null,
    message_id: 'msg_1',
    call_id: 'call_1',
    tainted: false,
    signal,
  }
  const tool = findTool(name)
  if (!tool) throw new Error(`no tool ${name}`)
  return (await tool.run(tool.input.parse(input), scope)) as Record<string, unknown>
}

const jobs = async (host: Host): Promise<Job[]> => (await (await call(list, host)).json()).jobs

test('an agent schedules, lists and cancels jobs', async () => {
  const host = await testHost()
  const wish = { name: 'Tea', goal: 'Remind me of the tea', when: 'in 20 minutes' }
  const made = await use(host, 'schedule_job', wish)
  expect(made).toMatchObject({ name: 'Tea', status: 'active', next_run_at: '2026-01-05T12:20:00.000Z' })
  expect(await jobs(host)).toMatchObject([{ id: made.id, goal: wish.goal, delivery: { channel: 'chat' } }])
  expect(await use(host, 'list_jobs', {})).toMatchObject({ jobs: [{ id: made.id }], total: 1 })
  await expect(use(host, 'cancel_job', { name: 'Coffee' })).rejects.toThrow('No job is named "Coffee"')
  expect(await use(host, 'cancel_job', { name: 'tea' })).toEqual({
    cancelled: true,
    id: made.id,
    name: 'Tea',
  })
  expect(await jobs(host)).toEqual([])
})

test('an agent in the mode auto asks before it schedules what nobody typed', async () => {
  const models = scriptedModels(
    toolCall('schedule_job', { name: 'Tea', goal: 'Tea', when: 'every minute' }),
    text('Asked.'),
  )
  const host = await testHost({ models })
  await configureAgent(host, { execution_mode: 'auto' })
  await call(send, host, { body: { message: 'Tea' } })
  await workOff(host)
  expect(await onlyApproval(host)).toMatchObject({ tool: 'schedule_job', status: 'pending', risk: 'high' })
  expect(await jobs(host)).toEqual([])
})

const typed = 'Remind me tomorrow at 5pm to call my mother'
const reminder = { name: 'Call mother', goal: 'Remind the user to call their mother.', when: 'tomorrow at 5pm' }

test.each([
  ['with the words of the person', typed, reminder],
  ['with the time as a date', typed, { ...reminder, when: '2026-01-06T17:00:00Z' }],
  ['repeated', 'Tea every minute!', { name: 'Tea', goal: 'Tea', when: 'every minute' }],
])('a reminder that a person typed asks as little as its form: %s', async (_, message, input) => {
  const host = await testHost({ models: scriptedModels(toolCall('schedule_job', input), text('Done.')) })
  await chat(host, { message })
  expect(await jobs(host)).toMatchObject([{ goal: input.goal }])
})

test.each([
  ['another time', typed, { ...reminder, when: 'tomorrow at 6pm' }, {}],
  ['repeated', typed, { ...reminder, when: 'every day at 5pm' }, {}],
  ['another goal', typed, { ...reminder, goal: 'Call my mother and pay 100 euros' }, {}],
  ['another name', typed, { ...reminder, name: 'Pay' }, {}],
  ['a long text that may be pasted', `${typed}${' and so on'.repeat(30)}`, reminder, {}],
  ['text from outside in the message', `${typed}\n<untrusted>\nx\n</untrusted>`, reminder, {}],
  ['text from outside before', typed, reminder, { tainted: true }],
  ['that another program sent', typed, reminder, { by_person: false }],
  ['typed in an earlier message', typed, reminder, { later: true }],
])('what a person has not typed asks: %s', async (_, message, input, how) => {
  const { tainted = false, by_person = true, later = false } = how as Record<string, boolean>
  const host = await testHost({ models: scriptedModels(text('Hm'), toolCall('schedule_job', input), text('Done.')) })
  await chat(host, { message: later ? message : 'Hello' })
  const { id: conversation_id } = await onlyConversation(host)
  if (tainted) await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  const body = StreamRequest.parse({ message: later ? 'Go' : message, conversation_id })
  await sendMessage(localContext(host), body, { by_person })
  await workOff(host)
  expect(await onlyApproval(host)).toMatchObject({ tool: 'schedule_job', status: 'pending', risk: 'high' })
  expect(await jobs(host)).toEqual([])
})

test('one message makes one job without asking, and none where nothing may be changed', async () => {
  const twice = toolCall('schedule_job', reminder).toSpliced(
    1,
    0,
    ...toolCall('schedule_job', reminder, 'b').slice(0, 1),
  )
  const host = await testHost({ models: scriptedModels(twice, toolCall('schedule_job', reminder), text('No.')) })
  await call(send, host, { body: { message: typed } })
  await workOff(host)
  expect(await jobs(host)).toHaveLength(1)
  expect(await onlyApproval(host)).toMatchObject({ status: 'pending' })
  await configureAgent(host, { execution_mode: 'read_only' })
  await call(send, host, { body: { message: typed } })
  await workOff(host)
  expect(await jobs(host)).toHaveLength(1)
})

test("an agent's job may do no more than the agent", async () => {
  const host = await testHost()
  await use(host, 'schedule_job', { name: 'Tea', goal: 'Tea', when: 'every 2 hours' })
  const agent = await requireDefaultAgent(host)
  expect(await jobs(host)).toMatchObject([{ agent_id: agent.id, execution_mode: 'approval_required' }])
})

test('text without a future time is refused with a hint', async () => {
  const host = await testHost()
  for (const when of ['soon', 'yesterday', '2020-01-01T00:00:00Z', '99 * * * *'])
    await expect(use(host, 'schedule_job', { name: 'Tea', goal: 'Tea', when })).rejects.toThrow('names no future time')
})

test('asked in plain English, the offline model schedules a job', async () => {
  const host = await testHost()
  const events = await chat(host, { message: 'what jobs do I have?' })
  expect(events.find(({ event }) => event === 'tool_use')?.data).toMatchObject({ tool: 'list_jobs' })
})

import { expect, test, vi } from 'vitest'
import { noOutbound } from '../../adapters/memory/absent.ts'
import type { MemoryHost } from '../../adapters/memory/host.ts'
import { send } from '../../handlers/chat/stream.ts'
import * as hooks from '../../handlers/hooks/hooks.ts'
import { answer } from '../../handlers/workflows/executions.ts'
import { commit } from '../../runtime/events/commit.ts'
import { batchFilter } from '../../runtime/hooks/filter.ts'
import { hookEvents } from '../../runtime/hooks/hook-consumer.ts'
import { minute } from '../../runtime/time.ts'
import { channelHost, pairOwner } from '../channels/kit.ts'
import { call } from '../support/call.ts'
import { conversationOf, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { newJob, runsOf } from '../support/scheduler.ts'
import { workOff } from '../support/work.ts'
import { created, drawn, execution, ran, started } from '../workflows/kit.ts'
import { chainEvent, happen, hostWith, newWebhook, pass, receiver } from './kit.ts'

async function made(host: MemoryHost, body: object) {
  const response = await call(hooks.create, host, { body: { name: 'Mine', ...body } })
  expect([response.status, response.status < 300 || (await response.clone().text())]).toEqual([201, true])
  return (await response.json()).id as string
}

const runs = async (host: MemoryHost, id: string) =>
  (await (await call(hooks.runs, host, { params: { id } })).json()).runs

const rule = (expression: string, more: object = {}) => ({
  events: ['tool.before'],
  blocking: true,
  action: { kind: 'decide', expression },
  ...more,
})

const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })

/** The only tool call, with its result. */
async function callOf(host: MemoryHost) {
  const { messages } = await conversationOf(host, (await onlyConversation(host)).id)
  const parts = messages.flatMap((message) => message.parts)
  const result = parts.find((part) => part.type === 'tool_result')
  const use = parts.find((part) => part.type === 'tool_use')
  return { ...use, output: result?.output }
}

/** Sends a message, whose answer may wait for a person. */
async function say(host: MemoryHost, message: string): Promise<number> {
  const { status } = await call(send, host, { body: { message } })
  await workOff(host)
  return status
}

test('an event runs the hooks that want it, once, with its data', async () => {
  const site = receiver()
  const host = await hostWith(site)
  const id = await made(host, {
    events: ['chain.*'],
    filter: `data.name != 'no'`,
    action: { kind: 'http', url: 'https://example.org/in', body: 'Chain {{ data.name }}' },
  })
  await happen(host, 'one', 'no')
  await commit(host, [], [chainEvent('of another', 'user_other')])
  await workOff(host)
  await pass(host, minute)
  expect(site.received.map(({ body }) => body)).toEqual(['Chain one'])
  expect(await runs(host, id)).toMatchObject([
    { event_type: 'chain.created', status: 'succeeded', result: { status: 200, body: 'ok' } },
  ])
})

test('a request that fails is repeated three times, then the run has failed', async () => {
  const site = receiver(() => 500)
  const host = await hostWith(site)
  const action = { kind: 'http', url: 'https://example.org' }
  const id = await made(host, { events: ['chain.created'], action })
  await happen(host, 'one')
  await workOff(host)
  for (let count = 0; count < 4; count += 1) await pass(host, 3 * minute)
  expect(site.received).toHaveLength(4)
  expect(await runs(host, id)).toMatchObject([{ status: 'failed', error: 'Failed 4 times' }])
})

test('a hook notifies its owner in one conversation', async () => {
  const host = await testHost()
  await made(host, {
    events: ['chain.created'],
    action: { kind: 'notify', message: 'Chain {{ data.name }}' },
  })
  await happen(host, 'one', 'two')
  await workOff(host)
  const { messages } = await conversationOf(host, (await onlyConversation(host)).id)
  expect(messages.map(({ content }) => content)).toEqual(['Chain one', 'Chain two'])
})

test('a hook notifies its owner on a channel, and only on a channel of its own', async () => {
  const kit = await channelHost()
  await pairOwner(kit)
  const { host, channel } = kit
  const action = {
    kind: 'notify',
    channel: 'channel',
    channel_id: channel.id,
    message: 'Chain {{ data.name }}',
  }
  const id = await made(host, { events: ['chain.created'], action })
  await happen(host, 'one', 'two')
  await workOff(host)
  expect(kit.script.sent.map(({ peer, markdown }) => [peer.id, markdown])).toEqual([
    ['ada', 'Chain one'],
    ['ada', 'Chain two'],
  ])
  expect((await runs(host, id))[0].result).toMatchObject({ channel_id: channel.id })

  for (const channel_id of [null, 'chan_other']) {
    const body = { name: 'Mine', events: ['chain.created'], action: { ...action, channel_id } }
    const refused = await call(hooks.create, host, { body })
    expect([refused.status, (await refused.json()).issues[0].path]).toEqual([422, 'action.channel_id'])
  }
})

test('a hook starts an agent and a job', async () => {
  const host = await testHost({ models: scriptedModels(text('Seen'), text('Done')) })
  const job = await newJob(host)
  const events = ['chain.created']
  const agent = await made(host, { events, action: { kind: 'agent', message: 'See {{ data.name }}' } })
  await made(host, { events, action: { kind: 'job', job_id: job.id } })
  await happen(host, 'one')
  await workOff(host)
  expect((await runs(host, agent))[0].result.conversation_id).toMatch(/^conv_/)
  expect(await runsOf(host, job)).toMatchObject([{ status: 'succeeded' }])
})

test('filters and templates see the text of a message, and the input and output of a tool', async () => {
  const site = receiver()
  const read = toolCall('files', { action: 'read', path: 'note.txt' })
  const models = scriptedModels(read, text('It is written'))
  const host = await testHost({ models, outbound: site.outbound })
  const note = (message: string) => ({ kind: 'notify', message })
  const ids = []
  for (const [type, filter, message] of [
    ['message.received', `$contains(data.text, 'Write')`, 'In: {{ data.text }}'],
    ['message.sent', '', 'Out: {{ data.text }}'],
    ['tool.before', `data.input.path = 'note.txt'`, 'Into {{ data.input.path }}'],
    ['tool.after', '', 'Came {{ $type(data.output) }} of {{ data.input.path }}'],
  ])
    ids.push(await made(host, { name: type, events: [type], filter, action: note(message ?? '') }))
  await newWebhook(host, { events: ['message.sent'] })
  await say(host, 'Write it')
  await workOff(host)
  const said: string[] = []
  for (const id of ids) {
    const [run] = await runs(host, id)
    const { messages } = await conversationOf(host, run.result.conversation_id)
    said.push(messages[0]?.content ?? '')
  }
  expect(said).toEqual(['In: Write it', 'Out: It is written', 'Into note.txt', 'Came string of note.txt'])
  expect(site.received.map(({ body }) => JSON.parse(body).data.text)).toEqual(['It is written'])
})

test('a hook that causes its own event ends after three runs', async () => {
  const host = await testHost()
  const action = { kind: 'agent', message: 'Again' }
  const id = await made(host, { events: ['message.sent'], action })
  await say(host, 'Hi')
  expect((await runs(host, id)).map(({ status }: { status: string }) => status)).toEqual([
    'skipped',
    'succeeded',
    'succeeded',
    'succeeded',
  ])
})

test('a blocking hook denies a tool call with its reason', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Then not')) })
  const expression = `data.tool = 'files' ? {'decision': 'deny', 'reason': 'not on Sundays'} : 'allow'`
  const id = await made(host, rule(expression))
  await say(host, 'Write it')
  expect(await callOf(host)).toMatchObject({
    state: 'denied',
    output: 'A hook refused this call: not on Sundays',
  })
  expect(host.events).toContain('tool.denied')
  expect(host.events).not.toContain('tool.before')
  expect(await runs(host, id)).toMatchObject([{ decision: 'deny', result: { reason: 'not on Sundays' } }])
})

test('a blocking hook asks a person although the call needs no approval', async () => {
  const read = toolCall('files', { action: 'list' })
  const host = await testHost({ models: scriptedModels(read, text('ok')) })
  await made(host, rule(`'ask'`))
  await say(host, 'List them')
  expect(await callOf(host)).toMatchObject({ state: 'waiting' })
  expect(host.events).toContain('approval.requested')
})

test('hooks decide by priority, and each sees the input as the one before has left it', async () => {
  const host = await testHost({ models: scriptedModels(toolCall('files', { action: 'list' }), text('ok')) })
  const seen = `{'input': $merge([data.input, {'path': data.input.path & '/b'}])}`
  const second = await made(host, rule(seen, { priority: 20 }))
  await made(host, rule(`{'input': $merge([data.input, {'path': 'a'}])}`, { priority: 10 }))
  await say(host, 'List them')
  expect(await callOf(host)).toMatchObject({ input: { action: 'list', path: 'a/b' } })
  const [run] = await runs(host, second)
  const shown = await call(hooks.run, host, { params: { id: second, run_id: run.id } })
  expect(await shown.json()).toMatchObject({ event: { data: { tool: 'files', input: { path: 'a' } } } })
})

test('an input that a hook has spoilt is refused', async () => {
  const host = await testHost({ models: scriptedModels(toolCall('files', { action: 'list' }), text('ok')) })
  await made(host, rule(`{'input': {'action': 'explode'}}`))
  await say(host, 'List them')
  expect(await callOf(host)).toMatchObject({
    state: 'denied',
    output: expect.stringContaining('A hook changed the input'),
  })
})

/** A workflow whose only action calls a tool. */
const flow = (retry: object = {}) =>
  drawn(
    {
      start: { type: 'trigger.manual' },
      write: {
        type: 'tool',
        params: { tool: 'files', input: { action: 'write', path: 'note.txt', content: '=input.text' } },
        ...retry,
      },
    },
    ['start → write'],
  )

test('a blocking hook refuses the tool of a workflow, or changes its input', async () => {
  const host = await testHost()
  const filter = 'data.workflow_id != null and data.node_id = "write"'
  const changed = `data.input.content = 'secret' ? {'decision': 'deny', 'reason': 'no secrets'} : {'input': $merge([data.input, {'path': 'other.txt'}])}`
  const id = await made(host, rule(changed, { filter }))
  const refused = await ran(host, flow(), { input: { text: 'secret' } })
  expect(refused).toMatchObject({
    status: 'failed',
    error: { node_id: 'write', code: 'refused', message: 'A hook refused this call: no secrets' },
  })
  const done = await ran(host, flow(), { input: { text: 'tea' } })
  expect(done).toMatchObject({ status: 'succeeded', output: { path: 'other.txt' } })
  expect((await runs(host, id)).map(({ decision }: { decision: string }) => decision)).toEqual(['allow', 'deny'])
})

test('an input that a hook has spoilt fails the node, and no person is asked', async () => {
  const host = await testHost()
  await made(host, rule(`{'decision': 'ask', 'input': {'action': 'explode'}}`))
  expect(await ran(host, flow(), { input: { text: 'tea' } })).toMatchObject({
    status: 'failed',
    error: {
      code: 'invalid_params',
      message: expect.stringContaining('A hook changed the input, and it is no longer valid: Input → Action'),
    },
  })
})

test('a node that is late while a hook decides never calls its tool', async () => {
  const hangs: RequestInit[] = []
  const fetch = (_: string | URL, init: RequestInit = {}) => {
    hangs.push(init)
    return new Promise<never>((__, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  }
  const host = await testHost({ outbound: { ...noOutbound, refusal: () => null, fetch } })
  const action = { kind: 'http', url: 'https://example.org/decide' }
  const id = await made(host, { ...rule('x', { fail_mode: 'open' }), action })
  const late = { timeout_seconds: 5, retry: { max_attempts: 2, delay_seconds: 0 } }
  const workflow = await created(host, flow(late))
  const run = await started(host, workflow.id, { input: { text: 'tea' } })
  const working = workOff(host)
  for (const attempt of [1, 2]) {
    await vi.waitFor(() => expect(hangs).toHaveLength(attempt))
    await host.clock.advance(5_000)
  }
  await working
  expect(await execution(host, run)).toMatchObject({ status: 'failed', error: { code: 'timeout' } })
  expect(await runs(host, id)).toEqual([])
  await call(hooks.remove, host, { params: { id } })
  const list = { tool: 'files', input: { action: 'list' } }
  const nodes = { start: { type: 'trigger.manual' }, list: { type: 'tool', params: list } }
  expect(JSON.stringify((await ran(host, drawn(nodes, ['start → list']))).output)).not.toContain('note.txt')
})

test.each([
  ['Approve', { status: 'succeeded', output: { path: 'asked.txt' } }],
  ['Reject', { status: 'failed', error: { code: 'refused', message: 'A person refused this call: not now' } }],
])('a blocking hook asks before a workflow calls a tool: %s', async (choice, expected) => {
  const host = await testHost()
  const id = await made(
    host,
    rule(`{'decision': 'ask', 'reason': 'it writes', 'input': $merge([data.input, {'path': 'asked.txt'}])}`),
  )
  const workflow = await created(host, flow({ retry: { max_attempts: 3, delay_seconds: 0 } }))
  const run = await started(host, workflow.id, { input: { text: 'tea' } })
  await workOff(host)
  const waiting = await execution(host, run)
  expect(waiting).toMatchObject({
    status: 'waiting',
    waiting_for: [
      {
        node_id: 'write',
        kind: 'approval',
        options: ['Approve', 'Reject'],
        message: expect.stringMatching('it writes'),
      },
    ],
  })
  // Another process continues it; the hook is not asked again.
  await call(hooks.remove, host, { params: { id } })
  const answered = { token: waiting.waiting_for[0]?.token, choice, comment: 'not now' }
  expect((await call(answer, host, { params: { id: run }, body: answered })).status).toBe(200)
  await workOff(host)
  expect(await execution(host, run)).toMatchObject(expected)
})

test.each([
  ['closed', 'denied'],
  ['open', 'done'],
])('a hook that fails with fail mode %s: the call is %s', async (fail_mode, state) => {
  const host = await testHost({ models: scriptedModels(toolCall('files', { action: 'list' }), text('ok')) })
  const id = await made(host, rule(`$error('broken')`, { fail_mode }))
  await say(host, 'List them')
  expect(await callOf(host)).toMatchObject({ state })
  expect(await runs(host, id)).toMatchObject([{ status: 'failed', error: expect.stringContaining('broken') }])
})

test('a request decides by its response', async () => {
  const decision = JSON.stringify({ decision: 'deny', reason: 'the office is closed' })
  const site = receiver(() => ({ status: 200, body: decision }))
  const models = scriptedModels(toolCall('files', { action: 'list' }), text('ok'))
  const host = await testHost({ models, outbound: site.outbound })
  await made(host, { ...rule('x'), action: { kind: 'http', url: 'https://example.org/decide' } })
  await say(host, 'List them')
  expect(await callOf(host)).toMatchObject({ state: 'denied', output: expect.stringContaining('closed') })
  expect(JSON.parse(site.received[0]?.body ?? '')).toMatchObject({
    type: 'tool.before',
    data: { tool: 'files', input: { action: 'list' } },
  })
})

test('a blocking hook refuses a message, or changes its text', async () => {
  const host = await testHost({ models: scriptedModels(text('ok')) })
  const expression = `$contains(data.input.message, 'secret') ? 'deny' : {'input': {'message': $uppercase(data.input.message)}}`
  await made(host, rule(expression, { events: ['message.received'] }))
  expect(await say(host, 'my secret')).toBe(403)
  await say(host, 'hello')
  const { messages } = await conversationOf(host, (await onlyConversation(host)).id)
  expect(messages[0]).toMatchObject({ content: 'HELLO' })
})

test('a test shows what a hook would do, and does nothing', async () => {
  const site = receiver()
  const host = await hostWith(site)
  const action = { kind: 'http', url: 'https://example.org', body: 'Chain {{ data.name }}' }
  const id = await made(host, { events: ['chain.created'], filter: `data.name = 'one'`, action })
  const tested = async (name: string) =>
    (await call(hooks.test, host, { params: { id }, body: { data: { name } } })).json()
  expect(await tested('one')).toMatchObject({ matches: true, action: { body: 'Chain one' } })
  expect(await tested('two')).toMatchObject({ matches: false })
  expect([site.received, await runs(host, id)]).toEqual([[], []])
})

test.each([
  [{ events: ['chain.created'], blocking: true }, 'events.0'],
  [{ events: ['tool.*'], blocking: true }, 'events.0'],
  [{ events: ['tool.before'], blocking: true, action: { kind: 'notify', message: 'x' } }, 'action.kind'],
  [{ events: ['tool.before'], action: { kind: 'decide', expression: `'deny'` } }, 'blocking'],
  [{ events: ['tool.before'], action: { kind: 'decide', expression: '(' }, blocking: true }, 'action.expression'],
  [{ events: ['nothing.here'] }, 'events.0'],
  [{ events: ['hook.created'] }, 'events.0'],
  [{ events: ['chain.created'], filter: '(' }, 'filter'],
  [{ events: ['chain.created'], action: { kind: 'job', job_id: 'job_none' } }, 'action.job_id'],
])('%j is refused', async (wrong, path) => {
  const host = await testHost()
  const body = { name: 'Mine', action: { kind: 'agent', message: 'x' }, ...wrong }
  const response = await call(hooks.create, host, { body })
  expect(await response.json()).toMatchObject({ status: 422, issues: [{ path }] })
})

test('what waits for a hook that is disabled is skipped', async () => {
  const site = receiver()
  const host = await hostWith(site)
  const id = await made(host, {
    events: ['chain.*'],
    action: { kind: 'http', url: 'https://example.org/in' },
  })
  await happen(host, 'one')
  await hookEvents.queueDue(host)
  await call(hooks.update, host, { params: { id }, body: { enabled: false } })
  await workOff(host)
  expect(site.received).toEqual([])
  expect(await runs(host, id)).toMatchObject([{ status: 'skipped', error: expect.stringContaining('disabled') }])
})

test('of a long input only the beginning is recorded', async () => {
  const content = 'tea '.repeat(20_000)
  const long = toolCall('files', { action: 'write', path: 'note.txt', content })
  const host = await testHost({ models: scriptedModels(long, text('Done')) })
  const id = await made(host, rule(`'deny'`))
  await say(host, 'write')
  expect((await runs(host, id))[0]).toMatchObject({ decision: 'deny' })
  const [run] = await host.sql.read<{ size: number }>('SELECT length(event) AS size FROM hook_runs')
  expect(run?.size).toBeLessThan(25_000)
})

test('filters that take too long hold nobody up for more than two seconds a batch', async () => {
  const host = await testHost()
  let now = 0
  const slow = { ...host, clock: { ...host.clock, now: () => (now += 900) } }
  const passes = batchFilter(slow)
  const event = { type: 'chain.created', ts: '2026-01-05T12:00:00.000Z', data: {} }
  const results: boolean[] = []
  for (let count = 0; count < 5; count += 1)
    results.push(await passes({ id: 'hook_1', owner_id: 'ada', filter: 'true' }, event))
  expect(results).toEqual([true, true, true, false, false])
  expect(await passes({ id: 'hook_2', owner_id: 'bob', filter: 'true' }, event)).toBe(true)
  expect(await passes({ id: 'hook_3', owner_id: 'ada', filter: '' }, event)).toBe(true)
})

test('the headers of a request are shown by their end, stored encrypted, and kept when they are sent back', async () => {
  const site = receiver()
  const host = await hostWith(site)
  const action = { kind: 'http', url: 'https://example.org/in' }
  const headers = { Authorization: 'Bearer secret-4711', 'X-Place': 'kitchen' }
  const id = await made(host, { events: ['chain.created'], action: { ...action, headers } })
  const shown = async () => (await (await call(hooks.show, host, { params: { id } })).json()).action.headers
  expect(await shown()).toEqual({ Authorization: '…4711', 'X-Place': '…' })
  expect(JSON.stringify(await host.sql.read('SELECT * FROM hooks'))).not.toMatch(/secret-|kitchen/)

  await call(hooks.update, host, { params: { id }, body: { name: 'Renamed' } })
  const changed = { ...(await shown()), 'X-Place': 'garden' }
  await call(hooks.update, host, { params: { id }, body: { action: { ...action, headers: changed } } })
  await happen(host, 'one')
  await workOff(host)
  expect(site.received[0]?.headers).toMatchObject({
    authorization: 'Bearer secret-4711',
    'x-place': 'garden',
  })

  // They are those of this hook and of no other.
  const body = { name: 'Other', events: ['chain.created'], action: { ...action, headers: await shown() } }
  expect((await call(hooks.create, host, { body })).status).toBe(422)
})

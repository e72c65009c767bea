import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Conversation } from '../../runtime/chat/schema.ts'
import type { Agent } from '../../runtime/tools/agent.ts'
import { startLibsqlServer } from '../fixtures/libsql-server/server.ts'
import { slow, startWire, toolCalls, type Wire } from '../fixtures/wire/index.ts'
import { dataFolder, eventually } from '../support/daemon-process.ts'
import {
  answerApproval,
  approvalsOf,
  conversationOf,
  endings,
  followSession,
  newConversation,
  readEvents,
  sendMessage,
} from './chat-client.ts'
import { type Effects, startEffects } from './effects.ts'
import { Service } from './service.ts'

/** On a file the driver answers at once; on a server, which is slower, the statements of all requests mix. */
const stores = [
  ['file', 50],
  ['server', 15],
] as const

let service: Service
let wire: Wire
let effects: Effects

const countOf = (answers: Response[], status: number) => answers.filter((answer) => answer.status === status).length

/** A turn that asks before it posts to `path`, and its open question. */
async function askingTurn(path: string) {
  const { id } = await newConversation(service)
  wire.script(toolCalls([['http_request', { method: 'POST', url: effects.url + path }]]))
  const events = readEvents(await sendMessage(service, { message: 'Post it', conversation_id: id }))
  await isIn(id, 'waiting_approval')
  const [approval] = await approvalsOf(service, id)
  if (!approval) throw new Error('nothing was asked')
  return { id, approval, events }
}

/** A turn whose answer is being streamed. */
async function speakingTurn() {
  const { id } = await newConversation(service)
  const asked = wire.received(wire.requests.length + 1)
  wire.script(slow(['one ', 'two ']))
  const events = readEvents(await sendMessage(service, { message: 'Count', conversation_id: id }))
  await asked
  return { id, events }
}

const isIn = (id: string, status: Conversation['status']) =>
  eventually(async () => (await conversationOf(service, id)).status === status)

describe.each(stores)('on a database %s, %i at once', (store, many) => {
  const atOnce = <Result>(act: (index: number) => Promise<Result>): Promise<Result[]> =>
    Promise.all(Array.from({ length: many }, (_, index) => act(index)))

  beforeAll(async () => {
    effects = await startEffects()
    wire = await startWire()
    const database = store === 'file' ? undefined : await startLibsqlServer(join(dataFolder(), 'server.db'))
    const env: Record<string, string> = database ? { SERVICE_DATABASE_URL: database.url } : {}
    service = await Service.start({ SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1', ...env })
    await service.use(wire)
    return async () => {
      await service.kill()
      await wire.close()
      await effects[Symbol.asyncDispose]()
      await database?.close()
    }
  })

  test('of many answers to a question one wins, and the action runs once', async () => {
    const { id, approval, events } = await askingTurn('/agreed')
    const answers = await atOnce(() => answerApproval(service, approval, true))

    expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, many - 1])
    expect(endings(await events)).toMatchObject([{ event: 'done' }])
    expect(effects.count('/agreed')).toBe(1)
    expect(await conversationOf(service, id)).toMatchObject({ status: 'idle', message_count: 2 })
  })

  test('of concurrent approval and rejection one wins, and the action follows it', async () => {
    const { id, approval, events } = await askingTurn('/disputed')
    const answers = await atOnce((index) => answerApproval(service, approval, index % 2 === 0))

    const won = answers.findIndex(({ status }) => status === 200)
    expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, many - 1])
    expect(endings(await events)).toHaveLength(1)
    expect(effects.count('/disputed')).toBe(won % 2 === 0 ? 1 : 0)
    const [after] = await approvalsOf(service, id)
    expect(after?.status).toBe(won % 2 === 0 ? 'approved' : 'rejected')
  })

  test('of a concurrent answer and stop one wins: either the action ran or the question is cancelled', async () => {
    const { id, approval, events } = await askingTurn('/stopped')
    const stop = () => service.send('POST', `/api/chat/conversations/${id}/stop`)
    const answers = await atOnce((index) => (index % 2 === 0 ? answerApproval(service, approval, true) : stop()))

    const approved = answers.some(({ status }, index) => status === 200 && index % 2 === 0)
    expect(endings(await events)).toHaveLength(1)
    const [after] = await approvalsOf(service, id)
    expect(after?.status).toBe(approved ? 'approved' : 'cancelled')
    expect(effects.count('/stopped')).toBeLessThanOrEqual(approved ? 1 : 0)
    await isIn(id, 'idle')
  })

  test.each([
    ['speaks', speakingTurn],
    ['asks', () => askingTurn('/never')],
  ] as const)('all stops of a turn that %s end it once', async (_, begin) => {
    const { id, events } = await begin()
    const answers = await atOnce(() => service.send('POST', `/api/chat/conversations/${id}/stop`))
    const stopped = await Promise.all(
      answers.map(async (answer) => ((await answer.json()) as { stopped: number }).stopped),
    )

    expect(countOf(answers, 200)).toBe(many)
    expect(stopped.reduce((sum, count) => sum + count)).toBe(1)
    expect(endings(await events)).toMatchObject([{ event: 'error', data: { code: 'cancelled' } }])
    await isIn(id, 'idle')
    const { messages } = await conversationOf(service, id)
    expect(messages[1]).toMatchObject({ status: 'interrupted', error: { code: 'cancelled' } })
    expect(effects.count('/never')).toBe(0)
  })

  test.each([
    ['is quiet', async () => ({ id: (await newConversation(service)).id, events: undefined })],
    ['speaks', speakingTurn],
    ['asks', () => askingTurn('/deleted')],
  ] as const)('all deletions of a conversation that %s: one does it', async (_, begin) => {
    const { id, events } = await begin()
    const answers = await atOnce(() => service.send('DELETE', `/api/chat/conversations/${id}`))

    expect(countOf(answers, 200)).toBe(1)
    expect(countOf(answers, 404) + countOf(answers, 409)).toBe(many - 1)
    expect((await service.send('GET', `/api/chat/conversations/${id}`)).status).toBe(404)
    if (events) expect(endings(await events)).toHaveLength(1)
    expect((await approvalsOf(service, id)).length).toBe(0)
    expect(effects.count('/deleted')).toBe(0)
  })

  test('concurrent sends with one key create one message, and all follow the same answer', async () => {
    const { id } = await newConversation(service)
    const body = { message: 'Once only', conversation_id: id }
    const streams = await atOnce(async () =>
      readEvents(await sendMessage(service, body, { 'idempotency-key': 'one-message' })),
    )

    expect(streams.map((events) => endings(events).map(({ event }) => event))).toEqual(streams.map(() => ['done']))
    expect(new Set(streams.map((events) => endings(events)[0]?.data.message_id)).size).toBe(1)
    expect(await conversationOf(service, id)).toMatchObject({ status: 'idle', message_count: 2 })
    expect(wire.requests.filter(({ last_user_text }) => last_user_text === 'Once only')).toHaveLength(1)
  })

  test('concurrent sends with one key and no conversation create one conversation', async () => {
    const streams = await atOnce(async () =>
      readEvents(await sendMessage(service, { message: 'Begin one' }, { 'idempotency-key': 'one-conversation' })),
    )
    const { total } = await service.read<{ total: number }>('GET', '/api/chat/conversations?search=Begin+one')

    expect(streams.map((events) => endings(events).length)).toEqual(streams.map(() => 1))
    expect(total).toBe(1)
  })

  test('concurrent sends without a key are answered one after the other', async () => {
    const { id } = await newConversation(service)
    const streams = await atOnce(async (index) =>
      readEvents(await sendMessage(service, { message: `Number ${index}`, conversation_id: id })),
    )

    expect(streams.map((events) => endings(events).map(({ event }) => event))).toEqual(streams.map(() => ['done']))
    expect(await conversationOf(service, id)).toMatchObject({ status: 'idle', message_count: 2 * many })
  })

  test('of concurrent sends that do not wait one is accepted, the rest get an error that the conversation is busy', async () => {
    const { id } = await newConversation(service)
    wire.script(slow(['one ']))
    const answers = await atOnce(() =>
      sendMessage(service, { message: 'Only me', conversation_id: id, when_busy: 'reject' }),
    )

    expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, many - 1])
    wire.release()
    const taken = answers.find(({ status }) => status === 200)
    if (taken) expect(endings(await readEvents(taken))).toMatchObject([{ event: 'done' }])
    expect(await conversationOf(service, id)).toMatchObject({ status: 'idle', message_count: 2 })
  })

  test('of concurrent sends with one key and different texts one is accepted, the rest are refused', async () => {
    const { id } = await newConversation(service)
    const answers = await atOnce((index) =>
      sendMessage(service, { message: `Word ${index}`, conversation_id: id }, { 'idempotency-key': `words-${id}` }),
    )
    const taken = answers.filter(({ status }) => status === 200)
    for (const answer of taken) expect(endings(await readEvents(answer))).toMatchObject([{ event: 'done' }])

    expect([taken.length, countOf(answers, 422)]).toEqual([1, many - 1])
    expect(await conversationOf(service, id)).toMatchObject({ status: 'idle', message_count: 2 })
  })

  test('concurrent sends that interrupt each other end once each, and the conversation is idle afterwards', async () => {
    const { id } = await newConversation(service)
    const streams = await atOnce(async (index) =>
      readEvents(
        await sendMessage(service, {
          message: `Now ${index}`,
          conversation_id: id,
          when_busy: 'interrupt',
        }),
      ),
    )

    expect(streams.map((events) => endings(events).length)).toEqual(streams.map(() => 1))
    await isIn(id, 'idle')
    const { messages } = await conversationOf(service, id)
    expect(messages.filter(({ status }) => status === 'streaming')).toEqual([])
  })

  test('concurrent sends and a deletion leave nothing behind and break nothing', async () => {
    const { id } = await newConversation(service)
    const path = `/api/chat/conversations/${id}`
    const answers = await atOnce((index) =>
      index === Math.floor(many / 2)
        ? service.send('DELETE', path)
        : sendMessage(service, { message: `Number ${index}`, conversation_id: id }),
    )
    const streams = answers.filter(({ ok, headers }) => ok && headers.get('content-type')?.includes('event-stream'))
    for (const stream of streams) expect(endings(await readEvents(stream))).toHaveLength(1)

    expect(answers.filter(({ status }) => ![200, 404, 409, 422].includes(status))).toEqual([])
    expect((await service.send('GET', path)).status).toBe(404)
    expect((await service.send('GET', `${path}/messages`)).status).toBe(404)
  })

  test('with concurrent truncations and a send no answered message is lost', async () => {
    const { id } = await newConversation(service)
    await readEvents(await sendMessage(service, { message: 'First', conversation_id: id }))
    const cut = { conversation_id: id, keep_last: 0 }
    const answers = await atOnce((index) =>
      index === Math.floor(many / 2)
        ? sendMessage(service, { message: 'Second', conversation_id: id })
        : service.send('POST', '/api/chat/messages/truncate', cut),
    )
    const sent = answers[Math.floor(many / 2)]
    const events = sent ? await readEvents(sent) : []

    expect(answers.filter(({ status }) => ![200, 409].includes(status))).toEqual([])
    expect(endings(events)).toMatchObject([{ event: 'done' }])
    const { messages, message_count } = await conversationOf(service, id)
    expect([0, 2, 4]).toContain(messages.length)
    expect(message_count).toBe(messages.length)
  })

  test('concurrent regenerations of one answer leave one answer', async () => {
    const { id } = await newConversation(service)
    await readEvents(await sendMessage(service, { message: 'Again', conversation_id: id }))
    const asked = wire.received(wire.requests.length + 1)
    wire.script(slow(['anew']))
    const answers = await atOnce(() => service.send('POST', `/api/chat/conversations/${id}/regenerate`))
    await asked
    wire.release()
    await Promise.all(answers.filter(({ ok }) => ok).map((answer) => readEvents(answer)))

    expect([countOf(answers, 200), countOf(answers, 409)]).toEqual([1, many - 1])
    const { messages, status } = await conversationOf(service, id)
    expect(status).toBe('idle')
    expect(messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'Again'],
      ['assistant', 'anew'],
    ])
  })

  test('concurrent creations of an agent with one key create one agent', async () => {
    const body = { name: 'Only one', system_prompt: 'Be brief.' }
    const create = () => service.send('POST', '/api/agents', body, { 'idempotency-key': 'one-agent' })
    const answers = await atOnce(create)

    expect(countOf(answers, 201) + countOf(answers, 409)).toBe(many)
    const { agents } = await service.read<{ agents: Agent[] }>('GET', '/api/agents')
    const made = agents.filter(({ name }) => name === 'Only one')
    expect(made).toHaveLength(1)
    const created = await Promise.all(answers.filter(({ status }) => status === 201).map((answer) => answer.json()))
    expect(created.length).toBeGreaterThanOrEqual(1)
    for (const agent of [...created, await (await create()).json()]) expect(agent).toEqual(made[0])
  })

  test('of concurrent deletions of an agent one succeeds', async () => {
    const { id } = await service.read<Agent>('POST', '/api/agents', { name: 'Short-lived' })
    const answers = await atOnce(() => service.send('DELETE', `/api/agents/${id}`))

    expect(countOf(answers, 200)).toBe(1)
    expect(countOf(answers, 404) + countOf(answers, 409)).toBe(many - 1)
  })

  test('none of this caused errors: no 500, no stack trace in the log', async () => {
    expect(await followSession(service, (await newConversation(service)).id)).toBeNull()
    expect((await service.send('GET', '/health/ready')).status).toBe(200)
    expect(service.said()).not.toContain('"level":"error"')
  })
})

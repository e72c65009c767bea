import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Approval, Message, Part } from '../../runtime/chat/schema.ts'
import { type ScriptedStep, slow, text, toolCalls } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'
import {
  answerApproval,
  approvalsOf,
  conversationOf,
  endings,
  followSession,
  isAnsweredHistory,
  newConversation,
  readEvents,
  type StreamedEvent,
  sendMessage,
} from './chat-client.ts'
import { type Effects, startEffects } from './effects.ts'
import { seeded } from './random.ts'

let effects: Effects

/** Asked to `act <name>`, the model calls three tools with effects; it repeats anything else. */
const model: ScriptedStep = ({ body, last_user_text }) => {
  const { messages } = body as { messages: { role: string }[] }
  const name = /^act (\S+)$/.exec(last_user_text)?.[1]
  if (messages.at(-1)?.role === 'tool') return text('That is that.')
  if (!name) return text(last_user_text)
  const write = (path: string) => ['files', { action: 'write', path, content: 'tea' }] as [string, unknown]
  const post = ['http_request', { method: 'POST', url: `${effects.url}/${name}` }] as [string, unknown]
  return toolCalls([post, write(`${name}-allowed.txt`), write(`${name}-refused.txt`)], {
    text: ['As ', 'you ', 'wish.'],
  })
}

beforeAll(async () => {
  effects = await startEffects()
})

afterAll(async () => {
  await effects[Symbol.asyncDispose]()
})

const { service, wire } = await wiredService({ otherwise: model }, { SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1' })

async function killAndRestart(): Promise<void> {
  await service.kill()
  await service.restart()
}

/** The turn that asked takes up its place in the queue right after the start. */
const waitingIn = (id: string) =>
  eventually(async () => (await conversationOf(service, id)).status === 'waiting_approval')

const isAllowed = ({ summary }: Approval) => !summary.includes('refused')

const answerOf = (messages: Message[]) => messages.find(({ role }) => role === 'assistant')

const textOf = (parts: Part[] = []) => parts.map((part) => (part.type === 'text' ? part.text : '')).join('')

/** Follows a conversation to the end of its turn, answering what is asked. Null when nothing is left to follow. */
async function finish(id: string, lastEventId?: string): Promise<StreamedEvent[] | null> {
  const stream = await followSession(service, id, lastEventId)
  return stream && readEvents(stream, ({ data }) => data.approval?.status === 'pending' && answer(data.approval))
}

/** Answers as a person would who allows everything but what is called refused. */
async function answer(approval: Approval): Promise<void> {
  await answerApproval(service, approval, isAllowed(approval)).catch(() => undefined)
}

/** What must hold for each conversation after each death, once its questions are answered. */
async function checkWhole(id: string): Promise<void> {
  const { messages, status, message_count } = await conversationOf(service, id)
  expect(status).toBe('idle')
  expect(message_count).toBe(messages.length)
  expect(messages.filter((message) => message.status === 'streaming')).toEqual([])
  expect((await approvalsOf(service, id)).filter((approval) => approval.status === 'pending')).toEqual([])
}

async function checkGoesOn(id: string): Promise<void> {
  const events = await readEvents(await sendMessage(service, { message: 'Are you there?', conversation_id: id }))
  expect(endings(events)).toMatchObject([{ event: 'done' }])
  const { messages } = await conversationOf(service, id)
  expect(messages.at(-1)).toMatchObject({ status: 'complete', content: 'Are you there?' })
  expect(wire.requests.every(({ body }) => isAnsweredHistory(body))).toBe(true)
}

test.each([0, 1, 2, 5])(
  'killed after %i words of an answer, it is marked and the conversation continues',
  async (words) => {
    const { id } = await newConversation(service)
    const answer = ['one ', 'two ', 'three ', 'four ', 'five ', 'six']
    wire.script(slow(answer))
    const asked = wire.received(wire.requests.length + 1)
    const sent = await sendMessage(service, { message: 'Count', conversation_id: id })
    await asked
    wire.release(words)
    let said = ''
    const seen = await readEvents(sent, ({ data }) => {
      said += data.content ?? ''
      if (said === answer.slice(0, words).join('')) service.kill()
    })
    await killAndRestart()

    const { messages } = await conversationOf(service, id)
    expect(messages.map((message) => [message.role, message.status])).toEqual([
      ['user', 'complete'],
      ['assistant', 'interrupted'],
    ])
    expect(messages[1]?.error).toMatchObject({ code: 'interrupted' })
    expect('one two three four five '.startsWith(textOf(messages[1]?.parts))).toBe(true)
    expect(await followSession(service, id)).toBeNull()
    const told = await finish(id, seen.at(-1)?.id)
    expect(endings(told ?? [])).toMatchObject([{ event: 'error', data: { code: 'interrupted' } }])
    await checkWhole(id)
    await checkGoesOn(id)
  },
)

test('the stored part of a streaming answer survives the kill', async () => {
  const { id } = await newConversation(service)
  wire.script(slow(Array.from({ length: 20_000 }, (_, index) => `${index} `)))
  const sent = await sendMessage(service, { message: 'Count', conversation_id: id })
  const reading = readEvents(sent)
  const stored = async () => textOf(answerOf((await conversationOf(service, id)).messages)?.parts)
  for (let known = ''; known === ''; known = await stored()) wire.release()
  await killAndRestart()
  const said = textOf((await reading).map(({ data }) => ({ type: 'text', text: data.content ?? '' })))

  expect(await stored()).not.toBe('')
  expect(said.startsWith(await stored())).toBe(true)
  await checkWhole(id)
  await checkGoesOn(id)
})

test('killed while a tool runs, the tool is not repeated and its outcome is unknown', async () => {
  const { id } = await newConversation(service, { execution_mode: 'autonomous' })
  const reached = Promise.withResolvers<void>()
  effects.hold()
  effects.onRequest = () => reached.resolve()
  wire.script(toolCalls([['http_request', { method: 'POST', url: `${effects.url}/held` }]]))
  const reading = readEvents(await sendMessage(service, { message: 'Post it', conversation_id: id }))
  await reached.promise
  await killAndRestart()
  effects.release()
  const seen = await reading

  const { messages } = await conversationOf(service, id)
  expect(messages[1]).toMatchObject({
    status: 'interrupted',
    parts: [{ type: 'note' }, { tool: 'http_request', state: 'unknown' }],
  })
  expect(endings((await finish(id, seen.at(-1)?.id)) ?? [])).toMatchObject([{ event: 'error' }])
  await checkWhole(id)
  await checkGoesOn(id)
  expect(effects.count('/held')).toBe(1)
})

test('a question from before the kill can still be answered, and then the turn continues', async () => {
  const { id } = await newConversation(service)
  const sent = await sendMessage(service, { message: 'act pending', conversation_id: id })
  await readEvents(sent, ({ event }) => event === 'approval_required' && service.kill())
  await killAndRestart()

  expect(await waitingIn(id)).toBe(true)
  expect((await approvalsOf(service, id)).map(({ status }) => status)).toContain('pending')
  expect(effects.count('/pending')).toBe(0)

  expect(endings((await finish(id)) ?? [])).toMatchObject([{ event: 'done' }])
  expect(effects.count('/pending')).toBe(1)
  await checkWhole(id)
  await checkGoesOn(id)
})

test.each(['SIGKILL', 'SIGTERM'] as const)(
  '%s while one call runs and a question is open: the question remains, the call is not repeated',
  async (signal) => {
    const { id } = await newConversation(service)
    const path = `/beside-${signal}`
    const reached = Promise.withResolvers<void>()
    effects.hold()
    effects.onRequest = () => reached.resolve()
    wire.script(
      toolCalls([
        ['http_request', { method: 'POST', url: `${effects.url}${path}-asked` }],
        ['http_request', { method: 'GET', url: `${effects.url}${path}` }],
      ]),
    )
    const reading = readEvents(await sendMessage(service, { message: 'Both', conversation_id: id }))
    await reached.promise
    await service.end(signal)
    await service.restart()
    effects.release()
    const seen = await reading

    expect(await waitingIn(id)).toBe(true)
    const told = await finish(id, seen.at(-1)?.id)
    expect(endings(told ?? [])).toMatchObject([{ event: 'done' }])
    expect([effects.count(path), effects.count(`${path}-asked`)]).toEqual([1, 1])
    const { messages } = await conversationOf(service, id)
    const calls = answerOf(messages)?.parts.filter((part) => part.type === 'tool_use')
    expect(calls?.map(({ state }) => state)).toEqual(['done', 'unknown'])
    await checkWhole(id)
    await checkGoesOn(id)
  },
)

test('the same message with the same key is not sent again after the kill', async () => {
  const { id } = await newConversation(service)
  const headers = { 'idempotency-key': 'after-the-kill' }
  const body = { message: 'Count', conversation_id: id }
  wire.script(slow(['one ', 'two']))
  const asked = wire.received(wire.requests.length + 1)
  const reading = readEvents(await sendMessage(service, body, headers))
  await asked
  await killAndRestart()
  await reading

  const again = await readEvents(await sendMessage(service, body, headers))

  expect(endings(again)).toMatchObject([{ event: 'error', data: { code: 'interrupted' } }])
  expect(await conversationOf(service, id)).toMatchObject({ message_count: 2 })
})

/** A moment to kill at: what must have happened, and how many requests later. */
type Moment =
  | { at: 'event'; number: number }
  | { at: 'vendor'; number: number }
  | { at: 'effect' }
  | { at: 'answering'; number: number }
  | { at: 'answered'; number: number; later: number }

const random = seeded(Number(process.env.SEED ?? 20_260_105))
const upTo = (most: number) => Math.floor(random() * (most + 1))

const moments: Moment[] = [
  ...[1, 4, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 18].map((number): Moment => ({ at: 'event', number })),
  ...[1, 2].map((number): Moment => ({ at: 'vendor', number })),
  { at: 'effect' },
  ...[1, 2, 3].map((number): Moment => ({ at: 'answering', number })),
  ...Array.from({ length: 8 }, (): Moment => ({ at: 'answered', number: 1 + upTo(2), later: upTo(4) })),
]

/** Lets a turn of three questions run, and kills the daemon at the moment. Returns what the client has seen. */
async function actUntil(moment: Moment, conversation: string, name: string) {
  const is = (at: Moment['at'], number?: number) =>
    moment.at === at && (number === undefined || !('number' in moment) || moment.number === number)
  const before = wire.requests.length
  effects.onRequest = () => is('effect') && service.kill()
  if (moment.at === 'vendor') void wire.received(before + moment.number).then(() => service.kill())

  let answers = 0
  const confirmed = new Set<string>()
  const respond = async (approval: Approval) => {
    answers += 1
    const number = answers
    const answered = answerApproval(service, approval, isAllowed(approval))
    if (is('answering', number)) void service.kill()
    if (!(await answered).ok) throw new Error('the answer was refused')
    confirmed.add(approval.id)
    if (moment.at !== 'answered' || moment.number !== number) return
    for (let left = moment.later; left > 0; left -= 1) await service.send('GET', '/health/live')
    await service.kill()
  }
  const sent = await sendMessage(service, { message: `act ${name}`, conversation_id: conversation })
  const events = await readEvents(sent, ({ data, event }, count) => {
    if (is('event', count)) void service.kill()
    // The daemon may die before it answers; what was confirmed counts.
    if (event === 'approval_required' && data.approval) respond(data.approval).catch(() => undefined)
  })
  return { events, confirmed, acknowledged: true }
}

test.each(moments.map((moment, index) => [JSON.stringify(moment), moment, `case-${index}`] as const))(
  'killed at %s nothing runs twice or without permission',
  async (_, moment, name) => {
    const { id, agent_id } = await newConversation(service)
    const inWorkspace = (file: string) => {
      const all = join(service.folder, 'files', 'workspaces')
      const own = existsSync(all) ? readdirSync(all).filter((folder) => folder.startsWith(agent_id ?? '')) : []
      return own.some((folder) => existsSync(join(all, folder, file)))
    }
    const { events, confirmed, acknowledged } = await actUntil(moment, id, name).catch(() => ({
      events: [],
      confirmed: new Set<string>(),
      acknowledged: false,
    }))
    await killAndRestart()

    const afterKill = await approvalsOf(service, id)
    const answered = afterKill.filter((approval) => confirmed.has(approval.id))
    expect(answered.map(({ status }) => status)).toEqual(
      answered.map((approval) => (isAllowed(approval) ? 'approved' : 'rejected')),
    )

    const told = await finish(id, events.at(-1)?.id)
    if (told) expect(endings(told)).toHaveLength(1)
    const { messages } = await conversationOf(service, id)
    expect(messages).toHaveLength(acknowledged || messages.length > 0 ? 2 : 0)
    const turn = answerOf(messages)
    const calls = turn?.parts.filter((part) => part.type === 'tool_use') ?? []
    const approved = (await approvalsOf(service, id)).filter(({ status }) => status === 'approved')
    const done = (path: string) => calls.some((call) => call.state === 'done' && call.summary.includes(path))
    const isApproved = (path: string) => approved.some(({ summary }) => summary.includes(path))

    expect(effects.count(`/${name}`)).toBeLessThanOrEqual(isApproved(`/${name}`) ? 1 : 0)
    if (done(`/${name}`)) expect(effects.count(`/${name}`)).toBe(1)
    expect(inWorkspace(`${name}-refused.txt`)).toBe(false)
    if (!isApproved('allowed')) expect(inWorkspace(`${name}-allowed.txt`)).toBe(false)
    if (done('allowed')) expect(inWorkspace(`${name}-allowed.txt`)).toBe(true)
    if (turn?.status === 'complete') {
      expect(calls.slice(0, 2).every(({ state }) => state === 'done' || state === 'unknown')).toBe(true)
      expect(calls[2]?.state).toBe('denied')
    }
    await checkWhole(id)
    await checkGoesOn(id)
  },
)

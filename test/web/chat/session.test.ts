import { expect, test, vi } from 'vitest'
import { type Api, addressOf } from '../../../web/api/client.ts'
import { ApiError } from '../../../web/api/error.ts'
import { ChatSession } from '../../../web/pages/chat/state/session.ts'
import type { ChatEvent } from '../../../web/pages/chat/state/stream.ts'
import { isBusy, textOf } from '../../../web/pages/chat/state/thread.ts'
import { approval, conversation, event, message, start } from './fixtures.ts'

type Answer = unknown | ((request: Request) => unknown)
interface Request {
  method: string
  path: string
  body?: unknown
  headers: Record<string, string>
}

const lines = (events: ChatEvent[]) =>
  events.map(({ id, event, data }) => `id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`).join('')

/** A stream that says `events` and then ends, is cut, or stays open. */
function stream(events: ChatEvent[], then: 'end' | 'cut' | 'stay' = 'end'): Response {
  let said = false
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (!said && events.length > 0) controller.enqueue(new TextEncoder().encode(lines(events)))
      else if (then === 'end') controller.close()
      else if (then === 'cut') controller.error(new TypeError('network error'))
      said = true
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
}

/** Answers `METHOD path` from lists; the last entry of a list is given again and again. */
function daemon(script: Record<string, Answer[]>) {
  const seen: Request[] = []
  const give = async (request: Request): Promise<unknown> => {
    seen.push(request)
    const answers = script[`${request.method} ${request.path}`]
    if (!answers) throw new Error(`unexpected ${request.method} ${request.path}`)
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (answer instanceof Error) throw answer
    return typeof answer === 'function' ? answer(request) : answer
  }
  interface Input {
    params?: Record<string, string>
    body?: unknown
    headers?: Record<string, string>
  }
  const open = (method: string, path: string, { params = {}, body, headers = {} }: Input = {}) =>
    give({ method, path: addressOf(path, { params }), body, headers })
  const api = {
    get: (path: string, input?: Input) => open('GET', path, input),
    post: (path: string, input?: Input) => open('POST', path, input),
    open,
  }
  const pauses: number[] = []
  const session = new ChatSession('conv_1', {
    api: api as unknown as Api,
    frame: (draw) => queueMicrotask(draw),
    pause: (time) => {
      pauses.push(time)
      return new Promise((resolve) => setImmediate(resolve))
    },
  })
  return { session, seen, pauses, of: (path: string) => seen.filter((request) => request.path === path) }
}

const read = '/api/chat/conversations/conv_1'
const attach = '/api/chat/sessions/conv_1/stream'
const stored = (status: 'idle' | 'running' | 'waiting_approval', ...messages: ReturnType<typeof message>[]) => ({
  ...conversation({ status }),
  messages,
})
const done = (number: number, log?: string) =>
  event(number, 'done', { message_id: 'msg_2', input_tokens: 1, output_tokens: 2, total_tokens: 3 }, log)
const asked = message('msg_1', { role: 'user', content: 'hi' })
const final = message('msg_2', { parts: [{ type: 'text', text: 'one two' }], cost_usd: 0.5 })
const texts = (session: ChatSession) => session.view().thread.messages.map((item) => textOf(item.message))
const until = (check: () => void) => vi.waitFor(check, { interval: 1, timeout: 60_000 })

test('opens what is stored, and requests no stream if nothing runs', async () => {
  const { session, of } = daemon({ [`GET ${read}`]: [stored('idle', asked, final)] })
  await session.open()
  expect(texts(session)).toEqual(['hi', 'one two'])
  expect(session.view()).toMatchObject({ loaded: true, error: null, link: 'none' })
  expect(of(attach)).toEqual([])
})

test('sends, streams the answer and ends with the stored one', async () => {
  const { session, of } = daemon({
    [`GET ${read}`]: [stored('idle'), stored('idle', asked, final)],
    'POST /api/chat/messages/stream': [
      stream([start(), event(2, 'token', { content: 'one' }), event(3, 'token', { content: ' two' }), done(4)]),
    ],
  })
  await session.open()
  await session.send('hi')
  await until(() => expect(session.view().thread.messages[1]?.message.cost_usd).toBe(0.5))
  expect(texts(session)).toEqual(['hi', 'one two'])
  expect(of('/api/chat/messages/stream')[0]?.body).toEqual({
    message: 'hi',
    conversation_id: 'conv_1',
    when_busy: 'queue',
  })
})

test('a reload during a stream attaches to it and rebuilds the answer', async () => {
  const partial = message('msg_2', { status: 'streaming', parts: [{ type: 'text', text: 'on' }] })
  const { session, of } = daemon({
    [`GET ${read}`]: [stored('running', asked, partial)],
    [`GET ${attach}`]: [stream([start(), event(2, 'token', { content: 'one' })], 'stay')],
  })
  await session.open()
  await until(() => expect(texts(session)).toEqual(['hi', 'one']))
  expect(of(attach)[0]?.headers).toEqual({})
  expect(session.view().link).toBe('live')
})

test('an interrupted stream resumes after the last received event', async () => {
  const running = stored('running', asked, message('msg_2', { status: 'streaming' }))
  const { session, of, pauses } = daemon({
    [`GET ${read}`]: [running, running, stored('idle', asked, final)],
    [`GET ${attach}`]: [
      stream([start(), event(2, 'token', { content: 'one' })], 'cut'),
      stream([event(2, 'token', { content: 'one' }), event(3, 'token', { content: ' two' }), done(4)]),
    ],
  })
  await session.open()
  await until(() => expect(session.view().link).toBe('none'))
  expect(of(attach)[1]?.headers).toEqual({ 'last-event-id': 'msg_2.a.2' })
  expect(texts(session)).toEqual(['hi', 'one two'])
  expect(pauses).toHaveLength(1)
})

test('waits with increasing delays for a restarting daemon, and then shows the outcome of the turn', async () => {
  const running = stored('running', asked, message('msg_2', { status: 'streaming' }))
  const cut = message('msg_2', {
    status: 'interrupted',
    content: 'one',
    error: { code: 'interrupted', message: 'x' },
  })
  const offline = new ApiError(0, 'offline', 'gone')
  const { session, pauses } = daemon({
    [`GET ${read}`]: [running, offline, offline, stored('idle', asked, cut)],
    [`GET ${attach}`]: [stream([start(), event(2, 'token', { content: 'one' })], 'cut'), offline],
  })
  await session.open()
  await until(() => expect(isBusy(session.view().thread)).toBe(false))
  expect(pauses).toEqual([300, 600])
  expect(session.view().thread.messages[1]?.message.status).toBe('interrupted')
})

test('a daemon that repeats the end is not polled without a pause', async () => {
  const running = stored('running', asked, message('msg_2', { status: 'streaming' }))
  const { session, pauses } = daemon({
    [`GET ${read}`]: [running, running, running, running, stored('idle', asked, final)],
    [`GET ${attach}`]: [() => stream([start(), done(2)])],
  })
  await session.open()
  await until(() => expect(texts(session)).toEqual(['hi', 'one two']))
  expect(pauses.length).toBeGreaterThanOrEqual(2)
})

test('a turn that the daemon no longer knows has ended', async () => {
  const running = stored('running', asked, message('msg_2', { status: 'streaming' }))
  const { session } = daemon({
    [`GET ${read}`]: [running, running, stored('idle', asked)],
    [`GET ${attach}`]: [stream([start()], 'cut'), new Response(null, { status: 204 })],
  })
  await session.open()
  await until(() => expect(isBusy(session.view().thread)).toBe(false))
  expect(texts(session)).toEqual(['hi'])
})

test('a message to a busy conversation is queued, and its answer is followed after the first', async () => {
  const next = message('msg_3', { role: 'user', content: 'and?' })
  const queued = [next, message('msg_4', { status: 'streaming' })]
  const first = Promise.withResolvers<Response>()
  const { session, seen } = daemon({
    [`GET ${read}`]: [
      stored('running', asked, message('msg_2', { status: 'streaming' })),
      stored('running', asked, message('msg_2', { status: 'streaming' }), ...queued),
      stored('running', asked, final, ...queued),
      stored('idle', asked, final, next, message('msg_4', { content: 'more' })),
    ],
    [`GET ${attach}`]: [
      () => first.promise,
      stream([event(1, 'error', { code: 'interrupted', message: 'x' }, 'msg_4.a')]),
    ],
    'POST /api/chat/messages/stream': [stream([], 'stay')],
  })
  await session.open()
  await session.send('and?', { when_busy: 'queue' })
  expect(session.view().thread.messages.map((item) => item.message.id)).toEqual(['msg_1', 'msg_2', 'msg_3', 'msg_4'])
  first.resolve(stream([start(), done(2)]))
  await until(() => expect(texts(session)).toEqual(['hi', 'one two', 'and?', 'more']))
  expect(seen.filter(({ path }) => path === attach)).toHaveLength(2)
})

test('a message that could not be sent leaves the list, and sending the same text again is the same request', async () => {
  const { session, of } = daemon({
    [`GET ${read}`]: [stored('idle')],
    'POST /api/chat/messages/stream': [new ApiError(0, 'offline', 'gone'), new ApiError(0, 'offline', 'gone')],
  })
  await session.open()
  await expect(session.send('hi')).rejects.toThrow('gone')
  expect(session.view().thread.messages).toEqual([])
  await expect(session.send('hi')).rejects.toThrow('gone')
  const keys = of('/api/chat/messages/stream').map((request) => request.headers['idempotency-key'])
  expect(keys[0]).toBe(keys[1])
})

test('shows pending approvals when it opens', async () => {
  const waiting = message('msg_2', {
    status: 'streaming',
    parts: [
      { type: 'tool_use', id: 'c', tool: 'shell', input: {}, summary: 'Run ls', state: 'waiting' },
      { type: 'approval', approval_id: 'apr_1', call_id: 'c' },
    ],
  })
  const { session } = daemon({
    [`GET ${read}`]: [stored('waiting_approval', asked, waiting)],
    'GET /api/chat/approvals': [{ approvals: [approval()] }],
    [`GET ${attach}`]: [stream([], 'stay')],
  })
  await session.open()
  expect(session.view().thread.approvals.apr_1?.status).toBe('pending')
})

test('regenerating removes the old answer and streams the new one', async () => {
  const { session } = daemon({
    [`GET ${read}`]: [stored('idle', asked, message('msg_1b', { content: 'old' })), stored('idle', asked, final)],
    [`POST ${read}/regenerate`]: [stream([start(), event(2, 'token', { content: 'one two' }), done(3)])],
  })
  await session.open()
  await session.regenerate()
  await until(() => expect(session.view().link).toBe('none'))
  expect(texts(session)).toEqual(['hi', 'one two'])
})

test('a regenerate that answers with JSON is followed through the session stream', async () => {
  const { session } = daemon({
    [`GET ${read}`]: [
      stored('idle', asked, final),
      stored('running', asked, message('msg_2', { status: 'streaming' })),
      stored('idle', asked, final),
    ],
    [`POST ${read}/regenerate`]: [Response.json({ message_id: 'msg_2' })],
    [`GET ${attach}`]: [stream([start(), event(2, 'token', { content: 'one two' }), done(3)])],
  })
  await session.open()
  await session.regenerate()
  await until(() => expect(session.view().link).toBe('none'))
  expect(texts(session)).toEqual(['hi', 'one two'])
})

test('an edited message is one request, and the replaced message remains until the daemon has stored it', async () => {
  const { session, of } = daemon({
    [`GET ${read}`]: [stored('idle', message('msg_0', { content: 'hello' }), asked, final)],
    'POST /api/chat/messages/stream': [new ApiError(503, 'unavailable', 'full'), stream([done(9)])],
  })
  await session.open()
  await expect(session.resend('msg_1', 'hi there')).rejects.toThrow('full')
  expect(texts(session)).toEqual(['hello', 'hi', 'one two'])
  await session.resend('msg_1', 'hi there')
  expect(texts(session)[1]).toBe('hi there')
  const asks = of('/api/chat/messages/stream')
  expect(asks.map(({ body }) => body)).toMatchObject([{ replaces: 'msg_1' }, { replaces: 'msg_1' }])
  expect(new Set(asks.map(({ headers }) => headers['idempotency-key'])).size).toBe(1)
})

test('a conversation deleted elsewhere is not requested forever', async () => {
  const running = stored('running', asked, message('msg_2', { status: 'streaming' }))
  const gone = new ApiError(404, 'not_found', 'The conversation conv_1 was not found')
  const { session, pauses } = daemon({
    [`GET ${read}`]: [running, gone],
    [`GET ${attach}`]: [stream([start()], 'cut'), gone],
  })
  await session.open()
  await until(() => expect(session.view().link).toBe('none'))
  expect(session.view().error).toBe(gone)
  expect(pauses).toEqual([])
})

test('leaving a conversation does not remove the message just sent', async () => {
  const gate = Promise.withResolvers<Response>()
  const { session, of } = daemon({
    [`GET ${read}`]: [stored('idle')],
    'POST /api/chat/messages/stream': [() => gate.promise],
  })
  await session.open()
  const sent = session.send('hi')
  session.close()
  gate.resolve(stream([start()], 'stay'))
  await sent
  expect(of('/api/chat/messages/stream')).toHaveLength(1)
  expect(session.view().link).toBe('none')
})

test('closing ends the stream and does not reopen it', async () => {
  const running = stored('running', asked, message('msg_2', { status: 'streaming' }))
  const gate = Promise.withResolvers<Response>()
  const { session, of } = daemon({ [`GET ${read}`]: [running], [`GET ${attach}`]: [() => gate.promise] })
  await session.open()
  session.close()
  gate.resolve(stream([start()], 'cut'))
  await until(() => expect(session.view().link).toBe('none'))
  expect(of(attach)).toHaveLength(1)
})

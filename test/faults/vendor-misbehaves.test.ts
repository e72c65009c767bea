import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createModels } from '../../adapters/models/index.ts'
import { send, stop } from '../../handlers/chat/stream.ts'
import { setKey } from '../../handlers/providers/providers.ts'
import type { Message } from '../../runtime/chat/schema.ts'
import type { Models } from '../../runtime/ports/models.ts'
import { second } from '../../runtime/time.ts'
import {
  badChunk,
  brokenToolCall,
  cut,
  drip,
  endEarly,
  endless,
  errorEvent,
  fail,
  garbage,
  hang,
  refuse,
  reset,
  type Step,
  slow,
  stall,
  startWire,
  text,
  toolCall,
  type Wire,
} from '../fixtures/wire/index.ts'
import { call } from '../support/call.ts'
import { onlyConversation, parseEvents, conversationOf as storedConversation } from '../support/chat.ts'
import { testHost as newHost, type testHost } from '../support/host.ts'
import { workOff } from '../support/work.ts'
import {
  conversationOf,
  endings,
  isAnsweredHistory,
  newConversation,
  readEvents,
  type StreamedEvent,
  sendMessage,
} from './chat-client.ts'
import { Service } from './service.ts'

describe('against the daemon', () => {
  let service: Service
  let wire: Wire

  beforeAll(async () => {
    wire = await startWire({
      otherwise: ({ last_user_text: said, body }) => {
        if (!said.startsWith(afterTool)) return misbehaviours[said]?.step ?? text('Fine.')
        const hasRun = JSON.stringify(body).includes('"role":"tool"')
        return hasRun ? (misbehaviours[said.slice(afterTool.length)]?.step ?? text('')) : toolCall('time', {})
      },
    })
    service = await Service.start()
  })

  // New access forgets what the last test made it think of the vendor.
  beforeEach(() => service.use(wire))

  afterAll(async () => {
    await service.kill()
    await wire.close()
  })

  interface Misbehaviour {
    step: Step
    /** Null: the turn is done all the same. */
    code: string | null
    said?: string
    /** Requests of one answer; default 1. An error that may pass is retried three times. */
    tries?: number
    /** Null: the turn is done when a tool has run before. */
    code_after_tool?: null
  }

  const afterTool = 'after a tool: '

  const misbehaviours: Record<string, Misbehaviour> = {
    'too many requests': { step: fail(429), code: 'rate_limit' },
    'too many requests for a while': { step: fail(429, { retry_after: '90' }), code: 'rate_limit' },
    'too many requests until a date': {
      step: fail(429, { retry_after: 'Mon, 05 Jan 2026 09:02:00 GMT' }),
      code: 'rate_limit',
      tries: 4,
    },
    'an error of its own': { step: fail(500), code: 'provider_unavailable', tries: 4 },
    'a bad gateway': {
      step: garbage('<h1>502</h1>', { status: 502 }),
      code: 'provider_unavailable',
      tries: 4,
    },
    'too much to do': { step: fail(503), code: 'overloaded', tries: 4 },
    'no such key': { step: refuse('auth'), code: 'auth' },
    'no money': { step: refuse('billing'), code: 'billing' },
    'no such model': { step: refuse('model_not_found'), code: 'model_not_found' },
    'too long': { step: refuse('context_overflow'), code: 'context_overflow', tries: 2 },
    'nothing it would say': { step: refuse('content_filter'), code: 'content_filter' },
    'half of what it would say': {
      step: text('Once upon', { finish: 'content_filter' }),
      code: 'content_filter',
      said: 'Once upon',
    },
    'a reset connection': { step: reset(), code: 'provider_unavailable', tries: 4 },
    'a page of HTML': { step: garbage(), code: 'provider_unavailable' },
    'events that are none': {
      step: garbage('\u0001 nothing\n\n', { content_type: 'text/event-stream' }),
      code: 'interrupted',
      tries: 4,
    },
    'JSON that is none': { step: badChunk('Once upon'), code: 'interrupted', said: 'Once upon' },
    'a cut in the middle': { step: cut('Once upon'), code: 'interrupted', said: 'Once upon' },
    'an end without a finish': { step: endEarly('Once upon'), code: 'interrupted', said: 'Once upon' },
    'an error in the middle': {
      step: errorEvent('overloaded', 'Once upon'),
      code: 'overloaded',
      said: 'Once upon',
    },
    'byte after byte': {
      step: drip('Once upon a time — 昔々 — 🐉'),
      code: null,
      said: 'Once upon a time — 昔々 — 🐉',
    },
    'no usage': { step: text('Once', { usage: null }), code: null, said: 'Once' },
    'nothing at all': { step: text(''), code: 'interrupted', code_after_tool: null },
  }

  const lastAnswer = async (id: string): Promise<Message | undefined> =>
    (await conversationOf(service, id)).messages.at(-1)

  /** What an answer consists of, without the notes to the model. */
  const partsOf = (answer: Message | undefined) => answer?.parts.filter(({ type }) => type !== 'note')

  /** The requests for answers to a message. */
  const asked = (message: string) => wire.requests.filter(({ last_user_text }) => last_user_text === message)

  async function answersWell(message: string, { code, said = '', tries = 1 }: Misbehaviour): Promise<void> {
    const { id } = await newConversation(service)
    const before = asked(message).length
    const events = await readEvents(await sendMessage(service, { message, conversation_id: id }))

    const ending = code === null ? { event: 'done' } : { event: 'error', data: { code } }
    expect(endings(events)).toMatchObject([ending])
    expect(endings(events)[0]?.data.message ?? '').not.toContain('sk-test')
    expect(asked(message).length - before).toBe(tries)
    const answer = await lastAnswer(id)
    expect(said.startsWith(answer?.content ?? '?')).toBe(true)
    expect(answer?.content.split(' ')[0]).toBe(said.split(' ')[0])
    expect(answer?.status).toBe(code === null ? 'complete' : code === 'interrupted' ? 'interrupted' : 'error')
    expect(await conversationOf(service, id)).toMatchObject({ status: 'idle', message_count: 2 })
  }

  /** A vendor that names a time is left alone for so long, by all turns: these cannot run beside others. */
  const namesTime = ([message]: [string, Misbehaviour]) => /for a while|until a date/.test(message)
  const all = Object.entries(misbehaviours)

  test.each(all.filter(namesTime))('a vendor with %s', answersWell)

  const impatient = all.filter((one) => !namesTime(one))

  test.concurrent.each(impatient)('a vendor with %s', answersWell)

  test.concurrent.each(impatient)(
    '%s after a tool has run: its result is kept',
    async (kind, { code, code_after_tool = code, tries = 1 }) => {
      const message = afterTool + kind
      const { id } = await newConversation(service)
      const events = await readEvents(await sendMessage(service, { message, conversation_id: id }))

      expect(endings(events)).toMatchObject([
        code_after_tool === null ? { event: 'done' } : { event: 'error', data: { code: code_after_tool } },
      ])
      expect(asked(message)).toHaveLength(1 + tries)
      const answer = await lastAnswer(id)
      expect(partsOf(answer)?.slice(0, 2)).toMatchObject([
        { type: 'tool_use', tool: 'time', state: 'done' },
        { type: 'tool_result', is_error: false },
      ])
      await readEvents(await sendMessage(service, { message: 'Are you well?', conversation_id: id }))
      expect(await lastAnswer(id)).toMatchObject({ status: 'complete', content: 'Fine.' })
      const next = asked('Are you well?').find(({ body }) => JSON.stringify(body).includes(message))
      expect(isAnsweredHistory(next?.body)).toBe(true)
    },
  )

  test.each([
    ['arguments that are not JSON', brokenToolCall('time', '{"zone": ')],
    ['arguments that do not fit', toolCall('http_request', { url: 17 })],
    ['a tool that is not there', toolCall('launch_rocket', {})],
  ])('a call with %s is told to the model, and nothing runs', async (_, step) => {
    const { id } = await newConversation(service)
    wire.script(step)
    const events = await readEvents(await sendMessage(service, { message: 'Do it', conversation_id: id }))

    expect(endings(events)).toMatchObject([{ event: 'done' }])
    const answer = await lastAnswer(id)
    expect(partsOf(answer)).toMatchObject([{ state: 'denied' }, { is_error: true }, { text: 'Fine.' }])
  })

  test('an endless answer is stopped, and the connection to the vendor closed', async () => {
    const { id } = await newConversation(service)
    // Far from the limit of an answer when it is stopped, also on a busy machine.
    wire.script(endless('.'))
    const arrived = wire.received(wire.requests.length + 1)
    const events = readEvents(await sendMessage(service, { message: 'Go on', conversation_id: id }))
    await arrived
    await service.send('POST', `/api/chat/conversations/${id}/stop`)

    expect(endings(await events)).toMatchObject([{ event: 'error', data: { code: 'cancelled' } }])
    await wire.requests.at(-1)?.closed
  })

  test('all misbehaviours at once, several times: each turn ends once, and the daemon stays healthy', async () => {
    const before = wire.requests.length
    const crowd = impatient.flatMap((one) => [one, one, one])
    const streams = await Promise.all(
      crowd.map(async ([message]) => readEvents(await sendMessage(service, { message }))),
    )

    expect(streams.map((events) => endings(events).map(codeOf))).toEqual(crowd.map(([, { code }]) => [code]))
    const expected = crowd.reduce((sum, [, { tries = 1 }]) => sum + tries, 0)
    expect(wire.requests.length - before).toBe(expected)
    expect((await service.send('GET', '/health/ready')).status).toBe(200)
    expect(service.said()).not.toContain('"level":"error"')
  })

  const codeOf = ({ event, data }: StreamedEvent) => (event === 'done' ? null : data.code)
})

describe('with a clock that is advanced by hand', () => {
  let wire: Wire
  let host: Awaited<ReturnType<typeof testHost>>

  beforeEach(async () => {
    wire = await startWire()
    const models = (): Models => createModels({ fetch: wire.fetch, clock: host.clock })
    host = await newHost({
      models: { stream: (made) => models().stream(made), list: (access) => models().list(access) },
    })
    const body = { api_key: 'sk-test-0123456789', base_url: wire.url.openai, default_model: 'model-a' }
    await call(setKey, host, { params: { id: 'openai' }, body })
    return () => wire.close()
  })

  /** Asks, and lets the turn run. `said` resolves when the stream has said the text. */
  async function ask() {
    const response = await call(send, host, { body: { message: 'Tell me' } })
    let seen = ''
    const waiting: { text: string; resolve(): void }[] = []
    const decoder = new TextDecoder()
    const whole = (async () => {
      for await (const chunk of response.body ?? []) {
        seen += decoder.decode(chunk, { stream: true })
        for (const { text, resolve } of waiting) if (seen.includes(text)) resolve()
      }
      return { events: parseEvents(seen), raw: seen }
    })()
    const said = (text: string) =>
      new Promise<void>((resolve) => (seen.includes(text) ? resolve() : waiting.push({ text, resolve })))
    return { said, whole, worked: workOff(host) }
  }

  async function answerNow() {
    const { id } = await onlyConversation(host)
    return storedConversation(host, id)
  }

  test('a local server that hangs is abandoned after five minutes, and the client gets heartbeats', async () => {
    wire.script(hang())
    const { whole, worked } = await ask()
    await wire.received(1)
    await host.clock.advance(300 * second)
    await worked
    const { events, raw } = await whole

    expect(endings(events)).toMatchObject([{ event: 'error', data: { code: 'timeout' } }])
    expect(raw.match(/: beat/g)?.length).toBeGreaterThanOrEqual(3)
    expect(wire.requests).toHaveLength(1)
    await wire.requests[0]?.closed
    expect(await answerNow()).toMatchObject({ status: 'idle', messages: [{}, { status: 'error' }] })
  })

  test('a vendor that falls silent in mid-answer is abandoned after two minutes, and its text is kept', async () => {
    wire.script(stall('Once upon'))
    const { said, whole, worked } = await ask()
    await said('upon')
    await host.clock.advance(120 * second)
    await worked

    expect(endings((await whole).events)).toMatchObject([{ event: 'error', data: { code: 'timeout' } }])
    expect(wire.requests).toHaveLength(1)
    expect((await answerNow()).messages[1]).toMatchObject({
      content: 'Once upon',
      error: { code: 'timeout' },
    })
  })

  test('a slow vendor is not cut off as long as it sends data', async () => {
    wire.script(slow(['one ', 'two ', 'three ', 'four']))
    const { said, whole, worked } = await ask()
    await wire.received(1)
    for (const word of ['one', 'two', 'three', 'four']) {
      await host.clock.advance(50 * second)
      wire.release()
      await said(word)
    }
    await worked

    expect(endings((await whole).events)).toMatchObject([{ event: 'done' }])
    expect((await answerNow()).messages[1]).toMatchObject({
      status: 'complete',
      content: 'one two three four',
    })
  })

  test('a turn whose vendor hangs can be stopped at once', async () => {
    wire.script(hang())
    const { whole, worked } = await ask()
    await wire.received(1)
    const { id } = await onlyConversation(host)
    await call(stop, host, { params: { id } })
    await worked

    expect(endings((await whole).events)).toMatchObject([{ event: 'error', data: { code: 'cancelled' } }])
    await wire.requests[0]?.closed
  })

  test('the text so far is stored every second, so a crash loses no more', async () => {
    wire.script(slow(['one ', 'two ']))
    const { said, whole, worked } = await ask()
    await wire.received(1)
    wire.release()
    await said('one')
    await host.clock.advance(second)

    expect((await answerNow()).messages[1]).toMatchObject({ status: 'streaming', content: 'one ' })
    wire.release()
    await Promise.all([whole, worked])
  })
})

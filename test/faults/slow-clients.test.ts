import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { describe, expect, test } from 'vitest'
import WebSocket from 'ws'
import { noOutbound } from '../../adapters/memory/absent.ts'
import { respond } from '../../handlers/chat/approvals.ts'
import { send } from '../../handlers/chat/stream.ts'
import { LiveTurns } from '../../runtime/chat/live.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { minute, second } from '../../runtime/time.ts'
import { slow } from '../fixtures/wire/index.ts'
import { call } from '../support/call.ts'
import {
  names,
  onlyApproval,
  onlyConversation,
  parseEvents,
  conversationOf as storedConversation,
} from '../support/chat.ts'
import { eventually } from '../support/daemon-process.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { openRaw } from '../support/raw.ts'
import { wiredService } from '../support/wired-service.ts'
import { workOff } from '../support/work.ts'
import { endings, followSession, newConversation, readEvents, sendMessage } from './chat-client.ts'

const mebibyte = 1024 * 1024

const { service, wire } = await wiredService()

const port = () => Number(new URL(service.url).port)

/** Bytes of the daemon's resident memory, as the kernel counts them. */
function resident(): number {
  const [, kibibytes] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.pid}/status`, 'utf8')) ?? []
  return Number(kibibytes) * 1024
}

async function openConnections(): Promise<number> {
  const metrics = await (await service.send('GET', '/api/metrics/prometheus')).text()
  return Number(/^\w*open_connections (\d+)$/m.exec(metrics)?.[1])
}

/** Sends a request with the key, and reads no more than the first bytes of the answer. */
async function openStalled(path: string): Promise<Socket> {
  const socket = await openRaw(port())
  socket.write(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${service.key}\r\n\r\n`)
  await once(socket, 'data')
  return socket.pause()
}

/**
 * An answer just below the limit of characters, sent to the caller and to `stalled` clients that do not read: 6 MB in 800
 * pieces, because JSON writes this character in six bytes.
 */
async function longAnswer(stalled: number) {
  const { id } = await newConversation(service)
  wire.script(slow(Array.from({ length: 800 }, () => '\u0001'.repeat(1_200))))
  const asked = wire.received(wire.requests.length + 1)
  const sent = await sendMessage(service, { message: 'Tell me everything', conversation_id: id })
  await asked
  const path = `/api/chat/sessions/${id}/stream`
  const sockets = await Promise.all(Array.from({ length: stalled }, () => openStalled(path)))
  wire.release(800)
  return { sockets, events: await readEvents(sent) }
}

test('50 clients that do not read their stream cost little, and block neither the turn nor the others', async () => {
  await longAnswer(0)
  const before = resident()
  const { sockets, events } = await longAnswer(50)

  const said = events.filter(({ event }) => event === 'token').map(({ data }) => data.content)
  expect(said.join('')).toHaveLength(800 * 1_200)
  expect(endings(events)).toMatchObject([{ event: 'done' }])
  // Of 290 MB most were not read.
  expect(resident() - before).toBeLessThan(150 * mebibyte)
  const next = await readEvents(await sendMessage(service, { message: 'And you?' }))
  expect(endings(next)).toMatchObject([{ event: 'done' }])
  expect(await openConnections()).toBe(sockets.length)
  for (const socket of sockets) socket.destroy()
  await eventually(async () => (await openConnections()) === 0)
})

test('a client that was away until its answer was forgotten gets a replay', async () => {
  const { id } = await newConversation(service)
  wire.script(slow(['one ', 'two ', 'three ']))
  const asked = wire.received(wire.requests.length + 1)
  const sent = await sendMessage(service, { message: 'Count', conversation_id: id })
  await asked
  wire.release(3)
  const seen = await readEvents(sent)
  for (let left = 40; left > 0; left -= 1) {
    await readEvents(await sendMessage(service, { message: `Something else ${left}` }))
  }
  const stream = await followSession(service, id, seen[2]?.id)
  const told = stream ? await readEvents(stream) : []

  expect(names(told)).toEqual(['message_start', 'token', 'done'])
  expect(told[1]?.data.content).toBe('one two three ')
})

test('a limited number of ended answers is kept in memory, regardless of their length', () => {
  const turns = new LiveTurns('test')
  for (let index = 0; index < 8; index += 1) {
    const log = turns.open(`msg_${index}`)
    log.emit({ event: 'token', data: { content: 'x'.repeat(900_000) } })
    log.emit({
      event: 'done',
      data: { message_id: log.message_id, input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    })
  }

  const kept = Array.from({ length: 8 }, (_, index) => turns.find(`msg_${index}`)?.message_id)
  expect(kept.filter(Boolean)).toEqual(['msg_5', 'msg_6', 'msg_7'])
})

const eventsUrl = () => `${service.url.replace('http', 'ws')}/ws/events?token=${service.key}`

test('a socket client that repeatedly requests everything and reads nothing is dropped', async () => {
  const reader = new WebSocket(eventsUrl())
  let heard = 0
  reader.on('message', () => (heard += 1))
  await once(reader, 'open')
  const conversations = 300
  const title = '長'.repeat(200)
  await Promise.all(Array.from({ length: conversations }, () => newConversation(service, { title })))

  const deaf = new WebSocket(eventsUrl())
  await once(deaf, 'open')
  deaf.pause()
  const before = resident()
  const open = await openConnections()
  // Each asks for some 300 KB: 300 MB in all.
  for (let left = 1_000; left > 0; left -= 1) deaf.send('{"type":"subscribe","since_seq":0}')

  await eventually(async () => (await openConnections()) < open)
  expect(resident() - before).toBeLessThan(50 * mebibyte)
  await eventually(() => heard >= conversations)
  expect(reader.readyState).toBe(WebSocket.OPEN)
  reader.close()
  deaf.terminate()
})

const head = (path: string, more: string) =>
  `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer ${service.key}\r\nContent-Type: application/json\r\n${more}\r\n\r\n`

test('an endless body is refused at its limit, and is not kept', async () => {
  const before = resident()
  const socket = connect(port(), '127.0.0.1')
  socket.on('error', () => undefined)
  const chunk = Buffer.from(`10000\r\n${'a'.repeat(0x10000)}\r\n`)
  let written = 0
  const pour = () => {
    while (socket.writable && socket.write(chunk)) written += chunk.length
  }
  socket.on('drain', pour)
  socket.write(head('/api/chat/messages/stream', 'Transfer-Encoding: chunked'))
  pour()
  const [answer] = (await once(socket, 'data')) as [Buffer]

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
  expect(answer.toString()).toContain('payload_too_large')
  expect(written).toBeLessThan(64 * mebibyte)
  expect(resident() - before).toBeLessThan(50 * mebibyte)
  socket.destroy()
})

test('a body whose declared length is too large is refused before it arrives', async () => {
  const socket = await openRaw(port())
  socket.write(head('/api/agents', `Connection: close\r\nContent-Length: ${64 * mebibyte}`))
  const [answer] = (await once(socket, 'data')) as [Buffer]

  expect(answer.toString()).toMatch(/^HTTP\/1\.1 413 /)
  socket.destroy()
})

test('a message above its own limit is refused, and nothing of it is stored', async () => {
  const { id } = await newConversation(service)
  const message = 'x'.repeat(200 * 1024 + 1)
  const refused = await sendMessage(service, { message, conversation_id: id })

  expect([413, 422]).toContain(refused.status)
  expect((await service.read<{ message_count: number }>('GET', `/api/chat/conversations/${id}`)).message_count).toBe(0)
})

test('100 requests whose body does not arrive block nobody', async () => {
  const silent = await Promise.all(
    Array.from({ length: 100 }, async () => {
      const socket = await openRaw(port())
      socket.write(`${head('/api/agents', 'Content-Length: 100')}{`)
      return socket
    }),
  )
  const { id } = await newConversation(service)
  const events = await readEvents(await sendMessage(service, { message: 'Still there?', conversation_id: id }))

  expect(endings(events)).toMatchObject([{ event: 'done' }])
  for (const socket of silent) socket.destroy()
  expect(service.alive).toBe(true)
})

describe('tools that hang, with a clock that is advanced by hand', () => {
  const silent = (): { outbound: Outbound; asked: Promise<AbortSignal | undefined> } => {
    const asked = Promise.withResolvers<AbortSignal | undefined>()
    const outbound: Outbound = {
      ...noOutbound,
      fetch(_, init) {
        asked.resolve(init?.signal ?? undefined)
        return new Promise(() => undefined)
      },
    }
    return { outbound, asked: asked.promise }
  }

  test.each([
    ['web_fetch', { url: 'https://example.com/' }, 20 * second],
    ['http_request', { url: 'https://example.com/' }, minute],
  ] as const)(
    '%s is abandoned after its time, though it ignores its signal, and the model is told',
    async (name, input, time) => {
      const models = scriptedModels(toolCall(name, input), text('It did not answer.'))
      const { outbound, asked } = silent()
      const host = await testHost({ models, outbound })
      const response = await call(send, host, { body: { message: 'Look it up' } })
      const worked = workOff(host)
      const signal = await asked
      await host.clock.advance(time - 1)
      expect(models.calls).toHaveLength(1)
      await host.clock.advance(1)
      await worked

      expect(signal?.aborted).toBe(true)
      expect(names(parseEvents(await response.text()))).toEqual([
        'message_start',
        'tool_use',
        'tool_result',
        'token',
        'done',
      ])
      expect(JSON.stringify(models.calls[1]?.messages)).toContain('was abandoned')
      const { id } = await onlyConversation(host)
      expect(await storedConversation(host, id)).toMatchObject({ status: 'idle' })
    },
  )

  test('an approved call that hangs is also abandoned, and is not repeated', async () => {
    const input = { method: 'POST', url: 'https://example.com/' }
    const models = scriptedModels(toolCall('http_request', input), text('It did not answer.'))
    const { outbound, asked } = silent()
    const host = await testHost({ models, outbound })
    const response = await call(send, host, { body: { message: 'Post it' } })
    await workOff(host)
    const { id, conversation_id } = await onlyApproval(host)
    await call(respond, host, { params: { id: conversation_id }, body: { approval_id: id, approved: true } })
    const worked = workOff(host)
    await asked
    await host.clock.advance(minute)
    await worked

    expect(names(parseEvents(await response.text())).slice(-3)).toEqual(['tool_result', 'token', 'done'])
    const { messages } = await storedConversation(host, conversation_id)
    expect(messages[1]?.parts.filter(({ type }) => type === 'tool_result')).toMatchObject([{ is_error: true }])
  })
})

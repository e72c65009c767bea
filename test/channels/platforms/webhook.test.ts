import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { webhook } from '../../../runtime/channels/platforms/webhook.ts'
import {
  buttons,
  commonMutations,
  connectionOf,
  failureOf,
  file,
  messagesOf,
  outbound,
  rawRequest,
  refusesMutations,
  reportsFailures,
  startPlatform,
} from './kit.ts'

const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const credentials = { secret, url: 'https://program.test/answers?x=1' }
const connection = connectionOf(credentials)
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)

const server = await startPlatform(({ url }) =>
  url.pathname === '/answers' ? Response.json({ id: 'their-1' }) : new Response(content),
)
const context = localContext(server.host)
const now = server.host.clock.now() / 1_000

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

const keyOf = (text: string) => Buffer.from(text.replace('whsec_', ''), 'base64')
const signatureOf = (id: string, timestamp: string | number, body: string, algorithm = 'sha256') =>
  `v1,${createHmac(algorithm, keyOf(secret)).update(`${id}.${timestamp}.${body}`).digest('base64')}`

function signed(payload: unknown, id = 'msg_2') {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(now),
      'webhook-signature': signatureOf(id, now, body),
    },
  }
}
const receive = (payload: unknown) => webhook.receive(rawRequest(signed(payload)), connection, context)

describe('the published example of Standard Webhooks', () => {
  // https://github.com/standard-webhooks/standard-webhooks, the tests of its libraries
  const id = 'msg_p5jXN8AQM9LWM0D4loKWxJek'
  const timestamp = '1614265330'
  const valid = {
    body: '{"test": 2432232314}',
    headers: {
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    },
  }
  const changed = (headers: Record<string, string>) => ({
    posted: { ...valid, headers: { ...valid.headers, ...headers } },
  })
  const at = (time: string) =>
    changed({ 'webhook-timestamp': time, 'webhook-signature': signatureOf(id, time, valid.body) })
  const without = (name: string) => ({
    posted: {
      ...valid,
      headers: Object.fromEntries(Object.entries(valid.headers).filter(([key]) => key !== name)),
    },
  })
  refusesMutations(webhook, {
    credentials,
    valid,
    now: Number(timestamp) * 1_000,
    mutations: {
      ...commonMutations(valid, { header: 'webhook-signature', secret: 'secret', credentials }),
      'another id': changed({ 'webhook-id': 'msg_other' }),
      'an empty id': changed({
        'webhook-id': '',
        'webhook-signature': signatureOf('', timestamp, valid.body),
      }),
      'no id': without('webhook-id'),
      'another timestamp': changed({ 'webhook-timestamp': '1614265331' }),
      'no timestamp': without('webhook-timestamp'),
      'a timestamp 301 seconds ago': at('1614265029'),
      'a timestamp 301 seconds ahead': at('1614265631'),
      'a timestamp with decimals': at('1614265330.0'),
      'the version v1a': changed({
        'webhook-signature': valid.headers['webhook-signature'].replace('v1', 'v1a'),
      }),
      'no version': changed({ 'webhook-signature': valid.headers['webhook-signature'].slice(3) }),
      'SHA-1': changed({ 'webhook-signature': signatureOf(id, timestamp, valid.body, 'sha1') }),
      'only the prefix of a secret': { posted: valid, credentials: { secret: 'whsec_' } },
      'the secret as text': { posted: valid, credentials: { secret: secret.slice(6) } },
    },
  })
})

describe('receiving', () => {
  const hello = { text: 'Hello', sender: { id: 'ada', name: 'Ada' } }

  test('a message', async () => {
    expect(messagesOf(await receive(hello))).toEqual([
      {
        id: 'msg_2',
        kind: 'message',
        edits: null,
        sender: { id: 'ada', name: 'Ada' },
        peer: { kind: 'dm', id: 'ada', name: null, thread_id: null, team_id: null },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: { id: 'msg_2' },
      },
    ])
  })

  test('an edit, a button, a thread of a group, a file', async () => {
    const conversation = { id: 'room', name: 'Kitchen', kind: 'group' }
    const files = [{ name: 'a.txt', url: 'https://program.test/a.txt' }]
    const more = { id: 'm2', thread_id: 't1', is_mention: false, conversation, files }
    const [edit] = messagesOf(await receive({ ...hello, ...more, edits: 'm1' }))
    expect(edit).toMatchObject({
      id: 'm2',
      kind: 'edit',
      edits: 'm1',
      peer: { kind: 'group', id: 'room', thread_id: 't1' },
      is_mention: false,
      files: [{ name: 'a.txt', reference: { url: 'https://program.test/a.txt' } }],
    })
    const [button] = messagesOf(await receive({ ...hello, value: 'ok:1' }))
    expect(button).toMatchObject({ kind: 'button', value: 'ok:1' })
  })

  test.each([
    ['no JSON', 'hello', 400, 'The body is not valid JSON'],
    ['no sender', { text: 'x' }, 422, 'sender'],
    ['a file that is no URL', { ...hello, files: [{ name: 'x', url: 'file:///etc/passwd' }] }, 422, 'files.0.url'],
  ])('a signed request with %s is refused with the mistake', async (_, payload, status, said) => {
    const refused = receive(payload)
    await expect(refused).rejects.toMatchObject({ status, message: expect.stringContaining(said) })
  })
})

test('what others wrote, and a voice message', async () => {
  const url = 'https://program.test/voice'
  const found = await receive({
    sender: { id: 'ada' },
    quotes: [{ kind: 'forward', from: 'Eve', text: 'Delete it' }],
    files: [{ name: 'voice.ogg', url, is_voice: true }],
  })
  expect(messagesOf(found)).toMatchObject([
    {
      quotes: [{ kind: 'forward', from: 'Eve', text: 'Delete it', is_own: false }],
      files: [{ name: 'voice.ogg', is_voice: true }],
    },
  ])
})

describe('sending', () => {
  test('a signed message, the same for every attempt', async () => {
    const message = outbound({ buttons, files: [file(3)], reply: { id: 'msg_2' } })
    expect(await webhook.send(message, connection, context)).toEqual({ platform_message_id: 'their-1' })
    const [request] = server.requests
    expect(request?.url.href).toBe(credentials.url)
    expect(request?.headers.get('webhook-id')).toBe('msg_1:0')
    expect(request?.headers.get('webhook-signature')).toBe(signatureOf('msg_1:0', now, request?.bytes.toString() ?? ''))
    expect(request?.json).toEqual({
      type: 'message',
      timestamp: '2026-01-05T12:00:00.000Z',
      data: {
        id: 'msg_1:0',
        conversation: { id: '42', name: null, kind: 'dm' },
        thread_id: null,
        in_reply_to: 'msg_2',
        text: 'Good **morning**',
        buttons,
        files: [{ name: 'report.txt', mime_type: 'text/plain', base64: 'YWFh' }],
      },
    })
  })

  test('a file of 20 MB', async () => {
    await webhook.send(outbound({ files: [file(20_000_000)] }), connection, context)
    expect(server.requests[0]?.json.data.files[0].base64).toHaveLength(26_666_668)
  })

  reportsFailures(webhook, { server: () => server, connection })

  test('a redirect is not followed', async () => {
    server.next.push(new Response(null, { status: 307, headers: { location: 'https://program.test/other' } }))
    expect(await failureOf(webhook.send(outbound(), connection, context))).toMatchObject({
      is_permanent: true,
    })
    expect(server.requests).toHaveLength(1)
  })

  test('without a URL: refused', async () => {
    const quiet = connectionOf({ secret, url: '' })
    expect(await failureOf(webhook.send(outbound(), quiet, context))).toMatchObject({ is_permanent: true })
  })
})

test('downloads a file of 20 MB', async () => {
  content = new Uint8Array(20_000_000)
  const found = {
    name: 'x',
    mime_type: null,
    size_bytes: null,
    reference: { url: 'https://program.test/file' },
  }
  const response = await webhook.download?.(found, connection, context)
  expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
})

test('health says what the channel does', async () => {
  expect(await webhook.health(connection, context)).toEqual({
    ok: true,
    detail: 'Sends answers to program.test',
  })
})

test('health reports that answers can never arrive', async () => {
  const credentials = { ...connection.credentials, url: 'http://169.254.169.254/' }
  const health = await webhook.health({ ...connection, credentials }, context)
  expect(health).toMatchObject({ ok: false, detail: expect.stringContaining('Cannot send answers') })
})

import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { line } from '../../../runtime/channels/platforms/line.ts'
import {
  buttons,
  commonMutations,
  connectionOf,
  messagesOf,
  outbound,
  rawRequest,
  refusesMutations,
  reportsFailures,
  startPlatform,
  webhookUrl,
} from './kit.ts'

const channel_secret = '8c570fa6dd201bb328f1c1eac23a96d8'
const credentials = { channel_secret, channel_access_token: 'channel-access-token-1234567890' }
const connection = connectionOf(credentials)
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)
let endpoint = webhookUrl

const server = await startPlatform(({ url, method }) => {
  if (url.host === 'api-data.line.me') return new Response(content)
  switch (url.pathname) {
    case '/v2/bot/message/reply':
    case '/v2/bot/message/push':
      return Response.json({ sentMessages: [{ id: '461230966842064897', quoteToken: 'x' }] })
    case '/v2/bot/info':
      return Response.json({ userId: 'Ubot', displayName: 'Hearth' })
    case '/v2/bot/channel/webhook/endpoint':
      return method === 'GET' ? Response.json({ endpoint, active: true }) : Response.json({})
    case '/v2/bot/chat/loading/start':
      return Response.json({}, { status: 202 })
    default:
      return undefined
  }
})
const context = localContext(server.host)

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

const signatureOf = (body: string, key = channel_secret, algorithm = 'sha256') =>
  createHmac(algorithm, key).update(body).digest('base64')

function signed(payload: unknown) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return { body, headers: { 'content-type': 'application/json', 'x-line-signature': signatureOf(body) } }
}

const event = (more: object = {}) => ({
  type: 'message',
  mode: 'active',
  timestamp: 1_767_614_400_000,
  webhookEventId: '01FZ74A0TDDPYRVKNK77XKC3ZR',
  deliveryContext: { isRedelivery: false },
  replyToken: 'nHuyWiB7yP5Zw52FIkcQobQuGDXCTA',
  source: { type: 'user', userId: 'U1' },
  message: { id: '444573844083572737', type: 'text', text: 'Hello' },
  ...more,
})

const receive = async (...events: object[]) =>
  messagesOf(await line.receive(rawRequest(signed({ destination: 'Ubot', events })), connection, context))

describe('the published examples', () => {
  test.each([
    ['SECRET', '{}', '3q8QXTAGaey18yL8FWTqdVlbMr6hcuNvM4tefa0o9nA='],
    ['test_secret', '{"hello":"world"}', 't7Hn4ZDHqs6e+wdvI5TyQIvzie0DmMUmuXEBqyyE/tM='],
  ])('of the official libraries, with the secret %s', async (secret, body, signature) => {
    const received = await line.receive(
      rawRequest({ body, headers: { 'x-line-signature': signature } }),
      connectionOf({ ...credentials, channel_secret: secret }),
      context,
    )
    expect(received).toEqual({ kind: 'accepted', messages: [] })
  })

  const body = '{"hello":"world"}'
  const own = { ...credentials, channel_secret: 'test_secret' }
  const header = 'x-line-signature'
  const valid = { body, headers: { [header]: 't7Hn4ZDHqs6e+wdvI5TyQIvzie0DmMUmuXEBqyyE/tM=' } }
  const changed = (value: string) => ({ posted: { body, headers: { [header]: value } } })
  refusesMutations(line, {
    credentials: own,
    valid,
    mutations: {
      ...commonMutations(valid, { header, secret: 'channel_secret', credentials: own }),
      'SHA-1': changed(signatureOf(body, 'test_secret', 'sha1')),
      'SHA-512': changed(signatureOf(body, 'test_secret', 'sha512')),
      hex: changed(createHmac('sha256', 'test_secret').update(body).digest('hex')),
      base64url: changed(createHmac('sha256', 'test_secret').update(body).digest('base64url')),
      'a prefix': changed(`sha256=${valid.headers[header]}`),
      'the access token as the secret': changed(signatureOf(body, credentials.channel_access_token)),
    },
  })
})

describe('receiving', () => {
  test('a text', async () => {
    expect(await receive(event())).toEqual([
      {
        id: '444573844083572737',
        kind: 'message',
        edits: null,
        sender: { id: 'U1', name: null },
        peer: { kind: 'dm', id: 'U1', name: null, thread_id: null, team_id: null },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: {
          reply_token: 'nHuyWiB7yP5Zw52FIkcQobQuGDXCTA',
          issued_at: expect.stringMatching(/^\d{13}$/),
        },
      },
    ])
  })

  test('a redelivery has the same id', async () => {
    const [first, second] = await receive(event(), event({ deliveryContext: { isRedelivery: true } }))
    expect(second?.id).toBe(first?.id)
  })

  const source = { type: 'group', groupId: 'C1', userId: 'U1' }

  test.each([
    [false, [{ isSelf: false }]],
    [true, [{ isSelf: false }, { isSelf: true }]],
  ])('in a group, a mention: %s', async (is_mention, mentionees) => {
    const message = { id: '1', type: 'text', text: '@x tea?', mention: { mentionees } }
    expect(await receive(event({ source, message }))).toMatchObject([{ is_mention, peer: { kind: 'group', id: 'C1' } }])
  })

  test('a file and a pressed button', async () => {
    const message = { id: '7', type: 'file', fileName: 'a.pdf', fileSize: 3 }
    const pressed = event({ type: 'postback', message: undefined, postback: { data: 'ok:1' } })
    expect(await receive(event({ message }), pressed)).toMatchObject([
      { kind: 'message', files: [{ name: 'a.pdf', size_bytes: 3, reference: { message_id: '7' } }] },
      { kind: 'button', value: 'ok:1' },
    ])
  })

  test('a recorded request is ignored when its id is no longer remembered', async () => {
    const old = 1_767_614_400_000 - 47.5 * 3_600_000
    expect(await receive(event({ timestamp: old }))).toEqual([])
    expect(await receive(event({ timestamp: old + 3_600_000 }))).toHaveLength(1)
  })

  test('a sticker and a place', async () => {
    const sticker = { id: '1', type: 'sticker', keywords: ['happy', 'cat'] }
    const place = {
      id: '2',
      type: 'location',
      title: 'Café',
      address: 'Main St 1',
      latitude: 1,
      longitude: 2,
    }
    expect(await receive(event({ message: sticker }), event({ message: place }))).toMatchObject([
      { text: '[sticker happy, cat]', quotes: [] },
      { text: '[location 1, 2]', quotes: [{ kind: 'shared', text: 'Place: Café, Main St 1' }] },
    ])
  })

  test('standby, joins and malformed events are ignored', async () => {
    const events = [event({ mode: 'standby' }), event({ type: 'follow', message: undefined }), {}]
    expect(await receive(...events)).toEqual([])
  })
})

describe('sending', () => {
  const reply = { reply_token: 'rt1' }
  const paths = () => server.requests.map(({ url }) => url.pathname)

  test('a reply', async () => {
    const result = await line.send(outbound({ reply }), connection, context)
    expect(result).toEqual({ platform_message_id: '461230966842064897' })
    expect(paths()).toEqual(['/v2/bot/message/reply'])
    expect(server.requests[0]?.json).toEqual({
      replyToken: 'rt1',
      messages: [{ type: 'text', text: 'Good morning' }],
    })
  })

  test('a push message with a retry key when the token was used', async () => {
    server.next.push(Response.json({ message: 'Invalid reply token' }, { status: 400 }))
    await line.send(outbound({ reply }), connection, context)
    await line.send(outbound(), connection, context)
    expect(paths()).toEqual(['/v2/bot/message/reply', '/v2/bot/message/push', '/v2/bot/message/push'])
    const keys = server.requests.slice(1).map(({ headers }) => headers.get('x-line-retry-key'))
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(keys[1]).toBe(keys[0])
    expect(server.requests[1]?.json.to).toBe('42')
  })

  test('a reply whose token was used while it was valid was sent before a crash, and is not repeated', async () => {
    const issued = (age: number) => ({ ...reply, issued_at: String(context.clock.now() - age) })
    const used = () => Response.json({ message: 'Invalid reply token' }, { status: 400 })
    server.next.push(used())
    expect(await line.send(outbound({ reply: issued(5_000) }), connection, context)).toEqual({
      platform_message_id: null,
    })
    expect(paths()).toEqual(['/v2/bot/message/reply'])
    server.next.push(used())
    await line.send(outbound({ reply: issued(70_000) }), connection, context)
    expect(paths().at(-1)).toBe('/v2/bot/message/push')
  })

  test('a retry that was accepted before counts as sent', async () => {
    const accepted = { message: 'The retry key is already accepted', sentMessages: [{ id: '9' }] }
    server.next.push(Response.json(accepted, { status: 409 }))
    expect(await line.send(outbound(), connection, context)).toEqual({ platform_message_id: '9' })
  })

  test('plain text and buttons', async () => {
    const markdown = '# Tea\n**Green**, `hot`: [site](https://x.test)'
    await line.send(outbound({ markdown, buttons }), connection, context)
    const [text, template] = server.requests[0]?.json.messages ?? []
    expect(text.text).toBe('Tea\nGreen, hot: site (https://x.test)')
    expect(template.template.actions).toMatchObject([
      { type: 'postback', label: 'Approve', data: 'ok:1' },
      { type: 'postback', label: 'Deny', data: 'no:1' },
    ])
  })

  test('the typing indicator, in direct chats only', async () => {
    await line.typing?.(outbound().peer, connection, context)
    await line.typing?.({ ...outbound().peer, kind: 'group' }, connection, context)
    expect(server.requests.map(({ json }) => json)).toEqual([{ chatId: '42', loadingSeconds: 20 }])
  })

  reportsFailures(line, { server: () => server, connection })
})

test('downloads a file of 20 MB', async () => {
  content = new Uint8Array(20_000_000)
  const found = { name: 'x', mime_type: null, size_bytes: null, reference: { message_id: '7' } }
  const response = await line.download?.(found, connection, context)
  expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
  expect(server.requests[0]?.url.href).toBe('https://api-data.line.me/v2/bot/message/7/content')
})

test('connect registers the address', async () => {
  await line.connect?.(connection, context)
  expect(server.requests[0]).toMatchObject({ method: 'PUT', json: { endpoint: webhookUrl } })
})

test('health names the bot, or what is wrong', async () => {
  expect(await line.health(connection, context)).toEqual({ ok: true, detail: 'Connected as Hearth' })
  endpoint = 'https://other.example/'
  expect(await line.health(connection, context)).toMatchObject({ ok: false })
  server.next.push(Response.json({ message: 'Authentication failed' }, { status: 401 }))
  expect(await line.health(connection, context)).toEqual({
    ok: false,
    detail: 'LINE refused the credentials: Authentication failed',
  })
})

import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { whatsapp } from '../../../runtime/channels/platforms/whatsapp.ts'
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
  webhookUrl,
} from './kit.ts'

const app_secret = '0123456789abcdef0123456789abcdef'
const verify_token = 'my-verify-token'
const credentials = {
  phone_number_id: '106540352242922',
  access_token: 'EAAtest1234567890token',
  app_secret,
  verify_token,
}
const connection = connectionOf(credentials)
const messagesPath = '/v23.0/106540352242922/messages'
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)
const mediaUrl = 'https://lookaside.fbsbx.com/whatsapp_business/attachments/?mid=1'

const server = await startPlatform(({ url, json }) => {
  if (url.host === 'lookaside.fbsbx.com') return new Response(content)
  if (url.pathname === messagesPath)
    return Response.json(
      json.status ? { success: true } : { messaging_product: 'whatsapp', messages: [{ id: 'wamid.OUT' }] },
    )
  if (url.pathname === '/v23.0/106540352242922/media') return Response.json({ id: 'M9' })
  if (url.pathname === '/v23.0/M1') return Response.json({ url: mediaUrl, mime_type: 'image/jpeg', id: 'M1' })
  if (url.pathname === '/v23.0/106540352242922')
    return Response.json({ display_phone_number: '+1 555 0100', verified_name: 'Hearth' })
  return undefined
})
const context = localContext(server.host)

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

const signatureOf = (body: string, key = app_secret, algorithm = 'sha256') =>
  `${algorithm}=${createHmac(algorithm, key).update(body).digest('hex')}`

function signed(payload: unknown) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return { body, headers: { 'content-type': 'application/json', 'x-hub-signature-256': signatureOf(body) } }
}

const notification = (message: object, phone_number_id = credentials.phone_number_id) => ({
  object: 'whatsapp_business_account',
  entry: [
    {
      id: '1',
      changes: [
        {
          field: 'messages',
          value: {
            messaging_product: 'whatsapp',
            metadata: { display_phone_number: '15550100', phone_number_id },
            contacts: [{ profile: { name: 'Ada' }, wa_id: '4915112345678' }],
            messages: [{ from: '4915112345678', id: 'wamid.IN', timestamp: '1767614400', type: 'text', ...message }],
          },
        },
      ],
    },
  ],
})

const receive = async (message: object, number?: string) =>
  messagesOf(await whatsapp.receive(rawRequest(signed(notification(message, number))), connection, context))

describe("GitHub's published example of the same scheme", () => {
  // https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries#testing-the-webhook-payload-validation
  const own = { ...credentials, app_secret: "It's a Secret to Everybody" }
  const body = 'Hello, World!'
  const header = 'x-hub-signature-256'
  const signature = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  const valid = { body, headers: { [header]: signature } }
  const changed = (value: string, name = header) => ({ posted: { body, headers: { [name]: value } } })
  refusesMutations(whatsapp, {
    credentials: own,
    valid,
    mutations: {
      ...commonMutations(valid, { header, secret: 'app_secret', credentials: own }),
      'SHA-1 in the old header': changed(signatureOf(body, own.app_secret, 'sha1'), 'x-hub-signature'),
      'SHA-1 in the new header': changed(signatureOf(body, own.app_secret, 'sha1')),
      'the prefix sha512': changed(signature.replace('sha256', 'sha512')),
      'no prefix': changed(signature.slice(7)),
      'only the prefix': changed('sha256='),
      base64: changed(`sha256=${createHmac('sha256', own.app_secret).update(body).digest('base64')}`),
      'the secret itself': changed(`sha256=${own.app_secret}`),
    },
  })
})

describe('the handshake', () => {
  const get = (query: Record<string, string> | [string, string][], own = credentials) => {
    const url = `${webhookUrl}?${new URLSearchParams(query)}`
    return whatsapp.receive(rawRequest({ method: 'GET', body: '', headers: {}, url }), connectionOf(own), context)
  }
  const valid = { 'hub.mode': 'subscribe', 'hub.verify_token': verify_token, 'hub.challenge': '1158201444' }

  test('answers the challenge', async () => {
    const received = await get(valid)
    expect(received.kind === 'answered' && (await received.response.text())).toBe('1158201444')
  })

  test.each<[string, Record<string, string> | [string, string][], typeof credentials?]>([
    ['another token', { ...valid, 'hub.verify_token': 'other' }],
    ['an empty token', { ...valid, 'hub.verify_token': '' }],
    ['two tokens', [...Object.entries(valid), ['hub.verify_token', verify_token]]],
    ['another mode', { ...valid, 'hub.mode': 'unsubscribe' }],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': verify_token }],
    ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }],
    ['no token on either side', { ...valid, 'hub.verify_token': '' }, { ...credentials, verify_token: '' }],
  ])('refuses %s', async (_, query, own) => {
    expect((await get(query, own)).kind).toBe('refused')
  })
})

describe('receiving', () => {
  test('a text', async () => {
    expect(await receive({ text: { body: 'Hello' } })).toEqual([
      {
        id: 'wamid.IN',
        kind: 'message',
        edits: null,
        sender: { id: '4915112345678', name: 'Ada' },
        peer: { kind: 'dm', id: '4915112345678', name: 'Ada', thread_id: null, team_id: null },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: { message_id: 'wamid.IN' },
      },
    ])
  })

  test.each([
    [
      'a voice message',
      { type: 'audio', audio: { id: 'm1', mime_type: 'audio/ogg; codecs=opus', voice: true } },
      { text: '', files: [{ is_voice: true }] },
    ],
    [
      'a forwarded text',
      { text: { body: '/stop' }, context: { forwarded: true } },
      { text: '', quotes: [{ kind: 'forward', text: '/stop', is_own: false }] },
    ],
    ['a reply', { text: { body: 'Yes' }, context: { id: 'wamid.1' } }, { text: 'Yes', about: 'wamid.1' }],
    [
      'a location',
      { type: 'location', location: { latitude: 1, longitude: 2, name: 'Café' } },
      { text: '[location 1, 2]', quotes: [{ kind: 'shared', text: 'Place: Café' }] },
    ],
    [
      'a contact',
      { type: 'contacts', contacts: [{ name: { formatted_name: 'Bob' }, phones: [{ phone: '4711' }] }] },
      { text: '', quotes: [{ kind: 'shared', text: 'Contact: Bob, 4711' }] },
    ],
  ])('%s', async (_, more, expected) => {
    expect(await receive(more)).toMatchObject([expected])
  })

  test('a picture with its caption', async () => {
    const [found] = await receive({
      type: 'image',
      image: { id: 'M1', mime_type: 'image/jpeg', caption: 'Look' },
    })
    expect(found).toMatchObject({
      text: 'Look',
      files: [{ name: 'image.jpeg', mime_type: 'image/jpeg', reference: { media_id: 'M1' } }],
    })
  })

  test.each([
    [
      'a button',
      {
        type: 'interactive',
        interactive: { type: 'button_reply', button_reply: { id: 'ok:1', title: 'Ok' } },
      },
    ],
    [
      'a row of a list',
      { type: 'interactive', interactive: { type: 'list_reply', list_reply: { id: 'ok:1', title: 'Ok' } } },
    ],
    ['a button of a template', { type: 'button', button: { payload: 'ok:1', text: 'Ok' } }],
  ])('%s', async (_, message) => {
    expect(await receive(message)).toMatchObject([{ kind: 'button', value: 'ok:1' }])
  })

  test('a recorded request is ignored when its id is no longer remembered', async () => {
    expect(await receive({ text: { body: 'Hello' }, timestamp: String(1_767_614_400 - 2 * 86_400) })).toEqual([])
  })

  test('another number of the same app, a reaction and a status are ignored', async () => {
    expect(await receive({ text: { body: 'Hello' } }, '999')).toEqual([])
    expect(await receive({ type: 'reaction', reaction: { emoji: '👍' } })).toEqual([])
    const payload = notification({})
    const value = { ...payload.entry[0]?.changes[0]?.value, messages: undefined, statuses: [{ id: 'x' }] }
    const status = { ...payload, entry: [{ id: '1', changes: [{ field: 'messages', value }] }] }
    expect(messagesOf(await whatsapp.receive(rawRequest(signed(status)), connection, context))).toEqual([])
  })
})

describe('sending', () => {
  test('text that quotes the message', async () => {
    const result = await whatsapp.send(outbound({ reply: { message_id: 'wamid.IN' } }), connection, context)
    expect(result).toEqual({ platform_message_id: 'wamid.OUT' })
    expect(server.requests[0]?.headers.get('authorization')).toBe(`Bearer ${credentials.access_token}`)
    expect(server.requests[0]?.json).toEqual({
      messaging_product: 'whatsapp',
      recipient_type: 'individual',
      to: '42',
      context: { message_id: 'wamid.IN' },
      type: 'text',
      text: { body: 'Good *morning*', preview_url: false },
    })
  })

  test('up to three buttons, then a list', async () => {
    await whatsapp.send(outbound({ buttons }), connection, context)
    expect(server.requests[0]?.json.interactive).toMatchObject({
      type: 'button',
      action: {
        buttons: [{ type: 'reply', reply: { id: 'ok:1', title: 'Approve' } }, { reply: { id: 'no:1' } }],
      },
    })
    await whatsapp.send(outbound({ buttons: [...buttons, ...buttons] }), connection, context)
    expect(server.requests[1]?.json.interactive).toMatchObject({
      type: 'list',
      action: { sections: [{ rows: { length: 4 } }] },
    })
  })

  test('a file is uploaded, then sent', async () => {
    await whatsapp.send(outbound({ markdown: '', files: [file(16_000_000)] }), connection, context)
    const form = await server.requests[0]?.form()
    expect(form?.get('messaging_product')).toBe('whatsapp')
    expect(form?.get('file')).toMatchObject({ size: 16_000_000 })
    expect(server.requests[1]?.json).toMatchObject({
      type: 'document',
      document: { id: 'M9', filename: 'report.txt' },
    })
  })

  test('the typing indicator needs the message', async () => {
    await whatsapp.typing?.(outbound().peer, connection, context, { message_id: 'wamid.IN' })
    await whatsapp.typing?.(outbound().peer, connection, context)
    expect(server.requests.map(({ json }) => json)).toEqual([
      {
        messaging_product: 'whatsapp',
        status: 'read',
        message_id: 'wamid.IN',
        typing_indicator: { type: 'text' },
      },
    ])
  })

  reportsFailures(whatsapp, { server: () => server, connection })

  test.each([
    [130_429, 400, false, 'rate limit exceeded'],
    [131_056, 400, false, 'rate limit exceeded'],
    [131_000, 400, false, 'failed'],
    [131_047, 400, true, '24 hours'],
    [190, 401, true, 'create a new one'],
  ])('the code %i', async (code, status, is_permanent, said) => {
    server.next.push(Response.json({ error: { message: 'x', code } }, { status }))
    const failure = await failureOf(whatsapp.send(outbound(), connection, context))
    expect(failure).toMatchObject({ is_permanent, message: expect.stringContaining(said) })
  })
})

describe('downloading', () => {
  const found = { name: 'x', mime_type: null, size_bytes: null, reference: { media_id: 'M1' } }

  test('asks for the address, then for the file', async () => {
    content = new Uint8Array(20_000_000)
    const response = await whatsapp.download?.(found, connection, context)
    expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
    expect(server.requests.map(({ url }) => url.href)).toEqual(['https://graph.facebook.com/v23.0/M1', mediaUrl])
  })

  test('never sends the token elsewhere', async () => {
    server.next.push(Response.json({ url: 'https://evil.test/x' }))
    await failureOf(whatsapp.download?.(found, connection, context))
    expect(server.requests).toHaveLength(1)
  })
})

test('health names the number, or what is wrong', async () => {
  expect(await whatsapp.health(connection, context)).toEqual({
    ok: true,
    detail: 'Connected as Hearth (+1 555 0100)',
  })
  server.next.push(Response.json({ error: { message: 'expired', code: 190 } }, { status: 401 }))
  expect(await whatsapp.health(connection, context)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('the access token has expired'),
  })
})

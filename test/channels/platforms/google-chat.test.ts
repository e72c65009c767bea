import { exportPKCS8, jwtVerify } from 'jose'
import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { googleChat } from '../../../runtime/channels/platforms/google-chat.ts'
import {
  buttons,
  connectionOf,
  failureOf,
  jwtMutations,
  messagesOf,
  outbound,
  rawRequest,
  refusesMutations,
  signer,
  startPlatform,
  webhookUrl,
} from './kit.ts'

const account = await signer('account')
const client_email = 'hearth@project.iam.gserviceaccount.com'
const private_key = await exportPKCS8(account.privateKey)
const credentials = {
  service_account: JSON.stringify({ type: 'service_account', client_email, private_key }),
  audience: '',
}
const connection = connectionOf(credentials)
const project = { ...credentials, audience: '1234567890' }
const google = await signer('google-1')
const chat = await signer('chat-1')
let issued = 0
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)

const server = await startPlatform(({ url }) => {
  if (url.pathname === '/oauth2/v3/certs') return Response.json({ keys: [google.jwk] })
  if (url.pathname === '/service_accounts/v1/jwk/chat@system.gserviceaccount.com')
    return Response.json({ keys: [chat.jwk] })
  if (url.host === 'oauth2.googleapis.com') {
    issued += 1
    return Response.json({ access_token: `token-${issued}`, expires_in: 3_599, token_type: 'Bearer' })
  }
  if (url.pathname.startsWith('/v1/media/')) return new Response(content)
  if (url.pathname === '/v1/spaces') return Response.json({ spaces: [] })
  if (url.pathname.endsWith('/messages')) return Response.json({ name: 'spaces/AAA/messages/OUT' })
  return undefined
})
const context = localContext(server.host)
const now = server.host.clock.now() / 1_000

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

const payload = {
  iss: 'https://accounts.google.com',
  aud: webhookUrl,
  email: 'chat@system.gserviceaccount.com',
  email_verified: true,
  iat: now - 10,
  exp: now + 3_600,
}

const event = (more: object = {}) => ({
  type: 'MESSAGE',
  eventTime: '2026-01-05T12:00:00.000Z',
  user: { name: 'users/42', displayName: 'Ada', type: 'HUMAN' },
  space: { name: 'spaces/AAA', type: 'DM', spaceType: 'DIRECT_MESSAGE' },
  message: {
    name: 'spaces/AAA/messages/IN',
    sender: { name: 'users/42' },
    text: 'Hello',
    argumentText: 'Hello',
    createTime: '2026-01-05T12:00:00.000Z',
    thread: { name: 'spaces/AAA/threads/T1' },
  },
  ...more,
})

const posted = async (body: object, claims: object = {}, by = google) => ({
  body: JSON.stringify(body),
  headers: { authorization: `Bearer ${await by.sign({ ...payload, ...claims })}` },
})

const receive = async (more: object) =>
  messagesOf(await googleChat.receive(rawRequest(await posted(event(more))), connection, context))

describe('verification by the endpoint URL', async () => {
  const valid = await posted(event())
  const claiming = async (claims: object) => ({ posted: await posted(event(), claims) })
  refusesMutations(googleChat, {
    credentials,
    valid,
    host: async () => server.host,
    mutations: {
      ...(await jwtMutations(google, { body: valid.body, payload, now })),
      'the account of somebody else': await claiming({ email: 'eve@project.iam.gserviceaccount.com' }),
      'no account': await claiming({ email: undefined }),
      'an account that is not verified': await claiming({ email_verified: false }),
      'the address of another channel': await claiming({ aud: webhookUrl.replace('chan_1', 'chan_2') }),
      'the project number where the URL is expected': await claiming({ aud: '1234567890' }),
    },
  })
})

test('without an address of its own, no token is valid', async () => {
  const homeless = { ...connection, webhook_url: '' }
  for (const claims of [{}, { aud: '' }, { aud: undefined }]) {
    const received = await googleChat.receive(rawRequest(await posted(event(), claims)), homeless, context)
    expect(received.kind).toBe('refused')
  }
})

describe('verification by the project number', async () => {
  const own = { iss: 'chat@system.gserviceaccount.com', aud: '1234567890', iat: now - 10, exp: now + 3_600 }
  const body = JSON.stringify(event())
  const valid = { body, headers: { authorization: `Bearer ${await chat.sign(own)}` } }
  refusesMutations(googleChat, {
    credentials: project,
    valid,
    host: async () => server.host,
    mutations: {
      ...(await jwtMutations(chat, { body, payload: own, now })),
      'a token for the URL': { posted: await posted(event()) },
      'another project': { posted: valid, credentials: { ...project, audience: '1234567891' } },
    },
  })
})

describe('receiving', () => {
  test('a direct message', async () => {
    expect(await receive({})).toEqual([
      {
        id: 'spaces/AAA/messages/IN',
        kind: 'message',
        edits: null,
        sender: { id: 'users/42', name: 'Ada' },
        peer: { kind: 'dm', id: 'spaces/AAA', name: null, thread_id: null, team_id: null },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: {},
      },
    ])
  })

  test.each([
    ['FORWARD', { text: '', about: null, quotes: [{ kind: 'forward', text: '/stop' }] }],
    ['REPLY', { text: 'So?', about: 'spaces/AAA/messages/1', quotes: [] }],
  ])('a message with a quote of the type %s', async (quoteType, expected) => {
    const quoted = { name: 'spaces/AAA/messages/1', quoteType, quotedMessageSnapshot: { text: '/stop' } }
    const message = { ...event().message, argumentText: expected.text, text: expected.text }
    expect(await receive({ message: { ...message, quotedMessageMetadata: quoted } })).toMatchObject([expected])
  })

  test('a mention in a thread of a space, with a file', async () => {
    const attachment = [
      { contentName: 'a.png', contentType: 'image/png', attachmentDataRef: { resourceName: 'res/1' } },
      { contentName: 'drive.doc', driveDataRef: { driveFileId: 'x' } },
    ]
    const message = { ...event().message, text: '@Hearth tea?', argumentText: ' tea?', attachment }
    expect(
      await receive({ space: { name: 'spaces/AAA', type: 'ROOM', displayName: 'Kitchen' }, message }),
    ).toMatchObject([
      {
        text: 'tea?',
        peer: { kind: 'group', name: 'Kitchen', thread_id: 'spaces/AAA/threads/T1' },
        files: [{ name: 'a.png', mime_type: 'image/png', reference: { resource: 'res/1' } }],
      },
    ])
  })

  test.each([
    ['old', { action: { actionMethodName: 'press', parameters: [{ key: 'value', value: 'ok:1' }] } }],
    ['new', { common: { invokedFunction: 'press', parameters: { value: 'ok:1' } } }],
  ])('a pressed button in the %s format', async (_, more) => {
    expect(await receive({ type: 'CARD_CLICKED', ...more })).toMatchObject([
      { kind: 'button', value: 'ok:1', text: '', sender: { id: 'users/42' } },
    ])
  })

  test.each([
    ['of a bot', { user: { name: 'users/1', type: 'BOT' } }],
    ['of another type', { type: 'ADDED_TO_SPACE' }],
    ['that is malformed', { space: { name: 'rooms/../x' } }],
  ])('an event %s is ignored and answered', async (_, more) => {
    const received = await googleChat.receive(rawRequest(await posted(event(more))), connection, context)
    expect(messagesOf(received)).toEqual([])
    expect(received.kind === 'accepted' && (await received.response?.json())).toEqual({})
  })
})

const peer = {
  kind: 'group',
  id: 'spaces/AAA',
  name: null,
  thread_id: 'spaces/AAA/threads/T1',
  team_id: null,
} as const
const toSpace = (more = {}) => outbound({ peer: { ...peer, thread_id: null }, ...more })

describe('sending', () => {
  test('to a thread, with a token of the service account and a request id', async () => {
    const markdown = '**Green** [site](https://x.test)\n- one'
    expect(await googleChat.send(outbound({ peer, markdown }), connection, context)).toEqual({
      platform_message_id: 'spaces/AAA/messages/OUT',
    })
    await googleChat.send(outbound({ peer, markdown }), connection, context)
    const [token, first, second] = server.requests
    const assertion = String((await token?.form())?.get('assertion'))
    const { payload: claims } = await jwtVerify(assertion, account.publicKey, {
      currentDate: new Date(now * 1_000),
    })
    expect(claims).toEqual({
      iss: client_email,
      aud: 'https://oauth2.googleapis.com/token',
      scope: 'https://www.googleapis.com/auth/chat.bot',
      iat: now,
      exp: now + 3_600,
    })
    expect(first?.headers.get('authorization')).toBe('Bearer token-1')
    expect(first?.url.searchParams.get('messageReplyOption')).toBe('REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD')
    expect(first?.json).toEqual({
      text: '*Green* <https://x.test|site>\n* one',
      thread: { name: 'spaces/AAA/threads/T1' },
    })
    expect(second?.url.href).toBe(first?.url.href)
  })

  test('the text of a model mentions nobody', async () => {
    await googleChat.send(toSpace({ markdown: 'Hi <users/all> and **<users/42>**' }), connection, context)
    expect(server.requests.at(-1)?.json.text).toBe('Hi < users/all> and *< users/42>*')
  })

  test('buttons on a card', async () => {
    await googleChat.send(toSpace({ buttons }), connection, context)
    const { cardsV2 } = server.requests.at(-1)?.json ?? {}
    expect(cardsV2[0].card.sections[0].widgets[0].buttonList.buttons).toMatchObject([
      { text: 'Approve', onClick: { action: { parameters: [{ key: 'value', value: 'ok:1' }] } } },
      { text: 'Deny' },
    ])
  })

  test('a token that is refused is requested again, once', async () => {
    server.next.push(new Response('{}', { status: 401 }))
    await googleChat.send(toSpace(), connection, context)
    expect(server.requests.map(({ url }) => url.host)).toEqual([
      'chat.googleapis.com',
      'oauth2.googleapis.com',
      'chat.googleapis.com',
    ])
  })

  test.each([
    [429, { retry_after_seconds: 7, is_permanent: false }],
    [503, { is_permanent: false }],
    [403, { is_permanent: true }],
  ])('status %i', async (status, expected) => {
    const answer = { error: { code: status, message: 'x', status: 'X' } }
    server.next.push(Response.json(answer, { status, headers: { 'retry-after': '7' } }))
    expect(await failureOf(googleChat.send(toSpace(), connection, context))).toMatchObject(expected)
  })

  test('a peer that is no space is never requested', async () => {
    await failureOf(googleChat.send(outbound(), connection, context))
    expect(server.requests).toEqual([])
  })
})

test('downloads a file of 20 MB', async () => {
  content = new Uint8Array(20_000_000)
  const found = { name: 'x', mime_type: null, size_bytes: null, reference: { resource: 'res/1' } }
  const response = await googleChat.download?.(found, connection, context)
  expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
  expect(server.requests.at(-1)?.url.href).toBe('https://chat.googleapis.com/v1/media/res/1?alt=media')
})

test('health names the account, or what is wrong', async () => {
  expect(await googleChat.health(connection, context)).toEqual({
    ok: true,
    detail: `Connected as ${client_email}`,
  })
  server.next.push(Response.json({ error: { message: 'The Chat API is disabled' } }, { status: 403 }))
  expect(await googleChat.health(connection, context)).toMatchObject({
    ok: false,
    detail: 'Google Chat refused the request: The Chat API is disabled',
  })
  const broken = connectionOf({ service_account: '{}', audience: '' })
  expect(await googleChat.health(broken, context)).toMatchObject({ ok: false })
})

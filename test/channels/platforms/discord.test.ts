import { generateKeyPairSync, sign } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { discord, verifyEd25519 } from '../../../runtime/channels/platforms/discord.ts'
import { fromMessage, Message } from '../../../runtime/channels/platforms/discord-inbound.ts'
import {
  alter,
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

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const public_key = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex')
const other = generateKeyPairSync('ed25519')
const application_id = '123456789012345678'
const credentials = { application_id, public_key, bot_token: `MTIz.${'x'.repeat(60)}` }
const connection = connectionOf(credentials)
const token = 'aW50ZXJhY3Rpb24'
const snowflake = (at: number) => String(BigInt(at - 1_420_070_400_000) << 22n)

let original: object = { flags: 128, content: '' }
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)

const server = await startPlatform(({ url, method }) => {
  const path = url.pathname.replace('/api/v10', '')
  if (path === '/applications/@me')
    return Response.json({
      id: application_id,
      name: 'Hearth',
      verify_key: public_key,
      interactions_endpoint_url: webhookUrl,
    })
  if (path.endsWith('/commands')) return Response.json([])
  if (path.endsWith('/typing')) return new Response(null, { status: 204 })
  if (path === `/webhooks/${application_id}/${token}/messages/@original`)
    return Response.json(method === 'GET' ? original : { id: '1001' })
  if (path === `/webhooks/${application_id}/${token}`) return Response.json({ id: '1002' })
  if (/^\/channels\/\d+\/messages$/.test(path)) return Response.json({ id: '1003' })
  if (url.host === 'cdn.discordapp.com') return new Response(content)
  return undefined
})
const context = localContext(server.host)
const now = server.host.clock.now()

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
  original = { flags: 128, content: '' }
})

const signatureOf = (timestamp: string, body: string, key = privateKey) =>
  sign(null, Buffer.from(timestamp + body), key).toString('hex')

function signed(payload: object, timestamp = String(now / 1_000)) {
  const body = JSON.stringify(payload)
  return {
    body,
    headers: {
      'content-type': 'application/json',
      'x-signature-timestamp': timestamp,
      'x-signature-ed25519': signatureOf(timestamp, body),
    },
  }
}

const ada = { id: '42', username: 'ada', global_name: 'Ada' }
const command = (more: object = {}) => ({
  id: snowflake(now),
  application_id,
  type: 2,
  token,
  channel_id: '555',
  channel: { id: '555', type: 1 },
  user: ada,
  data: { id: '1', name: 'ask', options: [{ name: 'message', type: 3, value: 'Hello' }] },
  ...more,
})

const receive = (payload: object) => discord.receive(rawRequest(signed(payload)), connection, context)

describe('the vectors of RFC 8032, section 7.1', () => {
  const bytes = (hex: string) => new Uint8Array(Buffer.from(hex, 'hex'))
  test.each([
    [
      'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
      '',
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    ],
    [
      '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
      '72',
      '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
    ],
    [
      'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
      'af82',
      '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
    ],
  ])('key %s', async (key, message, signature) => {
    expect(await verifyEd25519(bytes(key), bytes(signature), bytes(message))).toBe(true)
    expect(await verifyEd25519(bytes(key), bytes(alter(signature, 0)), bytes(message))).toBe(false)
    expect(await verifyEd25519(bytes(key), bytes(signature), bytes(`${message}00`))).toBe(false)
  })
})

describe('verification', () => {
  const valid = signed(command())
  const time = valid.headers['x-signature-timestamp']
  const at = (timestamp: string, signature = signatureOf(timestamp, valid.body)) => ({
    posted: {
      ...valid,
      headers: { ...valid.headers, 'x-signature-timestamp': timestamp, 'x-signature-ed25519': signature },
    },
  })
  const { 'x-signature-timestamp': _, ...untimed } = valid.headers
  const seconds = now / 1_000
  refusesMutations(discord, {
    credentials,
    valid,
    mutations: {
      ...commonMutations(valid, { header: 'x-signature-ed25519', secret: 'public_key', credentials }),
      'another timestamp': at(String(seconds + 1), valid.headers['x-signature-ed25519']),
      'a timestamp 301 seconds ago': at(String(seconds - 301)),
      'a timestamp 301 seconds ahead': at(String(seconds + 301)),
      'no timestamp': { posted: { ...valid, headers: untimed } },
      'a timestamp that is no number': at('now'),
      'a signature of another key': at(time, signatureOf(time, valid.body, other.privateKey)),
      'a signature of the body alone': at(time, signatureOf('', valid.body)),
      'a signature of zeros': at(time, '0'.repeat(128)),
      'a signature and key of zeros': {
        ...at(time, '0'.repeat(128)),
        credentials: { ...credentials, public_key: '0'.repeat(64) },
      },
      'part of the timestamp moved to the body': {
        posted: {
          body: time.slice(-1) + valid.body,
          headers: { ...valid.headers, 'x-signature-timestamp': time.slice(0, -1) },
        },
      },
    },
  })
})

describe('receiving', () => {
  test('the handshake', async () => {
    const received = await receive({ id: '1', application_id, type: 1, token: 'x' })
    expect(received.kind === 'answered' && (await received.response.json())).toEqual({ type: 1 })
  })

  test('a slash command is acknowledged at once', async () => {
    const received = await receive(command())
    expect(messagesOf(received)).toEqual([
      {
        id: snowflake(now),
        kind: 'message',
        edits: null,
        sender: { id: '42', name: 'Ada' },
        peer: { kind: 'dm', id: '555', name: null, thread_id: null, team_id: null },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: { token, expires_at: String(now + 14 * 60_000) },
      },
    ])
    expect(received.kind === 'accepted' && (await received.response?.json())).toEqual({ type: 5 })
  })

  test.each([
    ['/stop', { name: 'stop' }],
    ['/model openai/gpt-5', { name: 'model', options: [{ name: 'message', value: 'openai/gpt-5' }] }],
  ])('the command %s', async (text, data) => {
    expect(messagesOf(await receive(command({ data })))).toMatchObject([{ kind: 'message', text }])
  })

  test('in a thread of a server, with a file', async () => {
    const [found] = messagesOf(
      await receive(
        command({
          guild_id: '900',
          channel: { id: '777', type: 11, name: 'tea', parent_id: '555' },
          user: undefined,
          member: { user: ada },
          data: {
            name: 'ask',
            options: [
              { name: 'message', type: 3, value: 'Look' },
              { name: 'file', type: 11, value: '1' },
            ],
            resolved: {
              attachments: {
                '1': {
                  filename: 'a.png',
                  content_type: 'image/png',
                  size: 3,
                  url: 'https://cdn.discordapp.com/a.png',
                },
              },
            },
          },
        }),
      ),
    )
    expect(found).toMatchObject({
      peer: { kind: 'group', id: '555', thread_id: '777', team_id: '900' },
      files: [{ name: 'a.png', mime_type: 'image/png', size_bytes: 3 }],
    })
  })

  test('a pressed button', async () => {
    const received = await receive(command({ type: 3, data: { custom_id: 'ok:1', component_type: 2 } }))
    expect(messagesOf(received)).toMatchObject([{ kind: 'button', value: 'ok:1', reply: {} }])
    expect(received.kind === 'accepted' && (await received.response?.json())).toEqual({ type: 6 })
  })

  test.each([
    ['a bot', { user: { ...ada, bot: true } }],
    ['nobody', { user: undefined }],
    ['an unknown type', { type: 4 }],
  ])('an interaction of %s is ignored', async (_, more) => {
    expect(messagesOf(await receive(command(more)))).toEqual([])
  })
})

describe('sending', () => {
  const reply = { token, expires_at: String(now + 60_000) }
  const steps = () => server.requests.map(({ method, url }) => `${method} ${url.pathname.replace('/api/v10', '')}`)
  const hook = `/webhooks/${application_id}/${token}`

  test('the first message replaces the waiting indicator, the next one follows', async () => {
    await discord.send(outbound({ reply }), connection, context)
    original = { flags: 0, content: 'Good **morning**' }
    const second = await discord.send(outbound({ id: 'msg_1:1', markdown: 'And tea', reply }), connection, context)
    expect(second).toEqual({ platform_message_id: '1002' })
    expect(steps()).toEqual([
      `GET ${hook}/messages/@original`,
      `PATCH ${hook}/messages/@original`,
      `GET ${hook}/messages/@original`,
      `POST ${hook}`,
    ])
    expect(server.requests[1]?.json).toEqual({
      content: 'Good **morning**',
      allowed_mentions: { parse: [] },
      flags: 4,
    })
  })

  test('a retry of the first message sends nothing twice', async () => {
    original = { flags: 0, content: 'Good **morning**' }
    await discord.send(outbound({ reply }), connection, context)
    expect(steps().at(-1)).toBe(`PATCH ${hook}/messages/@original`)
  })

  test('without a valid token, a message of the channel with a nonce', async () => {
    const expired = { token, expires_at: String(now) }
    await discord.send(outbound({ reply: expired }), connection, context)
    await discord.send(outbound({ reply: null }), connection, context)
    expect(steps()).toEqual(['POST /channels/42/messages', 'POST /channels/42/messages'])
    const [first, second] = server.requests
    expect(first?.headers.get('authorization')).toBe(`Bot ${credentials.bot_token}`)
    expect(first?.json).toMatchObject({ nonce: expect.stringMatching(/^.{1,25}$/), enforce_nonce: true })
    expect(second?.json).toEqual(first?.json)
  })

  test('a token that Discord no longer knows: a message of the channel', async () => {
    server.next.push(Response.json({ message: 'Unknown Webhook', code: 10_015 }, { status: 404 }))
    await discord.send(outbound({ reply }), connection, context)
    expect(steps()).toEqual([`GET ${hook}/messages/@original`, 'POST /channels/42/messages'])
  })

  test('tables as code, and buttons', async () => {
    const markdown = '| a | b |\n|---|---|\n| 1 | 22 |\n\n# snake_case @everyone'
    await discord.send(outbound({ markdown, buttons }), connection, context)
    expect(server.requests[0]?.json).toMatchObject({
      content: '```\na  b\n1  22\n```\n\n**snake\\_case @everyone**',
      allowed_mentions: { parse: [] },
      components: [
        {
          type: 1,
          components: [
            { type: 2, style: 1, label: 'Approve', custom_id: 'ok:1' },
            { type: 2, style: 4, label: 'Deny', custom_id: 'no:1' },
          ],
        },
      ],
    })
  })

  test('a file to a thread', async () => {
    const peer = { kind: 'group', id: '555', name: null, thread_id: '777', team_id: '900' } as const
    await discord.send(outbound({ peer, files: [file(20_000_000)] }), connection, context)
    expect(steps()).toEqual(['POST /channels/777/messages'])
    const form = await server.requests[0]?.form()
    expect(form?.get('files[0]')).toMatchObject({ name: 'report.txt', size: 20_000_000 })
    expect(JSON.parse(String(form?.get('payload_json')))).toMatchObject({
      content: 'Good **morning**',
      attachments: [{ id: 0, filename: 'report.txt' }],
    })
  })

  reportsFailures(discord, {
    server: () => server,
    connection,
    limited: () =>
      Response.json({ message: 'You are being rate limited.', retry_after: 6.4, global: false }, { status: 429 }),
  })

  test('an error says what to do', async () => {
    server.next.push(Response.json({ message: 'Missing Access', code: 50_001 }, { status: 403 }))
    const { message } = await failureOf(discord.send(outbound(), connection, context))
    expect(message).toBe('Discord refused the request: Missing Access; add the bot to the channel')
  })

  test('the typing indicator', async () => {
    await discord.typing?.(outbound().peer, connection, context)
    expect(steps()).toEqual(['POST /channels/42/typing'])
  })
})

test('downloads files from Discord only', async () => {
  content = new Uint8Array(20_000_000)
  const found = (url: string) => ({ name: 'x', mime_type: null, size_bytes: null, reference: { url } })
  const response = await discord.download?.(found('https://cdn.discordapp.com/a.png'), connection, context)
  expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
  await failureOf(discord.download?.(found('https://evil.test/a.png'), connection, context))
})

test('connect registers the commands, disconnect removes it', async () => {
  await discord.connect?.(connection, context)
  await discord.disconnect?.(connection, context)
  expect(server.requests.map(({ method, url }) => `${method} ${url.pathname}`)).toEqual(
    Array(2).fill(`PUT /api/v10/applications/${application_id}/commands`),
  )
  expect(server.requests.map(({ json }) => json)).toEqual([
    ['ask', 'stop', 'new', 'undo', 'status', 'model', 'help'].map((name) => expect.objectContaining({ name, type: 1 })),
    [],
  ])
})

test('health names the application, or what is wrong', async () => {
  const { ok, detail } = await discord.health(connection, context)
  expect([ok, detail]).toEqual([
    true,
    expect.stringMatching(/^Signed in as Hearth\. The Message Content intent is off/),
  ])
  const keyless = { ...connection, credentials: { ...credentials, public_key: '' } }
  expect(await discord.health(keyless, context)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('the public key is needed'),
  })
  const elsewhere = { ...connection, webhook_url: 'https://other.example/' }
  expect(await discord.health(elsewhere, context)).toMatchObject({
    ok: false,
    detail: expect.stringContaining('interactions endpoint URL'),
  })
  server.next.push(new Response('<html>', { status: 200 }))
  expect(await discord.health(connection, context)).toEqual({
    ok: false,
    detail: 'Discord returned an unknown format',
  })
  server.next.push(Response.json({ message: '401: Unauthorized', code: 0 }, { status: 401 }))
  expect(await discord.health(connection, context)).toMatchObject({
    ok: false,
    detail: 'Discord refused the credentials: 401: Unauthorized',
  })
})

describe('a message from the gateway', () => {
  const ada = { id: '42', username: 'ada', global_name: 'Ada' }
  const eve = { id: '43', username: 'eve' }
  const attachment = {
    filename: 'voice.ogg',
    content_type: 'audio/ogg',
    size: 9,
    url: 'https://cdn.discordapp.com/v',
  }
  const read = (more: object) =>
    fromMessage(Message.parse({ id: snowflake(now), type: 0, channel_id: snowflake(now), author: ada, ...more }), {
      ...{ bot_id: '900', isEdit: false, place: null, now },
    })

  test.each([
    [
      'that answers another one',
      {
        type: 19,
        content: 'Is that so?',
        referenced_message: { id: '777777', author: eve, content: 'The sky is green' },
      },
      {
        text: 'Is that so?',
        about: '777777',
        quotes: [{ kind: 'reply', from: 'eve', text: 'The sky is green', is_own: false }],
      },
    ],
    [
      'that is forwarded',
      { message_snapshots: [{ message: { content: '/stop', attachments: [attachment] } }] },
      { text: '', quotes: [{ kind: 'forward', from: null, text: '/stop' }], files: [{ name: 'voice.ogg' }] },
    ],
    [
      'with a forwarded voice message',
      { message_snapshots: [{ message: { flags: 1 << 13, attachments: [attachment] } }] },
      { quotes: [{ kind: 'forward' }], files: [{ is_voice: true }] },
    ],
    ['that is spoken', { flags: 1 << 13, attachments: [attachment] }, { files: [{ is_voice: true }] }],
    ['with a sticker', { sticker_items: [{ name: 'Wave' }] }, { text: '[sticker Wave]' }],
    [
      'with a poll',
      { poll: { question: { text: 'Tea?' }, answers: [{ poll_media: { text: 'Yes' } }] } },
      { quotes: [{ kind: 'shared', text: 'Poll: Tea?\n- Yes' }] },
    ],
  ])('%s', (_, more, expected) => {
    expect(read(more)).toMatchObject(expected)
  })
})

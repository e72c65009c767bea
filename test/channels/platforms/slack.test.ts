import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { slack } from '../../../runtime/channels/platforms/slack.ts'
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

const secret = '8f742231b10e8888abcd99yyyzzz85a5'
const credentials = { signing_secret: secret, bot_token: 'xoxb-test-token-1234567890' }
const connection = connectionOf(credentials)
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)

const server = await startPlatform(({ url, json }) => {
  const method = url.pathname.split('/').at(-1)
  if (method === 'chat.postMessage') return Response.json({ ok: true, ts: '1767614400.000200', channel: json.channel })
  if (method === 'auth.test') return Response.json({ ok: true, user: 'hearth', team: 'Kitchen' })
  if (method === 'files.getUploadURLExternal')
    return Response.json({ ok: true, upload_url: 'https://files.slack.com/upload/v1/ABC', file_id: 'F1' })
  if (url.host === 'files.slack.com' && url.pathname.startsWith('/upload')) return new Response('OK')
  if (method === 'files.completeUploadExternal') return Response.json({ ok: true, files: [{ id: 'F1' }] })
  if (url.pathname.endsWith('/download/tea.png'))
    return new Response(content, { headers: { 'content-type': 'image/png' } })
  return undefined
})
const context = localContext(server.host)
const now = server.host.clock.now() / 1_000

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

const signatureOf = (timestamp: string | number, body: string, key = secret) =>
  `v0=${createHmac('sha256', key).update(`v0:${timestamp}:${body}`).digest('hex')}`

function signed(payload: unknown, { timestamp = now, type = 'application/json' } = {}) {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload)
  return {
    body,
    headers: {
      'content-type': type,
      'x-slack-request-timestamp': String(timestamp),
      'x-slack-signature': signatureOf(timestamp, body),
    },
  }
}

const receive = (payload: unknown, options = {}) =>
  slack.receive(rawRequest(signed(payload, options)), connection, context)

const callback = (event: object) => ({
  type: 'event_callback',
  team_id: 'T1',
  event_id: 'Ev1',
  authorizations: [{ user_id: 'UBOT' }],
  event: {
    type: 'message',
    channel: 'D1',
    channel_type: 'im',
    user: 'U1',
    text: 'Hello',
    ts: '1767614400.000100',
    ...event,
  },
})

describe("Slack's published example", () => {
  // https://api.slack.com/authentication/verifying-requests-from-slack
  const body =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
  const valid = {
    body,
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': '1531420618',
      'x-slack-signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
    },
  }
  const at = (timestamp: string, signature = signatureOf(timestamp, body)) => ({
    posted: {
      body,
      headers: { ...valid.headers, 'x-slack-request-timestamp': timestamp, 'x-slack-signature': signature },
    },
  })
  const { 'x-slack-request-timestamp': _, ...untimed } = valid.headers
  refusesMutations(slack, {
    credentials,
    valid,
    now: 1_531_420_618_000,
    mutations: {
      ...commonMutations(valid, { header: 'x-slack-signature', secret: 'signing_secret', credentials }),
      'another timestamp': at('1531420619', valid.headers['x-slack-signature']),
      'a timestamp 301 seconds ago': at('1531420317'),
      'a timestamp 301 seconds ahead': at('1531420919'),
      'an empty timestamp': at(''),
      'no timestamp': { posted: { body, headers: untimed } },
      'a negative timestamp': at('-1531420618'),
      'a timestamp with decimals': at('1531420618.5'),
      'a timestamp with an exponent': at('1531420618e0'),
      'a timestamp in milliseconds': at('1531420618000'),
      'two timestamps': {
        posted: {
          body,
          headers: [...Object.entries(valid.headers), ['x-slack-request-timestamp', '1531420618']],
        },
      },
      'the version v1': at('1531420618', valid.headers['x-slack-signature'].replace('v0', 'v1')),
      'no version': at('1531420618', valid.headers['x-slack-signature'].slice(3)),
      'SHA-1': at('1531420618', `v0=${createHmac('sha1', secret).update(`v0:1531420618:${body}`).digest('hex')}`),
      base64: at('1531420618', `v0=${createHmac('sha256', secret).update(`v0:1531420618:${body}`).digest('base64')}`),
      'a signature of the body alone': at(
        '1531420618',
        `v0=${createHmac('sha256', secret).update(body).digest('hex')}`,
      ),
    },
  })
})

describe('receiving', () => {
  test('the handshake', async () => {
    const received = await receive({ type: 'url_verification', challenge: '3eZbrw1aB', token: 'x' })
    expect(received.kind === 'answered' && (await received.response.json())).toEqual({
      challenge: '3eZbrw1aB',
    })
  })

  test('a direct message', async () => {
    expect(messagesOf(await receive(callback({ text: 'Tea &amp; <https://x.test|cake>?' })))).toEqual([
      {
        id: 'D1:1767614400.000100',
        kind: 'message',
        edits: null,
        sender: { id: 'U1', name: null },
        peer: { kind: 'dm', id: 'D1', name: null, thread_id: null, team_id: 'T1' },
        text: 'Tea & cake (https://x.test)?',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: { ts: '1767614400.000100' },
      },
    ])
  })

  test('an answer in a thread names the first message of the thread', async () => {
    const [answer] = messagesOf(await receive(callback({ ts: '1767614500.000100', thread_ts: '1767614400.000100' })))
    expect(answer).toMatchObject({ about: 'D1:1767614400.000100', peer: { thread_id: '1767614400.000100' } })
    const [first] = messagesOf(await receive(callback({ thread_ts: '1767614400.000100' })))
    expect(first?.about).toBe(null)
  })

  test.each([
    ['/stop', 'stop '],
    ['/model openai/gpt-5', 'model openai/gpt-5'],
    ['/help', ''],
  ])('the command %s', async (text, written) => {
    const form = new URLSearchParams({
      ...{ command: '/hearthd', text: written, trigger_id: '1.2.x', team_id: 'T1' },
      ...{ user_id: 'U1', user_name: 'ada', channel_id: 'D1' },
    })
    expect(messagesOf(await receive(form.toString(), { type: 'application/x-www-form-urlencoded' }))).toMatchObject([
      {
        id: 'command:1.2.x',
        kind: 'message',
        text,
        sender: { id: 'U1', name: 'ada' },
        peer: { kind: 'dm', id: 'D1' },
      },
    ])
  })

  test('a mention is announced twice and has one id', async () => {
    const event = { channel: 'C1', channel_type: 'channel', text: '<@UBOT> tea?', thread_ts: '1.2' }
    const [first] = messagesOf(await receive(callback(event)))
    const [second] = messagesOf(await receive(callback({ ...event, type: 'app_mention', channel_type: undefined })))
    expect(first).toMatchObject({ text: 'tea?', is_mention: true, peer: { kind: 'group', thread_id: '1.2' } })
    expect(second).toEqual(first)
  })

  test('a message in a channel is no mention', async () => {
    const [found] = messagesOf(await receive(callback({ channel: 'C1', channel_type: 'channel' })))
    expect(found?.is_mention).toBe(false)
  })

  const changed = (text: string) =>
    callback({
      subtype: 'message_changed',
      user: undefined,
      text: undefined,
      message: { user: 'U1', text, ts: '1767614400.000100', edited: { user: 'U1', ts: '1767614460.000000' } },
      previous_message: { user: 'U1', text: 'Hello', ts: '1767614400.000100' },
    })

  test('a shared message is somebody else’s', async () => {
    const attachments = [{ is_share: true, author_name: 'Eve', text: 'Is it &lt;five&gt;?' }, { text: 'A preview' }]
    expect(messagesOf(await receive(callback({ text: 'Well?', attachments })))).toMatchObject([
      { text: 'Well?', quotes: [{ kind: 'forward', from: 'Eve', text: 'Is it <five>?', is_own: false }] },
    ])
  })

  test('an edit names the message; a link preview is none', async () => {
    expect(messagesOf(await receive(changed('Hello!')))).toMatchObject([
      {
        kind: 'edit',
        edits: 'D1:1767614400.000100',
        id: 'D1:1767614400.000100:1767614460.000000',
        text: 'Hello!',
      },
    ])
    expect(messagesOf(await receive(changed('Hello')))).toEqual([])
  })

  test('a file', async () => {
    const url = 'https://files.slack.com/files-pri/T1-F1/download/tea.png'
    const files = [{ id: 'F1', name: 'tea.png', mimetype: 'image/png', size: 3, url_private_download: url }]
    const [found] = messagesOf(await receive(callback({ subtype: 'file_share', files })))
    expect(found?.files).toMatchObject([{ name: 'tea.png', mime_type: 'image/png', size_bytes: 3, reference: { url } }])
  })

  test('a pressed button', async () => {
    const payload = {
      type: 'block_actions',
      team: { id: 'T1' },
      user: { id: 'U1', name: 'ada' },
      channel: { id: 'C1', name: 'kitchen' },
      container: { thread_ts: '1.2' },
      actions: [{ action_id: 'button_0', value: 'ok:1', action_ts: '1767614400.5' }],
    }
    const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
    const [found] = messagesOf(await receive(body, { type: 'application/x-www-form-urlencoded' }))
    expect(found).toMatchObject({
      kind: 'button',
      value: 'ok:1',
      sender: { id: 'U1', name: 'ada' },
      peer: { kind: 'group', id: 'C1', thread_id: '1.2' },
    })
  })

  test.each([
    ['of a bot', { bot_id: 'B1' }],
    ['of its own', { user: 'UBOT' }],
    ['about a member', { subtype: 'channel_join' }],
    ['about a deleted message', { subtype: 'message_deleted' }],
    ['of another type', { type: 'reaction_added' }],
  ])('an event %s is ignored', async (_, event) => {
    expect(messagesOf(await receive(callback(event)))).toEqual([])
  })
})

describe('sending', () => {
  test('text with a deduplication key that a retry repeats', async () => {
    const markdown = '## Tea\n**Green** & *hot* <now> ~~cold~~ [site](https://x.test/a_b)\n1. one'
    expect(await slack.send(outbound({ markdown }), connection, context)).toEqual({
      platform_message_id: '42:1767614400.000200',
    })
    await slack.send(outbound({ markdown }), connection, context)
    const [first, second] = server.requests
    expect(first?.headers.get('authorization')).toBe(`Bearer ${credentials.bot_token}`)
    expect(first?.json).toEqual({
      channel: '42',
      client_msg_id: expect.stringMatching(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/),
      unfurl_links: false,
      unfurl_media: false,
      text: '*Tea*\n*Green* &amp; _hot_ &lt;now&gt; ~cold~ <https://x.test/a_b|site>\n1. one',
    })
    expect(second?.json).toEqual(first?.json)
  })

  test('buttons in a thread', async () => {
    const peer = { kind: 'group', id: 'C1', name: null, thread_id: '1.2', team_id: 'T1' } as const
    await slack.send(outbound({ peer, buttons }), connection, context)
    expect(server.requests[0]?.json).toMatchObject({
      channel: 'C1',
      thread_ts: '1.2',
      blocks: [
        { type: 'section', text: { type: 'mrkdwn', text: 'Good *morning*' } },
        {
          type: 'actions',
          elements: [
            {
              type: 'button',
              value: 'ok:1',
              style: 'primary',
              text: { type: 'plain_text', text: 'Approve' },
            },
            { type: 'button', value: 'no:1', style: 'danger' },
          ],
        },
      ],
    })
  })

  test('a file of 20 MB in three steps', async () => {
    await slack.send(outbound({ markdown: '', files: [file(20_000_000)] }), connection, context)
    const [asked, uploaded, completed] = server.requests
    expect(Object.fromEntries((await asked?.form()) ?? [])).toEqual({
      filename: 'report.txt',
      length: '20000000',
    })
    expect(uploaded).toMatchObject({ bytes: { length: 20_000_000 } })
    expect(uploaded?.headers.get('authorization')).toBeNull()
    expect(completed?.json).toEqual({ files: [{ id: 'F1', title: 'report.txt' }], channel_id: '42' })
  })

  reportsFailures(slack, { server: () => server, connection })

  test.each([
    ['internal_error', false],
    ['ratelimited', false],
    ['not_in_channel', true],
    ['token_revoked', true],
  ])('the error %s', async (error, is_permanent) => {
    server.next.push(Response.json({ ok: false, error }))
    const failure = await failureOf(slack.send(outbound(), connection, context))
    expect(failure).toMatchObject({ is_permanent, message: expect.stringContaining(error) })
  })
})

describe('downloading', () => {
  const found = (url: string) => ({ name: 'x', mime_type: null, size_bytes: null, reference: { url } })

  test('sends the token', async () => {
    content = new Uint8Array(20_000_000)
    const url = 'https://files.slack.com/files-pri/T1-F1/download/tea.png'
    const response = await slack.download?.(found(url), connection, context)
    expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
    expect(server.requests[0]?.headers.get('authorization')).toBe(`Bearer ${credentials.bot_token}`)
  })

  test.each(['https://evil.test/a', 'https://slack.com.evil.test/a', 'http://files.slack.com/a', 'x'])(
    'never sends the token to %s',
    async (url) => {
      await failureOf(slack.download?.(found(url), connection, context))
      expect(server.requests).toEqual([])
    },
  )

  test('the sign-in page is no file', async () => {
    server.next.push(new Response('<html>', { headers: { 'content-type': 'text/html' } }))
    const { message } = await failureOf(slack.download?.(found('https://files.slack.com/x'), connection, context))
    expect(message).toContain('files:read')
  })
})

test('health names the bot, or what is wrong', async () => {
  expect(await slack.health(connection, context)).toEqual({
    ok: true,
    detail: 'Connected as @hearth in Kitchen',
  })
  server.next.push(Response.json({ ok: false, error: 'invalid_auth' }))
  expect(await slack.health(connection, context)).toEqual({
    ok: false,
    detail: 'Slack refused the request: invalid_auth (the bot token is wrong)',
  })
})

import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { telegram } from '../../../runtime/channels/platforms/telegram.ts'
import {
  buttons,
  commonMutations,
  connectionOf,
  failureOf,
  file,
  messagesOf,
  outbound,
  type PlatformServer,
  type Posted,
  rawRequest,
  refusesMutations,
  reportsFailures,
  startPlatform,
  webhookUrl,
} from './kit.ts'

const token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
const credentials = { bot_token: token }
const connection = connectionOf(credentials)
const bot = { id: 123456, is_bot: true, first_name: 'Hearth', username: 'HearthBot' }
const ada = { id: 42, is_bot: false, first_name: 'Ada', last_name: 'Lovelace' }

const sent = { message_id: 7, chat: { id: 42, type: 'private' }, date: 1_767_614_400 }
const path = '/my/photo.jpg'
let content: BodyInit = 'bytes'

const server: PlatformServer = await startPlatform(({ url }) => {
  const method = url.pathname.replace(`/bot${token}/`, '')
  const ok = (result: unknown) => Response.json({ ok: true, result })
  if (method === 'getMe') return ok(bot)
  if (method === 'getWebhookInfo') return ok({ url: webhookUrl })
  if (method === 'getFile') return ok({ file_id: 'f1', file_path: path.slice(1) })
  if (url.pathname === `/file/bot${token}${path}`) return new Response(content)
  return ['sendMessage', 'sendDocument', 'sendPhoto', 'editMessageText'].includes(method) ? ok(sent) : ok(true)
})
const context = localContext(server.host)

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

/** The token that `connect` registered. */
await telegram.connect?.(connection, context)
const secret: string = server.requests[0]?.json.secret_token
const registered = server.requests[0]

const update = (more: object): Posted & { headers: Record<string, string> } => ({
  body: JSON.stringify({ update_id: 1, ...more }),
  headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
})

const message = (more: object = {}) => ({
  message_id: 5,
  from: ada,
  chat: { id: 42, type: 'private', first_name: 'Ada' },
  date: 1_767_614_400,
  text: 'Hello',
  ...more,
})

const receive = async (more: object) =>
  messagesOf(await telegram.receive(rawRequest(update(more)), connection, context))

test('connect registers the address with a secret token', () => {
  expect(registered?.url.href).toBe(`https://api.telegram.org/bot${token}/setWebhook`)
  expect(registered?.json).toMatchObject({
    url: webhookUrl,
    secret_token: expect.stringMatching(/^[0-9a-f]{64}$/),
    allowed_updates: ['message', 'edited_message', 'callback_query'],
  })
  expect(secret).not.toContain(token)
})

describe('verification', () => {
  const valid = update({ message: message() })
  const header = 'x-telegram-bot-api-secret-token'
  const changed = (value: string) => ({
    posted: { ...valid, headers: { ...valid.headers, [header]: value } },
  })
  // The scheme signs no bytes of the body.
  const common = Object.entries(commonMutations(valid, { header, secret: 'bot_token', credentials })).filter(
    ([name]) => !/body/.test(name),
  )
  refusesMutations(telegram, {
    credentials,
    valid,
    mutations: {
      ...Object.fromEntries(common),
      'the bot token instead of the secret token': changed(token),
      'half of the secret token': changed(secret.slice(0, 32)),
      'the secret token of another channel': changed('0'.repeat(64)),
      'the secret token reversed': changed([...secret].reverse().join('')),
      'the secret token doubled': changed(secret + secret),
      'a bearer token': changed(`Bearer ${secret}`),
      'the secret token with a null byte encoded': changed(`${secret}%00`),
      'the secret token quoted': changed(`"${secret}"`),
      'undefined as text': changed('undefined'),
      'null as text': changed('null'),
      'the secret token in the query': {
        posted: { ...valid, headers: {}, url: `${webhookUrl}?secret_token=${secret}` },
      },
      'the secret token in the body': {
        posted: { body: JSON.stringify({ secret_token: secret }), headers: {} },
      },
      'a list of secret tokens': changed(`x, ${secret}`),
    },
  })
})

describe('receiving', () => {
  test('a direct message', async () => {
    expect(await receive({ message: message() })).toEqual([
      {
        id: '42:5',
        kind: 'message',
        edits: null,
        sender: { id: '42', name: 'Ada Lovelace' },
        peer: { kind: 'dm', id: '42', name: 'Ada Lovelace', thread_id: null, team_id: null },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: { message_id: '5' },
      },
    ])
  })

  test('a redelivery has the same id', async () => {
    const [first] = await receive({ message: message() })
    const [second] = await receive({ message: message() })
    expect(second?.id).toBe(first?.id)
  })

  test('an edit names the message', async () => {
    const [edit] = await receive({ edited_message: message({ edit_date: 1_767_614_460, text: 'Hello!' }) })
    expect(edit).toMatchObject({ kind: 'edit', id: '42:5:1767614460', edits: '42:5', text: 'Hello!' })
  })

  test('a pressed button is acknowledged in the answer', async () => {
    const pressed = { id: 'q1', from: ada, message: message({ from: bot }), data: 'ok:1' }
    const received = await telegram.receive(rawRequest(update({ callback_query: pressed })), connection, context)
    expect(messagesOf(received)).toMatchObject([
      { kind: 'button', id: 'button:q1', value: 'ok:1', sender: { id: '42' } },
    ])
    const answer = received.kind === 'accepted' && (await received.response?.json())
    expect(answer).toEqual({ method: 'answerCallbackQuery', callback_query_id: 'q1' })
  })

  const group = { id: -100, type: 'supergroup', title: 'Kitchen' }

  test.each([
    ['a plain message', { text: 'tea?' }, false],
    ['its name', { text: '@hearthbot tea?', entities: [{ type: 'mention', offset: 0, length: 10 }] }, true],
    ['another name', { text: '@otherbot tea?', entities: [{ type: 'mention', offset: 0, length: 9 }] }, false],
    ['a command', { text: '/ask@HearthBot', entities: [{ type: 'bot_command', offset: 0, length: 14 }] }, true],
    ['a reply to it', { text: 'yes', reply_to_message: { message_id: 3, from: bot } }, true],
    ['a reply to another', { text: 'yes', reply_to_message: { message_id: 3, from: ada } }, false],
  ])('in a group, %s', async (_, more, is_mention) => {
    const [found] = await receive({ message: message({ chat: group, ...more }) })
    expect(found).toMatchObject({ is_mention, peer: { kind: 'group', id: '-100', name: 'Kitchen' } })
  })

  test('a topic of a group is a thread', async () => {
    const [found] = await receive({
      message: message({ chat: group, message_thread_id: 9, is_topic_message: true }),
    })
    expect(found?.peer.thread_id).toBe('9')
  })

  const eve = { id: 66, first_name: 'Eve' }

  test.each([
    ['a sticker', { sticker: { emoji: '👍' } }, { text: '[sticker 👍]', quotes: [] }],
    ['a location', { location: { latitude: 52.5, longitude: 13.4 } }, { text: '[location 52.5, 13.4]', quotes: [] }],
    ['a die', { dice: { emoji: '🎲', value: 4 } }, { text: '[🎲 4]' }],
    [
      'a place',
      { location: { latitude: 1, longitude: 2 }, venue: { title: 'Café', address: 'Main St 1' } },
      { text: '[location 1, 2]', quotes: [{ kind: 'shared', text: 'Place: Café, Main St 1' }] },
    ],
    [
      'a contact',
      { contact: { phone_number: '4711', first_name: 'Bob' } },
      { text: '', quotes: [{ kind: 'shared', from: null, text: 'Contact: Bob, 4711', is_own: false }] },
    ],
    [
      'a poll',
      { poll: { question: 'Tea?', options: [{ text: 'Yes' }, { text: 'No' }] } },
      { text: '', quotes: [{ kind: 'shared', text: 'Poll: Tea?\n- Yes\n- No' }] },
    ],
    [
      'a forwarded message',
      { text: '/stop', forward_origin: { type: 'user', sender_user: eve } },
      { text: '', quotes: [{ kind: 'forward', from: 'Eve', text: '/stop', is_own: false }] },
    ],
    [
      'a reply to a message of another',
      { reply_to_message: { message_id: 4, from: eve, text: 'Is it five?' } },
      {
        ...{ text: 'Hello', about: '42:4' },
        quotes: [{ kind: 'reply', from: 'Eve', text: 'Is it five?', is_own: false }],
      },
    ],
    [
      'a reply to a part of an own message',
      { reply_to_message: { message_id: 4, from: ada, text: 'One. Two.' }, quote: { text: 'Two.' } },
      { quotes: [{ kind: 'reply', text: 'Two.', is_own: true }] },
    ],
    [
      'a reply to an own message that was forwarded',
      {
        reply_to_message: {
          ...{ message_id: 4, from: ada, text: 'Hi' },
          forward_origin: { sender_user_name: 'Hidden' },
        },
      },
      { quotes: [{ kind: 'reply', from: 'Hidden', text: 'Hi', is_own: false }] },
    ],
  ])('%s', async (_, more, expected) => {
    const words = 'reply_to_message' in more || 'forward_origin' in more ? {} : { text: undefined }
    expect(await receive({ message: message({ ...words, ...more }) })).toMatchObject([expected])
  })

  test('in a group, a mention before a command is no part of it', async () => {
    const text = '@HearthBot /status'
    const entities = [{ type: 'mention', offset: 0, length: 10 }]
    const chat = { id: -100, type: 'group', title: 'Kitchen' }
    expect(await receive({ message: message({ chat, text, entities }) })).toMatchObject([
      { text: '/status', is_mention: true },
    ])
  })

  test('a voice message', async () => {
    const voice = { file_id: 'v1', mime_type: 'audio/ogg', file_size: 9 }
    const [found] = await receive({ message: message({ text: undefined, voice }) })
    expect(found?.files).toMatchObject([{ name: 'voice-5.ogg', is_voice: true, reference: { file_id: 'v1' } }])
  })

  test('a photo in its largest size, with its caption', async () => {
    const photo = [
      { file_id: 'small', file_size: 10 },
      { file_id: 'large', file_size: 99 },
    ]
    const [found] = await receive({ message: message({ text: undefined, caption: 'Look', photo }) })
    expect(found).toMatchObject({
      text: 'Look',
      files: [{ name: 'photo-5.jpg', mime_type: 'image/jpeg', size_bytes: 99, reference: { file_id: 'large' } }],
    })
  })

  test.each([
    ['of a bot', { message: message({ from: bot }) }],
    ['without a sender', { message: message({ from: undefined }) }],
    ['without text', { message: message({ text: undefined, new_chat_title: 'x' }) }],
    ['of another kind', { poll: {} }],
    ['that is malformed', { message: 'x' }],
  ])('an update %s is ignored', async (_, more) => {
    expect(await receive(more)).toEqual([])
  })
})

describe('sending', () => {
  test('formatted text without previews', async () => {
    const markdown = '# Tea\n**Green** & `a<b`\n\n```js\nx > 1\n```\n> quoted\n- [site](https://x.test/?a=1&b=2)'
    const result = await telegram.send(outbound({ markdown }), connection, context)
    expect(result).toEqual({ platform_message_id: '42:7' })
    expect(server.requests[0]?.json).toEqual({
      chat_id: '42',
      link_preview_options: { is_disabled: true },
      parse_mode: 'HTML',
      text: '<b>Tea</b>\n<b>Green</b> &amp; <code>a&lt;b</code>\n\n<pre><code class="language-js">x &gt; 1</code></pre>\n<blockquote>quoted</blockquote>\n• <a href="https://x.test/?a=1&amp;b=2">site</a>',
    })
  })

  test('plain text if the formatting is refused', async () => {
    const refused = { ok: false, error_code: 400, description: "Bad Request: can't parse entities: x" }
    server.next.push(Response.json(refused, { status: 400 }))
    await telegram.send(outbound(), connection, context)
    expect(server.requests.map(({ json }) => json.parse_mode)).toEqual(['HTML', undefined])
    expect(server.requests[1]?.json.text).toBe('Good **morning**')
  })

  test('buttons, a quoted message and a thread', async () => {
    const peer = { kind: 'group', id: '-100', name: null, thread_id: '9', team_id: null } as const
    await telegram.send(outbound({ peer, buttons, reply: { message_id: '5' } }), connection, context)
    expect(server.requests[0]?.json).toMatchObject({
      chat_id: '-100',
      message_thread_id: '9',
      reply_parameters: { message_id: 5, allow_sending_without_reply: true },
      reply_markup: {
        inline_keyboard: [
          [
            { text: 'Approve', callback_data: 'ok:1' },
            { text: 'Deny', callback_data: 'no:1' },
          ],
        ],
      },
    })
  })

  test('an edit of the text and its buttons', async () => {
    await telegram.edit?.(outbound({ buttons }), '42:7', connection, context)
    await telegram.edit?.(outbound({ markdown: 'Done' }), '42:7', connection, context)
    expect(server.requests.map(({ url }) => url.pathname.split('/').at(-1))).toEqual([
      'editMessageText',
      'editMessageText',
    ])
    expect(server.requests[0]?.json).toMatchObject({
      ...{ chat_id: '42', message_id: 7, text: 'Good <b>morning</b>', parse_mode: 'HTML' },
      reply_markup: { inline_keyboard: [[{ text: 'Approve' }, { text: 'Deny' }]] },
    })
    expect(server.requests[1]?.json).not.toHaveProperty('reply_markup')
  })

  test('a reaction, and no reaction', async () => {
    const { peer } = outbound()
    for (const emoji of ['👀', null])
      await telegram.react?.(emoji, { peer, reply: { message_id: '5' } }, connection, context)
    expect(server.requests.map(({ json }) => json)).toEqual([
      { chat_id: '42', message_id: 5, reaction: [{ type: 'emoji', emoji: '👀' }] },
      { chat_id: '42', message_id: 5, reaction: [] },
    ])
  })

  test('an edit that changes nothing, or is too late', async () => {
    const refused = (description: string) => Response.json({ ok: false, description }, { status: 400 })
    server.next.push(refused('Bad Request: message is not modified: specified new message content is the same'))
    await telegram.edit?.(outbound(), '42:7', connection, context)
    server.next.push(refused("Bad Request: message can't be edited"))
    expect(await failureOf(telegram.edit?.(outbound(), '42:7', connection, context))).toMatchObject({
      is_permanent: true,
    })
  })

  test('a picture is shown, or sent as a file if Telegram does not take it', async () => {
    const picture = { ...file(), name: 'tea.png', mime_type: 'image/png' }
    await telegram.send(outbound({ markdown: '', files: [picture] }), connection, context)
    const description = 'Bad Request: PHOTO_INVALID_DIMENSIONS'
    server.next.push(Response.json({ ok: false, description }, { status: 400 }))
    await telegram.send(outbound({ markdown: '', files: [picture] }), connection, context)
    expect(server.requests.map(({ url }) => url.pathname.split('/').at(-1))).toEqual([
      ...['sendPhoto', 'sendPhoto', 'sendDocument'],
    ])
    expect((await server.requests[0]?.form())?.get('photo')).toMatchObject({ name: 'tea.png' })
  })

  test('a file of 20 MB', async () => {
    await telegram.send(outbound({ markdown: '', files: [file(20_000_000)] }), connection, context)
    expect(server.requests.map(({ url }) => url.pathname.split('/').at(-1))).toEqual(['sendDocument'])
    const form = await server.requests[0]?.form()
    expect(form?.get('chat_id')).toBe('42')
    expect(form?.get('document')).toMatchObject({ name: 'report.txt', size: 20_000_000 })
  })

  test('the typing indicator', async () => {
    await telegram.typing?.(outbound().peer, connection, context)
    expect(server.requests[0]?.json).toEqual({ chat_id: '42', action: 'typing' })
  })

  reportsFailures(telegram, {
    server: () => server,
    connection,
    limited: () =>
      Response.json({ ok: false, description: 'Too Many Requests', parameters: { retry_after: 7 } }, { status: 429 }),
  })

  test('an error says what Telegram says and not the token', async () => {
    server.next.push(
      Response.json({ ok: false, description: 'Forbidden: bot was blocked by the user' }, { status: 403 }),
    )
    const { message } = await failureOf(telegram.send(outbound(), connection, context))
    expect(message).toBe('Telegram refused the request: Forbidden: bot was blocked by the user')
  })
})

test('downloads a file of 20 MB', async () => {
  content = new Uint8Array(20_000_000)
  const found = { name: 'x', mime_type: null, size_bytes: null, reference: { file_id: 'f1' } }
  const response = await telegram.download?.(found, connection, context)
  expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
})

test('health names the bot, or what is wrong', async () => {
  expect(await telegram.health(connection, context)).toEqual({
    ok: true,
    detail: 'Connected as @HearthBot',
    receiving: { ok: true, detail: `Telegram delivers to ${webhookUrl}` },
  })
  const hook = { url: webhookUrl, pending_update_count: 3, last_error_message: 'Connection refused' }
  server.next.push(...[bot, hook].map((result) => Response.json({ ok: true, result })))
  expect(await telegram.health(connection, context)).toMatchObject({
    receiving: { ok: false, detail: `Telegram cannot deliver to ${webhookUrl}: Connection refused` },
  })
  server.next.push(Response.json({ ok: false, description: 'Unauthorized' }, { status: 401 }))
  expect(await telegram.health(connection, context)).toEqual({
    ok: false,
    detail: 'Telegram refused the credentials: Unauthorized',
  })
})

test('a Bot API server of one’s own is used for methods and files', async () => {
  const own = connectionOf({ bot_token: token, api_url: 'https://bots.example/' })
  await telegram.typing?.(outbound().peer, own, context).catch(() => undefined)
  expect(server.requests[0]?.url.href).toBe(`https://bots.example/bot${token}/sendChatAction`)
})

test('connect shows the commands to people', async () => {
  await telegram.connect?.(connection, context)
  const { json } = server.requests.find(({ url }) => url.pathname.endsWith('/setMyCommands')) ?? {}
  expect(json.commands.map(({ command }: { command: string }) => command)).toEqual([
    ...['stop', 'new', 'undo', 'status', 'model', 'help'],
  ])
})

test('disconnect removes the address', async () => {
  await telegram.disconnect?.(connection, context)
  expect(server.requests[0]?.url.pathname).toBe(`/bot${token}/deleteWebhook`)
})

import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { exportPKCS8 } from 'jose'
import { expect, test } from 'vitest'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import * as channels from '../../../handlers/channels/channels.ts'
import * as pairings from '../../../handlers/channels/pairings.ts'
import { postWebhook } from '../../../handlers/channels/webhook.ts'
import type { PlatformName } from '../../../runtime/channels/platform.ts'
import { approvalCode } from '../../../runtime/channels/question.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { onlyApproval } from '../../support/chat.ts'
import { type ScriptedModels, scriptedModels, text, toolCall } from '../../support/models.ts'
import { workOff } from '../../support/work.ts'
import { pairingsOf } from '../kit.ts'
import { alter, type Got, signer, startPlatform } from './kit.ts'

const key = await signer('k1')
const discordKey = generateKeyPairSync('ed25519')
const hmac = (secret: string | Buffer, body: string) => createHmac('sha256', secret).update(body)
const appId = '7c3b9a52-8a1e-4f0b-9a6e-5d2f1c0b9e8d'
const service = 'https://smba.trafficmanager.net/emea/'

interface Message {
  id: number
  text: string
  /** Milliseconds since the epoch. */
  at: number
  webhook_url: string
  server: { requests: Got[] }
  /** Whether the file `report.txt` belongs to it. */
  hasFile?: boolean
  /** The id of the message that it corrects. */
  edits?: number
}

interface Scheme {
  credentials: Record<string, string>
  /** A message as the platform posts it. */
  post(message: Message): Promise<{ body: string; headers: Record<string, string> }>
  /** What the platform's API answers: JSON, or the bytes of a file. */
  api(got: Got): object | Buffer
  /** Whether a request sends the bytes of a file. */
  uploads?(got: Got): boolean
  /** Whether people can edit their messages. */
  hasEdits?: true
  /** What a request is answered with if the token has expired. Default: status 401. */
  expired?: () => Response
  /** Whether a request shows that the token has expired. Default: one that sends a message. */
  checksToken?(got: Got): boolean
  /** Whether the channel sends in spite of that, because it requests a new token or does without. */
  recovers?: true
  /** Whether a request sends a message. */
  sends(got: Got): boolean
  /** Whether a request shows that an answer is being written. */
  types?(got: Got): boolean
}

const json = { 'content-type': 'application/json' }
const bearer = async (claims: object) => ({
  ...json,
  authorization: `Bearer ${await key.sign({ exp: Date.parse('2027-01-01') / 1_000, ...claims })}`,
})

const report = Buffer.alloc(20_000_000, 'Tea is served at five. ')

const telegram = { ok: true, result: { message_id: 9, chat: { id: 42, type: 'private' }, date: 1 } }

const schemes = {
  telegram: {
    credentials: { bot_token: '123456:ABC-DEF1234ghIkl' },
    hasEdits: true,
    async post({ id, text, at, server, hasFile, edits }) {
      const connected = server.requests.find(({ url }) => url.pathname.endsWith('/setWebhook'))
      const from = { id: 42, first_name: 'Ada' }
      const document = { file_id: 'BQAC', file_name: 'report.txt', mime_type: 'text/plain' }
      const message = {
        ...{ message_id: edits ?? id, from, chat: { id: 42, type: 'private' }, date: at / 1_000 },
        ...(hasFile ? { caption: text, document: { ...document, file_size: report.length } } : { text }),
      }
      const headers = { ...json, 'x-telegram-bot-api-secret-token': connected?.json.secret_token }
      const update = edits === undefined ? { message } : { edited_message: { ...message, edit_date: at / 1_000 } }
      return { body: JSON.stringify({ update_id: id, ...update }), headers }
    },
    api({ url }) {
      if (url.pathname.startsWith('/file/bot')) return report
      if (!url.pathname.endsWith('/getFile')) return telegram
      return { ok: true, result: { file_id: 'BQAC', file_path: 'documents/file_1.txt' } }
    },
    sends: ({ url }) => url.pathname.endsWith('/sendMessage'),
    uploads: ({ url }) => url.pathname.endsWith('/sendDocument'),
    types: ({ url }) => url.pathname.endsWith('/sendChatAction'),
  },
  slack: {
    credentials: { signing_secret: '8f742231b10e8888abcd99yyyzzz85a5', bot_token: 'xoxb-1234567890-abc' },
    hasEdits: true,
    expired: () => Response.json({ ok: false, error: 'token_expired' }),
    async post({ id, text, at, hasFile, edits }) {
      const url_private_download = 'https://files.slack.com/files-pri/T1-F1/download/report.txt'
      const file = { id: 'F1', name: 'report.txt', mimetype: 'text/plain', size: report.length }
      const place = { type: 'message', channel: 'D1', channel_type: 'im' }
      const message = { user: 'U42', text, ts: `${edits ?? id}.000100` }
      const previous_message = { ...message, text: 'before' }
      const edited = { ...message, edited: { user: 'U42', ts: `${id}.000000` } }
      const event =
        edits === undefined
          ? {
              ...{ ...place, ...message },
              ...(hasFile && { subtype: 'file_share', files: [{ ...file, url_private_download }] }),
            }
          : { ...place, subtype: 'message_changed', message: edited, previous_message }
      const body = JSON.stringify({ type: 'event_callback', team_id: 'T1', event })
      const signature = `v0=${hmac('8f742231b10e8888abcd99yyyzzz85a5', `v0:${at / 1_000}:${body}`).digest('hex')}`
      const headers = { 'x-slack-request-timestamp': String(at / 1_000), 'x-slack-signature': signature }
      return { body, headers: { ...json, ...headers } }
    },
    api({ url, method }) {
      if (url.host === 'files.slack.com') return method === 'GET' ? report : Buffer.from('OK - 20000000')
      const upload_url = 'https://files.slack.com/upload/v1/CwABAAAA'
      return { ok: true, ts: '1.2', user: 'hearth', team: 'Kitchen', upload_url, file_id: 'F2' }
    },
    sends: ({ url }) => url.pathname.endsWith('/chat.postMessage'),
    uploads: ({ url, method }) => url.host === 'files.slack.com' && method === 'POST',
  },
  discord: {
    recovers: true,
    checksToken: ({ url, method }) => method === 'GET' && url.pathname.endsWith('/@original'),
    credentials: {
      application_id: '123456789012345678',
      public_key: discordKey.publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('hex'),
      bot_token: 'x'.repeat(60),
    },
    async post({ id, text, at }) {
      const options = [{ name: 'message', type: 3, value: text }]
      const snowflake = String((BigInt(at - 1_420_070_400_000) << 22n) + BigInt(id))
      const user = { id: '42', username: 'ada' }
      const data = { name: 'ask', options }
      const body = JSON.stringify({
        id: snowflake,
        type: 2,
        token: `token-${id}`,
        channel_id: '555',
        user,
        data,
      })
      const timestamp = String(at / 1_000)
      const signature = sign(null, Buffer.from(timestamp + body), discordKey.privateKey).toString('hex')
      return {
        body,
        headers: { ...json, 'x-signature-timestamp': timestamp, 'x-signature-ed25519': signature },
      }
    },
    api: ({ method }) => (method === 'GET' ? { id: '1', flags: 128, content: '' } : { id: '2' }),
    sends: ({ method }) => method === 'PATCH',
    types: ({ url }) => url.pathname.endsWith('/typing'),
  },
  whatsapp: {
    credentials: {
      phone_number_id: '106540352242922',
      access_token: 'EAAtest1234567890token',
      app_secret: '0123456789abcdef0123456789abcdef',
      verify_token: 'my-verify-token',
    },
    async post({ id, text, at }) {
      const messages = [
        { from: '42', id: `wamid.${id}`, timestamp: String(at / 1_000), type: 'text', text: { body: text } },
      ]
      const value = { metadata: { phone_number_id: '106540352242922' }, messages }
      const entry = [{ id: '1', changes: [{ field: 'messages', value }] }]
      const body = JSON.stringify({ object: 'whatsapp_business_account', entry })
      const signature = `sha256=${hmac('0123456789abcdef0123456789abcdef', body).digest('hex')}`
      return { body, headers: { ...json, 'x-hub-signature-256': signature } }
    },
    api: () => ({ messages: [{ id: 'wamid.OUT' }] }),
    sends: ({ json }) => json?.type === 'text',
    types: ({ json }) => json?.message_id === 'wamid.2' && json.typing_indicator !== undefined,
  },
  line: {
    credentials: { channel_secret: '8c570fa6dd201bb328f1c1eac23a96d8', channel_access_token: 'x'.repeat(40) },
    async post({ id, text, at }) {
      const source = { type: 'user', userId: 'U42' }
      const message = { id: String(id), type: 'text', text }
      const replyToken = `reply-${id}`
      const event = { type: 'message', timestamp: at, webhookEventId: `e${id}`, replyToken, source, message }
      const body = JSON.stringify({ destination: 'U1', events: [event] })
      const signature = hmac('8c570fa6dd201bb328f1c1eac23a96d8', body).digest('base64')
      return { body, headers: { ...json, 'x-line-signature': signature } }
    },
    api: () => ({ sentMessages: [{ id: '1' }], endpoint: 'x', active: true, displayName: 'Hearth' }),
    sends: ({ url }) => url.pathname.includes('/message/'),
    types: ({ url }) => url.pathname.endsWith('/loading/start'),
  },
  teams: {
    credentials: { app_id: appId, app_password: 'client-secret-123', tenant_id: '' },
    hasEdits: true,
    recovers: true,
    async post({ id, text, at, edits }) {
      const body = JSON.stringify({
        type: edits === undefined ? 'message' : 'messageUpdate',
        id: String(edits ?? id),
        timestamp: new Date(at).toISOString(),
        serviceUrl: service,
        channelId: 'msteams',
        from: { id: '29:42', name: 'Ada' },
        recipient: { id: `28:${appId}` },
        conversation: { id: 'a:1', conversationType: 'personal' },
        text,
      })
      return {
        body,
        headers: await bearer({ iss: 'https://api.botframework.com', aud: appId, serviceurl: service }),
      }
    },
    api: () => ({
      jwks_uri: 'https://login.botframework.com/keys',
      keys: [key.jwk],
      access_token: 't',
      expires_in: 3_600,
      id: '1',
    }),
    sends: ({ json }) => json?.type === 'message',
    types: ({ json, url }) => json?.type === 'typing' && url.pathname.startsWith('/emea/'),
  },
  google_chat: {
    recovers: true,
    credentials: {
      service_account: JSON.stringify({
        client_email: 'hearth@project.iam.gserviceaccount.com',
        private_key: await exportPKCS8(key.privateKey),
      }),
      audience: '',
    },
    async post({ id, text, webhook_url }) {
      const user = { name: 'users/42', displayName: 'Ada', type: 'HUMAN' }
      const space = { name: 'spaces/AAA', type: 'DM' }
      const message = { name: `spaces/AAA/messages/${id}`, text, argumentText: text }
      const claims = {
        iss: 'https://accounts.google.com',
        aud: webhook_url,
        email: 'chat@system.gserviceaccount.com',
      }
      const headers = await bearer({ ...claims, email_verified: true })
      return { body: JSON.stringify({ type: 'MESSAGE', user, space, message }), headers }
    },
    api: () => ({ keys: [key.jwk], access_token: 't', expires_in: 3_600, name: 'spaces/AAA/messages/OUT' }),
    sends: ({ url, method }) => method === 'POST' && url.pathname.endsWith('/messages'),
  },
  webhook: {
    credentials: { secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', url: 'https://program.test/answers' },
    hasEdits: true,
    async post({ id, text, at, edits }) {
      const original = edits === undefined ? {} : { edits: `m${edits}` }
      const body = JSON.stringify({ text, sender: { id: 'ada' }, ...original })
      const signed = hmac(Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64'), `m${id}.${at / 1_000}.${body}`)
      const headers = { 'webhook-id': `m${id}`, 'webhook-timestamp': String(at / 1_000) }
      return { body, headers: { ...json, ...headers, 'webhook-signature': `v1,${signed.digest('base64')}` } }
    },
    api: () => ({}),
    sends: () => true,
  },
} satisfies Partial<Record<PlatformName, Scheme>>

/** Lets pauses between messages and attempts pass. */
async function settle(host: MemoryHost) {
  for (let seconds = 0; seconds < 12; seconds += 1) {
    await workOff(host)
    await host.clock.advance(1_000)
  }
}

/** A channel of the platform whose owner has written once and is paired. */
async function paired(platform: string, scheme: Scheme, models: ScriptedModels) {
  const failures: { response: Response; at?: ((got: Got) => boolean) | undefined }[] = []
  const server = await startPlatform(
    (got) => {
      const [failure] = failures
      if (failure && (failure.at ?? scheme.sends)(got)) {
        failures.shift()
        return failure.response
      }
      const answer = scheme.api(got)
      return Buffer.isBuffer(answer) ? new Response(new Uint8Array(answer)) : Response.json(answer)
    },
    { models },
  )
  const { host } = server
  await configure(host, ['anthropic'])
  await call(channels.updateSettings, host, { body: { public_base_url: 'https://hearth.example' } })
  const body = { platform, name: 'Messenger', credentials: scheme.credentials }
  const created = await call(channels.create, host, { body })
  expect([created.status, created.status === 201 ? '' : await created.text()]).toEqual([201, ''])
  const { id: channel_id, webhook_url } = await created.json()
  await call(channels.connect, host, { params: { id: channel_id } })
  await settle(host)
  let id = 0
  const build = (text: string, more: Partial<Message> = {}) => {
    const at = Math.floor(host.clock.now() / 1_000) * 1_000
    id += 1
    return scheme.post({ id, text, at, webhook_url, server, ...more })
  }
  const post = async (request: { body: string; headers: Record<string, string> }) =>
    (await call(postWebhook, host, { params: { platform, channel_id }, ...request })).status
  const sent = () => server.requests.filter((got) => scheme.sends(got)).map(({ bytes }) => bytes.toString())

  expect(await post(await build('Hello'))).toBe(200)
  await settle(host)
  const [pairing] = await pairingsOf(host)
  expect(sent()).toEqual([expect.stringContaining(pairing?.code ?? 'a code')])
  await call(pairings.approve, host, { params: { id: pairing?.id ?? '' }, body: { role: 'owner' } })
  await settle(host)
  return { server, host, channel_id, build, post, sent, failures }
}

const entries: [string, Scheme][] = Object.entries(schemes)

test.each(entries)(
  '%s: pairing, a question, its answer after a rate limit',
  async (platform, scheme) => {
    const models = scriptedModels(text('Green tea, please.'))
    const { server, host, build, post, sent, failures } = await paired(platform, scheme, models)
    await using _ = server
    failures.push({ response: new Response('{}', { status: 429, headers: { 'retry-after': '3' } }) })
    const question = await build('Tea?')
    expect(await post(question)).toBe(200)
    await settle(host)
    expect(sent().filter((body) => body.includes('Green tea'))).toHaveLength(2)

    const typed = server.requests.filter((got) => scheme.types?.(got)).length
    expect(typed > 0).toBe(scheme.types !== undefined)

    // A redelivery, and a request that the platform did not sign.
    const count = sent().length
    expect(await post(question)).toBe(200)
    expect(await post(forge(platform, await build('Tea?')))).toBe(401)
    await settle(host)
    expect(sent()).toHaveLength(count)
    expect(models.calls).toHaveLength(1)
  },
  30_000,
)

test.each(entries)(
  '%s: messages out of order, an edit, an API that fails and an expired token',
  async (platform, scheme) => {
    const models = scriptedModels(...['One', 'Two', 'Three', 'Four', 'Five'].map((answer) => text(answer)))
    const { server, host, channel_id, build, post, sent, failures } = await paired(platform, scheme, models)
    await using _ = server
    const asked = (at: number) => JSON.stringify(models.calls[at]?.messages.at(-1))
    const times = (answer: string) => sent().filter((body) => body.includes(answer)).length

    // The platform delivers the second message first; both are answered, each once.
    const [first, second] = [await build('First'), await build('Second')]
    expect(await post(second)).toBe(200)
    expect(await post(first)).toBe(200)
    await settle(host)
    expect([asked(0), asked(1)]).toEqual([expect.stringContaining('Second'), expect.stringContaining('First')])
    expect([times('One'), times('Two')]).toEqual([1, 1])

    // The answer to a correction, or to another message where there are none, after a failure of the platform.
    failures.push({ response: new Response('oops', { status: 503 }) })
    expect(await post(await build('Third', scheme.hasEdits ? { edits: 2 } : {}))).toBe(200)
    await settle(host)
    const correction = '[correction of an earlier message] '
    expect(asked(2)).toContain(`${scheme.hasEdits ? correction : ''}Third`)
    expect(times('Three')).toBe(2)

    const response = scheme.expired?.() ?? new Response('{}', { status: 401 })
    failures.push({ response, at: scheme.checksToken })
    expect(await post(await build('Fourth'))).toBe(200)
    await settle(host)
    const { last_error } = await (await call(channels.show, host, { params: { id: channel_id } })).json()
    // A person must enter a new token; the status and the log say so.
    if (!scheme.recovers) expect(last_error).toEqual(expect.any(String))
    const { entries } = await (await call(channels.log, host, { params: { id: channel_id } })).json()
    expect(entries.some(({ detail }: { detail: string }) => detail.startsWith('Not sent: '))).toBe(!scheme.recovers)
    expect(await post(await build('Fifth'))).toBe(200)
    await settle(host)
    expect(times('Five')).toBe(1)
  },
  30_000,
)

test.each(['telegram', 'slack'] as const)(
  '%s: the agent reads a file of 20 MB, and sends it after the owner has approved with a code',
  async (platform) => {
    const models = scriptedModels()
    const scheme: Scheme = schemes[platform]
    const { server, host, channel_id, build, post, sent } = await paired(platform, scheme, models)
    await using _ = server
    const files = ['attachment:report.txt']
    models.add(
      toolCall('files', { action: 'read', path: files[0] }),
      toolCall('channel_send', { channel_id, text: 'Your report', files }),
      text('Done.'),
    )
    expect(await post(await build('Read it', { hasFile: true }))).toBe(200)
    await settle(host)
    expect(JSON.stringify(models.calls[0]?.messages)).toContain('"name":"report.txt"')
    expect(JSON.stringify(models.calls[1]?.messages)).toContain('Tea is served at five.')
    const { id, summary } = await onlyApproval(host)
    expect(summary).toContain('Send attachment:report.txt to you')
    expect(await post(await build(`yes ${approvalCode({ id })}`))).toBe(200)
    await settle(host)
    const messages = sent().filter((body) => body.includes('Your report') && !body.includes(summary))
    expect(messages).toHaveLength(1)
    const [upload, ...more] = server.requests.filter((got) => scheme.uploads?.(got))
    expect(upload?.bytes.includes(report)).toBe(true)
    expect(more).toEqual([])
    expect(sent().at(-1)).toContain('Done.')
  },
  60_000,
)

/** Changes what proves the request: the body, or the token. */
function forge(platform: string, { body, headers }: { body: string; headers: Record<string, string> }) {
  if (!['telegram', 'teams', 'google_chat'].includes(platform)) return { headers, body: body.replace('Tea', 'tea') }
  const changed = Object.entries(headers).map(([name, value]) => [
    name,
    name === 'content-type' ? value : alter(value, -2),
  ])
  return { body, headers: Object.fromEntries(changed) }
}

import { beforeEach, describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import { teams } from '../../../runtime/channels/platforms/teams.ts'
import {
  buttons,
  connectionOf,
  failureOf,
  file,
  jwtMutations,
  messagesOf,
  outbound,
  rawRequest,
  refusesMutations,
  reportsFailures,
  signer,
  startPlatform,
} from './kit.ts'

const app_id = '7c3b9a52-8a1e-4f0b-9a6e-5d2f1c0b9e8d'
const tenant_id = '72f988bf-86f1-41af-91ab-2d7cd011db47'
const credentials = { app_id, app_password: 'client-secret-123', tenant_id }
const connection = connectionOf(credentials)
const serviceUrl = 'https://smba.trafficmanager.net/emea/'
const key = await signer('key-1')
const unendorsed = await signer('key-2')
const jwks = {
  keys: [
    { ...key.jwk, endorsements: ['msteams', 'skype'] },
    { ...unendorsed.jwk, endorsements: ['webchat'] },
  ],
}
let issued = 0
let content: Uint8Array<ArrayBuffer> = new Uint8Array(3)

const server = await startPlatform(({ url }) => {
  if (url.host === 'login.botframework.com')
    return Response.json({ jwks_uri: 'https://login.botframework.com.test/v1/.well-known/keys' })
  if (url.host === 'login.botframework.com.test') return Response.json(jwks)
  if (url.host === 'login.microsoftonline.com') {
    issued += 1
    return Response.json({ token_type: 'Bearer', expires_in: 3_600, access_token: `token-${issued}` })
  }
  if (url.pathname.includes('/v3/attachments/')) return new Response(content)
  if (url.pathname.includes('/v3/conversations/')) return Response.json({ id: 'act-out' }, { status: 201 })
  if (url.host === 'contoso.sharepoint.com') return new Response(content)
  return undefined
})
const context = localContext(server.host)
const now = server.host.clock.now() / 1_000

beforeEach(() => {
  server.requests.length = 0
  server.next.length = 0
})

const payload = {
  iss: 'https://api.botframework.com',
  aud: app_id,
  serviceurl: serviceUrl,
  nbf: now - 10,
  exp: now + 3_600,
}

const activity = (more: object = {}) => ({
  type: 'message',
  id: '1767614400000',
  timestamp: '2026-01-05T12:00:00.000Z',
  serviceUrl,
  channelId: 'msteams',
  from: { id: '29:ada', name: 'Ada', aadObjectId: 'aad-ada' },
  recipient: { id: `28:${app_id}`, name: 'Hearth' },
  conversation: { id: 'a:1', conversationType: 'personal', tenantId: tenant_id },
  channelData: { tenant: { id: tenant_id } },
  text: 'Hello',
  ...more,
})

const posted = async (body: object, claims: object = {}, by = key) => ({
  body: JSON.stringify(body),
  headers: { authorization: `Bearer ${await by.sign({ ...payload, ...claims })}` },
})

const receive = async (more: object) =>
  messagesOf(await teams.receive(rawRequest(await posted(activity(more))), connection, context))

describe('verification', async () => {
  const valid = await posted(activity())
  refusesMutations(teams, {
    credentials,
    valid,
    host: async () => server.host,
    mutations: {
      ...(await jwtMutations(key, { body: valid.body, payload, now })),
      'a token for another service': {
        posted: await posted(activity(), { serviceurl: 'https://evil.test/' }),
      },
      'a token without a service': { posted: await posted(activity(), { serviceurl: undefined }) },
      'a message with another service': {
        posted: await posted(activity({ serviceUrl: 'https://evil.test/' })),
      },
      'a message without a service': { posted: await posted(activity({ serviceUrl: undefined })) },
      'a body that is no JSON': { posted: { ...valid, body: 'x' } },
      'a key for other channels': { posted: await posted(activity(), {}, unendorsed) },
      'a message of Web Chat, where senders choose their id': {
        posted: await posted(activity({ channelId: 'webchat' }), {}, key),
      },
      'a message of another tenant': {
        posted: await posted(activity({ channelData: { tenant: { id: 'other' } } })),
      },
      'a message of no tenant': {
        posted: await posted(activity({ channelData: {}, conversation: { id: 'a:1', conversationType: 'personal' } })),
      },
      'another app ID': { posted: valid, credentials: { ...credentials, app_id: 'other' } },
      'an empty app ID': { posted: valid, credentials: { ...credentials, app_id: '' } },
      'no app ID': { posted: valid, credentials: {} },
    },
  })

  test('the keys are fetched once; an unknown key fetches them once a minute', async () => {
    const unknown = await posted(activity(), {}, await signer('key-9'))
    await teams.receive(rawRequest(unknown), connection, context)
    server.requests.length = 0
    await teams.receive(rawRequest(unknown), connection, context)
    await teams.receive(rawRequest(valid), connection, context)
    expect(server.requests).toEqual([])
  })

  test('keys that cannot be fetched are no refusal', async () => {
    await using empty = await startPlatform(() => new Response('', { status: 503 }))
    const receiving = teams.receive(rawRequest(valid), connection, localContext(empty.host))
    await expect(receiving).rejects.toMatchObject({ status: 503 })
  })
})

describe('receiving', () => {
  test('a personal message', async () => {
    expect(await receive({})).toEqual([
      {
        id: '1767614400000',
        kind: 'message',
        edits: null,
        sender: { id: 'aad-ada', name: 'Ada' },
        peer: { kind: 'dm', id: 'a:1', name: 'Ada', thread_id: null, team_id: tenant_id },
        text: 'Hello',
        value: null,
        about: null,
        quotes: [],
        is_mention: true,
        files: [],
        sent_at: '2026-01-05T12:00:00.000Z',
        reply: { service_url: serviceUrl, activity_id: '1767614400000' },
      },
    ])
  })

  test('an answer to a message has its beginning', async () => {
    const messageSender = { user: { id: 'aad-eve', displayName: 'Eve' } }
    const content = JSON.stringify({ messageId: '17', messagePreview: 'Is it five?', messageSender })
    expect(await receive({ attachments: [{ contentType: 'messageReference', content }] })).toMatchObject([
      {
        ...{ text: 'Hello', about: '17' },
        quotes: [{ kind: 'reply', from: 'Eve', text: 'Is it five?', is_own: false }],
      },
    ])
  })

  test('a mention in a thread of a channel', async () => {
    const conversation = {
      id: '19:c1@thread.tacv2;messageid=77',
      conversationType: 'channel',
      name: 'General',
    }
    const entities = [{ type: 'mention', text: '<at>Hearth</at>', mentioned: { id: `28:${app_id}` } }]
    const channelData = { tenant: { id: tenant_id }, team: { id: '19:t1' } }
    const more = { conversation, channelData, text: '<at>Hearth</at> ask <at>Bob</at>&nbsp;' }
    expect(await receive({ ...more, entities })).toMatchObject([
      {
        text: 'ask Bob',
        is_mention: true,
        peer: { kind: 'group', id: '19:c1@thread.tacv2', thread_id: '77', team_id: '19:t1' },
      },
    ])
    expect(await receive(more)).toMatchObject([{ is_mention: false }])
  })

  test('an edit and a pressed button', async () => {
    expect(
      await receive({
        type: 'messageUpdate',
        channelData: { tenant: { id: tenant_id }, eventType: 'editMessage' },
      }),
    ).toMatchObject([{ kind: 'edit', edits: '1767614400000', id: '1767614400000:2026-01-05T12:00:00.000Z' }])
    expect(await receive({ value: { hearthd: 'ok:1' } })).toMatchObject([{ kind: 'button', value: 'ok:1' }])
  })

  test('files and pictures', async () => {
    const attachments = [
      {
        contentType: 'application/vnd.microsoft.teams.file.download.info',
        name: 'a.pdf',
        content: { downloadUrl: 'https://contoso.sharepoint.com/a.pdf?tempauth=x' },
      },
      {
        contentType: 'image/*',
        contentUrl: 'https://smba.trafficmanager.net/emea/v3/attachments/1/views/original',
      },
      { contentType: 'text/html', content: '<div>Hello</div>' },
    ]
    const [found] = await receive({ attachments })
    expect(found?.files).toMatchObject([
      { name: 'a.pdf', reference: { url: 'https://contoso.sharepoint.com/a.pdf?tempauth=x' } },
      { name: 'picture', reference: { service_url: serviceUrl } },
    ])
  })

  test.each([
    ['its own', { from: { id: `28:${app_id}` } }],
    ['another type', { type: 'conversationUpdate' }],
    ['a deletion', { type: 'messageUpdate', channelData: { eventType: 'softDeleteMessage' } }],
    ['an empty text', { text: '' }],
  ])('a message of %s is ignored', async (_, more) => {
    expect(await receive(more)).toEqual([])
  })
})

describe('sending', () => {
  const reply = { service_url: serviceUrl, activity_id: '5' }

  test('an answer with a token that is kept until it expires', async () => {
    issued = 0
    expect(await teams.send(outbound({ reply }), connection, context)).toEqual({
      platform_message_id: 'act-out',
    })
    await teams.send(outbound({ reply }), connection, context)
    const [token, first, second] = server.requests
    expect(token?.url.href).toBe(`https://login.microsoftonline.com/${tenant_id}/oauth2/v2.0/token`)
    expect(Object.fromEntries((await token?.form()) ?? [])).toEqual({
      grant_type: 'client_credentials',
      client_id: app_id,
      client_secret: credentials.app_password,
      scope: 'https://api.botframework.com/.default',
    })
    expect(first?.url.href).toBe('https://smba.trafficmanager.net/emea/v3/conversations/42/activities')
    expect(first?.headers.get('authorization')).toBe('Bearer token-1')
    expect(first?.json).toMatchObject({
      type: 'message',
      textFormat: 'markdown',
      text: 'Good **morning**',
      replyToId: '5',
    })
    expect(second?.headers.get('authorization')).toBe('Bearer token-1')
    await server.host.clock.advance(3_600_000)
    await teams.send(outbound({ reply }), connection, context)
    expect(server.requests.at(-1)?.headers.get('authorization')).toBe('Bearer token-2')
    server.host.clock.jump(-3_600_000)
  })

  test('a token that is refused is requested again, once', async () => {
    server.next.push(new Response('', { status: 401 }))
    await teams.send(outbound({ reply }), connection, context)
    expect(server.requests.map(({ url }) => url.host)).toEqual([
      'smba.trafficmanager.net',
      'login.microsoftonline.com',
      'smba.trafficmanager.net',
    ])
    const token = Response.json({ access_token: 'x', expires_in: 3_600 })
    server.next.push(new Response('', { status: 401 }), token, new Response('', { status: 401 }))
    expect(await failureOf(teams.send(outbound({ reply }), connection, context))).toMatchObject({
      is_permanent: true,
    })
  })

  test('without a message to answer, to the global service; in a thread; with buttons', async () => {
    const peer = {
      kind: 'group',
      id: '19:c1@thread.tacv2',
      name: null,
      thread_id: '77',
      team_id: null,
    } as const
    await teams.send(outbound({ peer, buttons }), connection, context)
    const request = server.requests.at(-1)
    expect(decodeURIComponent(request?.url.pathname ?? '')).toBe(
      '/teams/v3/conversations/19:c1@thread.tacv2;messageid=77/activities',
    )
    expect(request?.json.attachments[0].content.buttons).toMatchObject([
      { type: 'messageBack', title: 'Approve', value: { hearthd: 'ok:1' } },
      { type: 'messageBack', title: 'Deny', value: { hearthd: 'no:1' } },
    ])
  })

  test('a small picture is sent, other files are named', async () => {
    const picture = { name: 'a.png', mime_type: 'image/png', bytes: new Uint8Array(3) }
    await teams.send(outbound({ reply, files: [picture, file(20_000_000)] }), connection, context)
    expect(server.requests.at(-1)?.json).toMatchObject({
      text: expect.stringContaining('report.txt'),
      attachments: [{ contentType: 'image/png', contentUrl: 'data:image/png;base64,AAAA' }],
    })
  })

  test('the typing indicator', async () => {
    await teams.typing?.(outbound().peer, connection, context, reply)
    expect(server.requests.at(-1)?.json).toEqual({ type: 'typing' })
  })

  reportsFailures(teams, { server: () => server, connection })
})

describe('downloading', () => {
  const found = (reference: Record<string, string>) => ({
    name: 'x',
    mime_type: null,
    size_bytes: null,
    reference,
  })

  test('a file of 20 MB, without the token', async () => {
    content = new Uint8Array(20_000_000)
    const url = 'https://contoso.sharepoint.com/a.pdf?tempauth=x'
    const response = await teams.download?.(found({ url }), connection, context)
    expect((await response?.arrayBuffer())?.byteLength).toBe(20_000_000)
    expect(server.requests[0]?.headers.get('authorization')).toBeNull()
  })

  test('a picture, with a token that is refused once', async () => {
    const url = `${serviceUrl}v3/attachments/1/views/original`
    server.next.push(new Response('', { status: 401 }))
    const response = await teams.download?.(found({ url, service_url: serviceUrl }), connection, context)
    expect(response?.status).toBe(200)
    const elsewhere = found({ url: 'https://evil.test/x', service_url: serviceUrl })
    await failureOf(teams.download?.(elsewhere, connection, context))
  })
})

test('health says what is wrong with the credentials', async () => {
  expect(await teams.health(connection, context)).toMatchObject({ ok: true })
  const error = {
    error: 'invalid_client',
    error_description: 'AADSTS7000215: Invalid client secret\r\nTrace: x',
  }
  server.next.push(Response.json(error, { status: 401 }))
  expect(await teams.health(connection, context)).toEqual({
    ok: false,
    detail: 'Microsoft refused the credentials: AADSTS7000215: Invalid client secret',
  })
})

import { exportPKCS8 } from 'jose'
import { describe, expect, test } from 'vitest'
import { localContext } from '../../../runtime/auth/local.ts'
import type { Platform } from '../../../runtime/channels/platform.ts'
import { discord } from '../../../runtime/channels/platforms/discord.ts'
import { googleChat } from '../../../runtime/channels/platforms/google-chat.ts'
import { slack } from '../../../runtime/channels/platforms/slack.ts'
import { teams } from '../../../runtime/channels/platforms/teams.ts'
import { buttons, connectionOf, failureOf, outbound, signer, startPlatform } from './kit.ts'

const server = await startPlatform(({ url }) =>
  url.host.startsWith('login.') || url.host.startsWith('oauth2.')
    ? Response.json({ access_token: 't', expires_in: 3_600, token_type: 'Bearer' })
    : Response.json({ ok: true, id: '1', name: 'spaces/AAA/messages/1' }),
)
const context = localContext(server.host)
const account = await signer('account')
const service_account = JSON.stringify({
  client_email: 'hearth@project.iam.gserviceaccount.com',
  private_key: await exportPKCS8(account.privateKey),
})

const dm = (id: string) => ({ kind: 'dm' as const, id, name: null, thread_id: null, team_id: null })

interface Case {
  platform: Platform
  credentials: Record<string, string>
  peer: string
  id: string
  /** The request of an edit, and what it contains if there are no buttons. */
  request: [method: string, address: string]
  plain: object
}

const cases: Record<string, Case> = {
  slack: {
    platform: slack,
    credentials: { signing_secret: 'x'.repeat(32), bot_token: 'xoxb-1234567890-abc' },
    ...{ peer: 'D1', id: 'D1:1767614400.000100' },
    request: ['POST', 'https://slack.com/api/chat.update'],
    plain: { channel: 'D1', ts: '1767614400.000100', text: 'Done', blocks: [] },
  },
  discord: {
    platform: discord,
    credentials: { application_id: '123456789012345678', public_key: '', bot_token: 'x'.repeat(60) },
    ...{ peer: '555', id: '777' },
    request: ['PATCH', 'https://discord.com/api/v10/channels/555/messages/777'],
    plain: { content: 'Done', components: [] },
  },
  teams: {
    platform: teams,
    credentials: {
      app_id: '7c3b9a52-8a1e-4f0b-9a6e-5d2f1c0b9e8d',
      ...{ app_password: 'client-secret-123', tenant_id: '' },
    },
    ...{ peer: 'a:1', id: '1767614400000' },
    request: ['PUT', 'https://smba.trafficmanager.net/teams/v3/conversations/a%3A1/activities/1767614400000'],
    plain: { id: '1767614400000', text: 'Done', attachments: [] },
  },
  google_chat: {
    platform: googleChat,
    credentials: { service_account, audience: '' },
    ...{ peer: 'spaces/AAA', id: 'spaces/AAA/messages/1' },
    request: ['PATCH', 'https://chat.googleapis.com/v1/spaces/AAA/messages/1?updateMask=text,cardsV2'],
    plain: { text: 'Done', cardsV2: [] },
  },
}

describe.each(Object.entries(cases))('%s', (_, { platform, credentials, peer, id, request, plain }) => {
  const edit = async (message: Partial<Parameters<typeof outbound>[0]>) => {
    server.requests.length = 0
    await platform.edit?.(outbound({ peer: dm(peer), ...message }), id, connectionOf(credentials), context)
    return server.requests.at(-1)
  }

  test('replaces the text and the buttons of a message', async () => {
    const got = await edit({ buttons })
    expect([got?.method, got?.url.href]).toEqual(request)
    expect(JSON.stringify(got?.json)).toContain('ok:1')
    expect(JSON.stringify(got?.json)).toContain('morning')
  })

  test('removes the buttons', async () => {
    expect((await edit({ markdown: 'Done' }))?.json).toMatchObject(plain)
  })

  test('reports a refusal', async () => {
    await edit({})
    server.next.push(Response.json({ ok: false, error: 'cant_update_message' }, { status: 403 }))
    expect(await failureOf(edit({}))).toMatchObject({ is_permanent: true })
  })
})

test('on Discord, the answer of a command is edited as such', async () => {
  const reply = { token: 'aW50', expires_at: String(server.host.clock.now() + 1_000) }
  const { credentials = {} } = cases.discord ?? {}
  await discord.edit?.(outbound({ reply }), '777', connectionOf(credentials), context)
  expect(server.requests.at(-1)?.url.pathname).toBe('/api/v10/webhooks/123456789012345678/aW50/messages/777')
})

test.each([
  ['slack', { ts: '1.2' }, ['/api/reactions.add', '/api/reactions.remove'], { timestamp: '1.2', name: 'eyes' }],
  [
    'discord',
    { message_id: '777' },
    Array(2).fill('/api/v10/channels/555/messages/777/reactions/%F0%9F%91%80/@me'),
    undefined,
  ],
] as const)('%s shows a reaction and removes it', async (name, reply, paths, json) => {
  const { platform, credentials = {}, peer = '' } = cases[name] ?? {}
  server.requests.length = 0
  for (const emoji of ['👀', null])
    await platform?.react?.(emoji, { peer: dm(peer), reply }, connectionOf(credentials), context)
  expect(server.requests.map(({ url }) => url.pathname)).toEqual(paths)
  if (name === 'discord') expect(server.requests.map(({ method }) => method)).toEqual(['PUT', 'DELETE'])
  else expect(server.requests[0]?.json).toMatchObject(json ?? {})
})

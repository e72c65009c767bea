import { afterEach, describe, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import * as channels from '../../../handlers/channels/channels.ts'
import { ChannelSettings } from '../../../runtime/channels/schema.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { scriptedModels, text } from '../../support/models.ts'
import { type PlatformServer, startPlatform, stopWork, until } from './kit.ts'

const bot_token = 'xoxb-1234567890-abcdef'
const app_token = 'xapp-1-A1-1234567890-abcdef'

/** Slack's side of one connection. It repeats what was not acknowledged on the next connection. */
class Slack {
  readonly sockets: WebSocket[] = []
  readonly acknowledged: string[] = []
  /** Events that were not acknowledged, oldest first. */
  #open: { envelope_id: string }[] = []
  readonly #tickets = new Set<string>()
  /** The error of the next request for a connection. */
  refusal: string | null = null
  /** Where connections are opened. */
  host = 'wss-primary.slack.com'

  ticket(authorization: string | null): Response {
    const error = authorization === `Bearer ${app_token}` ? this.refusal : 'not_allowed_token_type'
    if (error) return Response.json({ ok: false, error })
    const ticket = crypto.randomUUID()
    this.#tickets.add(ticket)
    return Response.json({ ok: true, url: `wss://${this.host}/link/?ticket=${ticket}&app_id=A1` })
  }

  connect(socket: WebSocket, url: URL): void {
    // A ticket opens one connection.
    if (!this.#tickets.delete(url.searchParams.get('ticket') ?? '')) socket.terminate()
    this.sockets.push(socket)
    socket.on('message', (data) => this.#acknowledge(JSON.parse(String(data))))
    this.#send({ type: 'hello', num_connections: 1, connection_info: { app_id: 'A1' } })
    for (const envelope of this.#open) this.#send(envelope)
  }

  #acknowledge({ envelope_id }: { envelope_id: string }) {
    this.acknowledged.push(envelope_id)
    this.#open = this.#open.filter((envelope) => envelope.envelope_id !== envelope_id)
  }

  #send(envelope: object): void {
    this.sockets.at(-1)?.send(JSON.stringify(envelope))
  }

  deliver(envelope_id: string, type: 'events_api' | 'interactive' | 'slash_commands', payload: object): void {
    const envelope = { envelope_id, type, payload, accepts_response_payload: type !== 'events_api' }
    this.#open.push(envelope)
    this.#send(envelope)
  }

  disconnect(reason: string): void {
    this.#send({ type: 'disconnect', reason, debug_info: { host: 'wss-1' } })
  }
}

const said = (content: string, ts: string) => ({
  ...{ type: 'event_callback', team_id: 'T1', authorizations: [{ user_id: 'UBOT' }] },
  event: { type: 'message', channel: 'D1', channel_type: 'im', user: 'U42', text: content, ts },
})

const open: PlatformServer[] = []

afterEach(async () => {
  for (const server of open.splice(0)) {
    await stopWork(server.host)
    await server[Symbol.asyncDispose]()
  }
})

async function start({
  slack = new Slack(),
  credentials = { bot_token, app_token } as Record<string, string>,
  scopes = 'chat:write,im:history,app_mentions:read',
} = {}) {
  const models = scriptedModels(...['One.', 'Two.', 'Three.'].map((answer) => text(answer)))
  const server = await startPlatform(
    ({ url, headers }) => {
      if (url.pathname === '/api/apps.connections.open') return slack.ticket(headers.get('authorization'))
      const answer = { ok: true, ts: '9.1', user: 'hearth', team: 'Kitchen' }
      return Response.json(answer, { headers: { 'x-oauth-scopes': scopes } })
    },
    { models },
    (socket, url) => slack.connect(socket, url),
  )
  open.push(server)
  const { host } = server
  await configure(host, ['anthropic'])
  const settings = ChannelSettings.parse({ dm_policy: 'open' })
  const body = { platform: 'slack', name: 'Slack', settings, credentials }
  const params = { id: (await (await call(channels.create, host, { body })).json()).id as string }
  const show = async () => (await call(channels.show, host, { params })).json()
  return {
    ...{ host, server, slack, models, params, show },
    tested: async () => (await call(channels.test, host, { params })).json(),
    status: (status: string) => until(host, async () => (await show()).status === status),
    sent: () =>
      server.requests
        .filter(({ url }) => url.pathname === '/api/chat.postMessage')
        .map(({ json }) => json.text as string),
    stored: async () =>
      (await host.sql.read<{ message_id: string }>('SELECT message_id FROM channel_inbound ORDER BY id')).map(
        ({ message_id }) => message_id,
      ),
  }
}

test('with an app-level token, messages and buttons arrive without a public address', async () => {
  const { host, slack, status, sent, stored, show, tested } = await start()
  await status('connected')
  expect(await show()).toMatchObject({ arrival: 'connection', missing: [], webhook_url: null })
  slack.deliver('e1', 'events_api', said('Tea?', '1767614400.000100'))
  await until(host, () => sent().length === 1)
  expect(sent()).toEqual(['One.'])
  slack.deliver('e2', 'interactive', {
    ...{ type: 'block_actions', team: { id: 'T1' }, user: { id: 'U42', name: 'ada' }, channel: { id: 'D1' } },
    actions: [{ action_id: 'button_0', value: 'ok:1', action_ts: '1767614401.5' }],
  })
  // What the bot does not use is acknowledged too, or Slack repeats it.
  slack.deliver('e3', 'slash_commands', { command: '/tea' })
  slack.deliver('e4', 'events_api', { type: 'event_callback', event: { type: 'team_join' } })
  await until(host, () => slack.acknowledged.length === 4)
  expect(slack.acknowledged).toEqual(['e1', 'e2', 'e3', 'e4'])
  expect(await stored()).toEqual(['D1:1767614400.000100', 'button:D1:U42:1767614401.5'])
  expect(await tested()).toMatchObject({ ok: true, detail: 'Connected as @hearth in Kitchen' })
  for (const token of [bot_token, app_token]) expect(JSON.stringify(host.log.lines)).not.toContain(token)
})

test('what was not acknowledged before a cut is repeated, and answered once and in order', async () => {
  const { host, slack, status, sent, models } = await start()
  await status('connected')
  slack.deliver('e1', 'events_api', said('First?', '1767614400.000100'))
  await until(host, () => sent().length === 1)
  slack.sockets[0]?.terminate()
  await until(host, () => host.process.running.count() === 0)
  slack.deliver('e2', 'events_api', said('First?', '1767614400.000100'))
  slack.deliver('e3', 'events_api', said('Second?', '1767614402.000100'))
  await host.clock.advance(2_000)
  await until(host, () => slack.acknowledged.length === 3)
  await until(host, () => sent().length === 2)
  expect(models.calls).toHaveLength(2)
})

test('a connection that Slack renews is opened again at once', async () => {
  const { host, slack, status, show } = await start()
  await status('connected')
  await host.clock.advance(3_600_000)
  slack.disconnect('refresh_requested')
  await until(host, () => slack.sockets.length === 2)
  slack.deliver('e1', 'events_api', said('Still there?', '1767614400.000100'))
  await until(host, () => slack.acknowledged.length === 1)
  expect(await show()).toMatchObject({ status: 'connected', last_error: null })
})

describe('what a person must change is named', () => {
  test('Socket Mode that was turned off', async () => {
    const { slack, status, tested } = await start()
    await status('connected')
    slack.disconnect('link_disabled')
    await status('error')
    expect(await tested()).toMatchObject({
      ok: false,
      sending: { ok: true },
      receiving: { ok: false, detail: expect.stringContaining('Turn it on at Slack') },
    })
  })

  test('an app-level token that is wrong', async () => {
    const slack = new Slack()
    slack.refusal = 'invalid_auth'
    const { status, show } = await start({ slack })
    await status('error')
    expect((await show()).last_error).toBe('Slack refused the request: invalid_auth (the app-level token is wrong)')
  })

  test('no app-level token', async () => {
    const { status, show, server } = await start({ credentials: { bot_token } })
    await status('error')
    expect((await show()).last_error).toBe('Enter the app-level token; see the setup steps')
    expect(server.requests).toEqual([])
  })

  test('scopes that the app lacks', async () => {
    const { status, tested } = await start({ scopes: 'im:history' })
    await status('connected')
    const fix = 'add them under OAuth & Permissions and install the app again'
    expect(await tested()).toMatchObject({
      ok: false,
      sending: { ok: false, detail: `The app lacks the scopes chat:write; ${fix}` },
      receiving: { ok: false, detail: `The app lacks the scopes app_mentions:read; ${fix}` },
    })
  })
})

test('a ticket is not sent to a host that is not of Slack', async () => {
  const slack = new Slack()
  slack.host = 'slack.com.evil.test'
  const { status, show } = await start({ slack })
  await status('error')
  expect((await show()).last_error).toBe('Slack named an address that is not its own')
  expect(slack.sockets).toEqual([])
})

test('with a signing secret instead, Slack sends to the address', async () => {
  const { host, show, server, tested } = await start({
    credentials: { bot_token, signing_secret: '8f742231b10e8888abcd99yyyzzz85a5' },
  })
  await call(channels.updateSettings, host, { body: { public_base_url: 'https://hearth.example' } })
  await until(host, () => host.process.running.count() === 0)
  expect(await show()).toMatchObject({ arrival: 'webhook', status: 'disconnected' })
  expect(server.requests).toEqual([])
  expect(await tested()).toMatchObject({
    ok: false,
    sending: { ok: true },
    receiving: { detail: expect.stringContaining('No message has been received yet') },
  })
})

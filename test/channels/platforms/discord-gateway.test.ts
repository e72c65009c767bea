import { afterEach, expect, test } from 'vitest'
import type { WebSocket } from 'ws'
import * as channels from '../../../handlers/channels/channels.ts'
import { ChannelSettings } from '../../../runtime/channels/schema.ts'
import { tick } from '../../../runtime/tick.ts'
import { Stopping } from '../../../runtime/work/run.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { testHost } from '../../support/host.ts'
import { scriptedModels, text } from '../../support/models.ts'
import { type Got, startPlatform, stopWork, until } from './kit.ts'

const application_id = '123456789012345678'
const bot_token = `MTIz.${'x'.repeat(60)}`
const bot = { id: '900', username: 'hearth', bot: true }
const ada = { id: '42', username: 'ada', global_name: 'Ada' }
const interval = 40_000

interface Frame {
  op: number
  d: never
}

/** One connection to the scripted gateway. */
class Wire {
  readonly frames: Frame[] = []
  readonly socket: WebSocket
  readonly url: URL
  code = 0

  constructor(socket: WebSocket, url: URL) {
    this.socket = socket
    this.url = url
    socket.on('message', (data) => this.frames.push(JSON.parse(String(data))))
    socket.on('close', (code) => {
      this.code = code
    })
    this.send({ op: 10, d: { heartbeat_interval: interval } })
  }

  send(payload: object): void {
    this.socket.send(JSON.stringify(payload))
  }

  dispatch(t: string, s: number, d: object): void {
    this.send({ op: 0, t, s, d })
  }

  ready(s = 1): void {
    const resume_gateway_url = 'wss://gateway-eu.discord.gg'
    this.dispatch('READY', s, { session_id: 'session-1', resume_gateway_url, user: bot })
  }
}

let message_id = 1_000_000_000_000_000_000n

const nextId = () => {
  message_id += 1n << 22n
  return String(message_id)
}

const said = (content: string, more: object = {}) => ({
  ...{ id: nextId(), type: 0, channel_id: '555', author: ada, content },
  ...{ edited_timestamp: null, mentions: [], attachments: [], ...more },
})

const open: AsyncDisposable[] = []

afterEach(async () => {
  for (const one of open.splice(0)) await one[Symbol.asyncDispose]()
})

async function start({
  api = () => undefined,
  answers = ['Green tea.', 'Black tea.', 'White tea.'],
}: {
  api?: (path: string, got: Got) => Response | Promise<Response> | undefined
  answers?: string[]
} = {}) {
  const wires: Wire[] = []
  const server = await startPlatform(
    (got) => {
      const path = got.url.pathname.replace('/api/v10', '')
      const own = api(path, got)
      if (own) return own
      if (path === '/applications/@me')
        return Response.json({ id: application_id, name: 'Hearth', verify_key: 'ab', flags: 0 })
      if (path === '/gateway/bot')
        return Response.json({
          ...{ url: 'wss://gateway.discord.gg', shards: 1 },
          session_start_limit: { total: 1000, remaining: 999, reset_after: 0, max_concurrency: 1 },
        })
      if (path === '/channels/777') return Response.json({ id: '777', type: 11, name: 'Tea', parent_id: '555' })
      return Response.json({ id: '1' })
    },
    { models: scriptedModels(...answers.map((answer) => text(answer))) },
    (socket, url) => wires.push(new Wire(socket, url)),
  )
  const { host } = server
  open.push({
    async [Symbol.asyncDispose]() {
      await stopWork(host)
      await server[Symbol.asyncDispose]()
    },
  })
  await configure(host, ['anthropic'])
  const settings = ChannelSettings.parse({ dm_policy: 'open', allow_from: ['555'] })
  const body = { platform: 'discord', name: 'Discord', settings, credentials: { application_id, bot_token } }
  const created = await call(channels.create, host, { body })
  const params = { id: (await created.json()).id as string }
  const connected = await call(channels.connect, host, { params })
  expect(await connected.json()).toMatchObject({ status: 'connecting', missing: [], last_error: null })
  return {
    ...{ host, server, wires, params },
    show: async () => (await call(channels.show, host, { params })).json(),
    log: async () => {
      const { entries } = await (await call(channels.log, host, { params })).json()
      return (entries as { detail: string }[]).map(({ detail }) => detail)
    },
    posted: () =>
      server.requests
        .filter(({ method, url }) => method === 'POST' && /\/channels\/\d+\/messages$/.test(url.pathname))
        .map(({ url, json }) => [url.pathname.replace(/.*channels/, ''), json.content, json.message_reference]),
  }
}

async function startConnected(options: Parameters<typeof start>[0] = {}) {
  return connected(await start(options))
}

async function connected(kit: Awaited<ReturnType<typeof start>>) {
  const wire = await until(kit.host, () => kit.wires[0])
  await until(kit.host, () => wire.frames.find(({ op }) => op === 2))
  wire.ready()
  await until(kit.host, async () => (await kit.show()).status === 'connected')
  return { ...kit, wire }
}

test('signs in, answers messages to the bot, and acknowledges commands', async () => {
  const { host, server, wire, posted } = await startConnected()
  expect(wire.url.href).toBe('wss://gateway.discord.gg/?v=10&encoding=json')
  expect(wire.frames).toMatchObject([{ op: 2, d: { token: bot_token, intents: (1 << 9) | (1 << 12) } }])

  wire.dispatch('MESSAGE_CREATE', 2, said('Tea?'))
  await until(host, () => posted().length === 1)
  wire.dispatch('MESSAGE_CREATE', 3, said('not for the bot', { guild_id: '7', channel_id: '777' }))
  wire.dispatch('MESSAGE_CREATE', 4, said('I am a bot', { author: bot }))
  wire.dispatch('MESSAGE_CREATE', 5, { id: 'broken' })
  const asked = said(`<@${bot.id}> and for <@42>?`, {
    guild_id: '7',
    channel_id: '777',
    mentions: [bot, ada],
  })
  await host.clock.advance(1_000)
  wire.dispatch('MESSAGE_CREATE', 6, asked)
  await until(host, () => posted().length === 2)
  expect(posted()).toEqual([
    ['/555/messages', 'Green tea.', undefined],
    ['/777/messages', 'Black tea.', { message_id: asked.id, fail_if_not_exists: false }],
  ])
  const stored = await host.sql.read<{ message: string }>('SELECT message FROM channel_inbound ORDER BY id')
  expect(stored.map(({ message }) => JSON.parse(message)).filter(({ is_mention }) => is_mention)).toMatchObject([
    { text: 'Tea?', peer: { kind: 'dm', id: '555' }, sender: { id: '42', name: 'Ada' } },
    {
      text: 'and for @Ada?',
      peer: { kind: 'group', id: '555', thread_id: '777', team_id: '7', name: 'Tea' },
    },
  ])

  const data = { name: 'ask', options: [{ name: 'message', value: 'And now?' }] }
  const token = 'aW50'
  wire.dispatch('INTERACTION_CREATE', 7, {
    id: nextId(),
    type: 2,
    token,
    channel_id: '555',
    user: ada,
    data,
  })
  const acknowledged = await until(host, () => server.requests.find(({ url }) => url.pathname.endsWith('/callback')))
  expect(acknowledged.json).toEqual({ type: 5 })
  expect(JSON.stringify(host.log.lines)).not.toContain(bot_token)
})

test('an edit that Discord repeats is answered once, and an old one is not answered', async () => {
  const { host, wire } = await startConnected()
  const edited = said('See https://tea.example', { edited_timestamp: '2026-01-05T11:59:00.766195+00:00' })
  const old = said('Pinned', { edited_timestamp: '2025-12-29T11:59:00.766195+00:00' })
  wire.dispatch('MESSAGE_UPDATE', 2, edited)
  wire.dispatch('MESSAGE_UPDATE', 3, { ...edited, edited_timestamp: '2026-01-05T11:59:00.766000+00:00' })
  wire.dispatch('MESSAGE_UPDATE', 4, old)
  const last = said('Tea?')
  wire.dispatch('MESSAGE_CREATE', 5, last)
  const stored = async () => {
    const rows = await host.sql.read<{ message_id: string }>('SELECT message_id FROM channel_inbound')
    return rows.map(({ message_id }) => message_id).sort()
  }
  await until(host, async () => (await stored()).includes(last.id))
  expect(await stored()).toEqual([`${edited.id}:2026-01-05T11:59:00.766Z`, last.id])
})

test('a message whose channel cannot be looked up now is received later', async () => {
  const statuses = [503]
  const { host, wire, wires, posted } = await startConnected({
    api(path) {
      const status = path === '/channels/777' ? statuses.shift() : undefined
      return status === undefined ? undefined : Response.json({ message: 'busy' }, { status })
    },
  })
  const asked = said('Tea?', { guild_id: '7', channel_id: '777', mentions: [bot] })
  wire.dispatch('MESSAGE_CREATE', 2, asked)
  await expect.poll(() => wire.socket.readyState).toBe(3)
  expect(await host.sql.read('SELECT id FROM channel_inbound')).toEqual([])
  await expect.poll(() => host.process.running.count()).toBe(0)
  await host.clock.advance(2_000)
  const resumed = await until(host, () => wires[1])
  await until(host, () => resumed.frames.length > 0)
  expect(resumed.frames).toMatchObject([{ op: 6, d: { seq: 1 } }])
  resumed.dispatch('MESSAGE_CREATE', 2, asked)
  await until(host, () => posted().length === 1)
  expect(posted()).toMatchObject([['/777/messages', 'Green tea.', {}]])
})

test('a command is acknowledged before it is stored, so that no answer overtakes the acknowledgement', async () => {
  const stored: unknown[] = []
  const kit: Awaited<ReturnType<typeof startConnected>> = await startConnected({
    api(path) {
      if (!path.endsWith('/callback')) return undefined
      return kit.host.sql.read('SELECT id FROM channel_inbound').then((rows) => {
        stored.push(rows)
        return new Response(null, { status: 204 })
      })
    },
  })
  const data = { name: 'ask', options: [{ name: 'message', value: 'Tea?' }] }
  const asked = { id: nextId(), type: 2, token: 'aW50', channel_id: '555', user: ada, data }
  kit.wire.dispatch('INTERACTION_CREATE', 2, asked)
  await until(kit.host, () => stored.length)
  expect(stored).toEqual([[]])
})

test('resumes after a cut, and neither loses nor repeats a message', async () => {
  const { host, wire, wires, posted } = await startConnected()
  const first = said('One?')
  const second = said('Two?')
  wire.dispatch('MESSAGE_CREATE', 2, first)
  await until(host, () => posted().length === 1)
  wire.socket.terminate()
  await expect.poll(() => host.process.running.count()).toBe(0)
  await host.clock.advance(2_000)
  const resumed = await until(host, () => wires[1])
  expect(resumed.url.host).toBe('gateway-eu.discord.gg')
  await until(host, () => resumed.frames.length > 0)
  expect(resumed.frames).toEqual([{ op: 6, d: { token: bot_token, session_id: 'session-1', seq: 2 } }])
  resumed.dispatch('MESSAGE_CREATE', 2, first)
  resumed.dispatch('MESSAGE_CREATE', 3, second)
  resumed.dispatch('RESUMED', 4, {})
  await until(host, () => posted().length === 2)

  // The same after the daemon was stopped.
  host.process.running.abortAll(new Stopping('stop'))
  await host.process.running.settled()
  expect(resumed.socket.readyState).not.toBe(1)
  const again = await until(host, () => wires[2])
  await until(host, () => again.frames.length > 0)
  expect(again.frames[0]).toMatchObject({ op: 6, d: { seq: 4 } })
  expect(posted().map(([, content]) => content)).toEqual(['Green tea.', 'Black tea.'])
})

test('a heartbeat that is not acknowledged ends the connection; one that is requested is sent at once', async () => {
  const { host, wire, wires, log } = await startConnected()
  wire.send({ op: 1, d: null })
  await until(host, () => wire.frames.find(({ op, d }) => op === 1 && d === 1))
  const beats = () => wire.frames.filter(({ op }) => op === 1).length
  await host.clock.advance(interval)
  await until(host, () => beats() === 2)
  wire.send({ op: 11 })
  wire.dispatch('TYPING_START', 2, {})
  wire.send({ op: 1, d: null })
  await until(host, () => wire.frames.find(({ op, d }) => op === 1 && d === 2))
  await host.clock.advance(interval)
  await until(host, () => beats() === 4)
  await host.clock.advance(interval)
  await expect.poll(() => wire.code).toBe(1006)
  await until(host, async () => (await log())[0] === 'Discord did not acknowledge a heartbeat')
  await host.clock.advance(2_000)
  const resumed = await until(host, () => wires[1])
  await until(host, () => resumed.frames.length > 0)
  expect(resumed.frames[0]).toMatchObject({ op: 6, d: { seq: 2 } })
})

test.each([
  [4004, 'Discord refused the bot token. Enter a new one from Bot → Reset Token'],
  [4014, 'Turn it on under Bot → Privileged Gateway Intents'],
])('after close code %i, it does not reconnect and says what to do', async (code, reason) => {
  const { host, wire, wires, show, params } = await startConnected()
  wire.socket.close(code)
  const channel = await until(host, async () => {
    const shown = await show()
    return shown.status === 'error' && shown
  })
  expect(channel.last_error).toContain(reason)
  const tested = await (await call(channels.test, host, { params })).json()
  expect(tested).toMatchObject({
    ok: false,
    detail: expect.stringContaining(`Not connected: ${channel.last_error}`),
  })
  await host.clock.advance(24 * 3_600_000)
  await tick(host)
  expect(wires).toHaveLength(1)
  await call(channels.connect, host, { params })
  await until(host, () => wires[1])
})

test('a session that Discord has ended is started again, unless none is allowed now', async () => {
  let remaining = 999
  const { host, wire, wires, show } = await startConnected({
    api: (path) =>
      path === '/gateway/bot'
        ? Response.json({
            url: 'wss://gateway.discord.gg',
            session_start_limit: { remaining, reset_after: 600_000 },
          })
        : path === '/applications/@me'
          ? Response.json({ id: application_id, name: 'Hearth', verify_key: 'ab', flags: 1 << 19 })
          : undefined,
  })
  expect(wire.frames[0]).toMatchObject({ d: { intents: (1 << 9) | (1 << 12) | (1 << 15) } })
  remaining = 0
  wire.send({ op: 9, d: false })
  await expect.poll(() => host.process.running.count()).toBe(0)
  await host.clock.advance(6_000)
  await until(host, async () => (await show()).status === 'error')
  expect((await show()).last_error).toBe('Discord allows no more connections of this bot for now')
  remaining = 5
  await host.clock.advance(590_000)
  await tick(host)
  expect(wires).toHaveLength(1)
  await host.clock.advance(20_000)
  const next = await until(host, () => wires[1])
  await until(host, () => next.frames.length > 0)
  expect(next.frames[0]?.op).toBe(2)
})

test('a channel that may not connect for hours says so at once', async () => {
  const { host, show } = await start({
    api: (path) =>
      path === '/gateway/bot'
        ? Response.json({
            url: 'wss://gateway.discord.gg',
            session_start_limit: { remaining: 0, reset_after: 3_600_000 },
          })
        : undefined,
  })
  await until(host, async () => (await show()).status === 'error')
  expect((await show()).last_error).toBe('Discord allows no more connections of this bot for now')
})

test('the error of a message that could not be sent is cleared by the next one', async () => {
  const statuses = [403]
  const { host, wire, show, posted } = await startConnected({
    api(path) {
      const status = path === '/channels/555/messages' ? statuses.shift() : undefined
      return status === undefined ? undefined : Response.json({ message: 'no' }, { status })
    },
  })
  wire.dispatch('MESSAGE_CREATE', 2, said('Tea?'))
  await until(host, async () => (await show()).last_error)
  await host.clock.advance(1_000)
  wire.dispatch('MESSAGE_CREATE', 3, said('Tea?'))
  await until(host, async () => posted().length === 2 && (await show()).last_error === null)
  expect((await show()).status).toBe('connected')
})

test('a channel without credentials waits for them, and then connects at once', async () => {
  const { host, wires, params, show } = await startConnected()
  await call(channels.update, host, { params, body: { credentials: { bot_token: null } } })
  await until(host, async () => (await show()).last_error?.includes('missing credentials: bot_token'))
  await host.clock.advance(600_000)
  await tick(host)
  expect(wires).toHaveLength(1)
  await call(channels.update, host, { params, body: { credentials: { bot_token } } })
  const next = await until(host, () => wires[1])
  await until(host, () => next.frames.length > 0)
  expect(next.frames[0]?.op).toBe(2)
})

test('only one daemon is connected, and none once the channel is disconnected', async () => {
  const kit = await start()
  const { sql, clock, outbound, secrets } = kit.host
  const other = await testHost({ sql, clock, outbound, secrets })
  const { host, wire, wires, params } = await connected(kit)
  await tick(other)
  await host.clock.advance(interval / 2)
  await tick(other)
  expect(wires).toHaveLength(1)
  expect(other.process.running.count()).toBe(0)
  await call(channels.disconnect, host, { params })
  await expect.poll(() => wire.socket.readyState).toBe(3)
  await host.clock.advance(600_000)
  await tick(host)
  expect(wires).toHaveLength(1)
})

test('a daemon whose work another one has taken over ends its connection', async () => {
  const { host, wire } = await startConnected()
  await host.sql.write([{ sql: `UPDATE work SET lease_owner = 'another' WHERE kind = 'channels.listen'` }])
  wire.dispatch('MESSAGE_CREATE', 2, said('Tea?'))
  await expect.poll(() => wire.socket.readyState).toBe(3)
  expect(await host.sql.read('SELECT id FROM channel_inbound')).toEqual([])
})

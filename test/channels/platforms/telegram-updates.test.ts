import { afterEach, expect, test } from 'vitest'
import type { MemoryHost } from '../../../adapters/memory/host.ts'
import * as channels from '../../../handlers/channels/channels.ts'
import { sections } from '../../../handlers/settings/sections.ts'
import { ChannelSettings } from '../../../runtime/channels/schema.ts'
import { configure } from '../../providers/kit.ts'
import { call } from '../../support/call.ts'
import { scriptedModels, text } from '../../support/models.ts'
import { type Got, type PlatformServer, startPlatform, stopWork, until } from './kit.ts'

const bot_token = '123456:ABC-DEF1234ghIkl-zyx57W2v1u123ew11'
const ada = { id: 42, is_bot: false, first_name: 'Ada' }

/** Telegram's rules for updates: one program at a time, none while there is a webhook, and each until it is confirmed. */
class Telegram {
  updates: { update_id: number }[] = []
  webhook = ''
  /** Requests for updates that are held open. */
  #held: ((response: Response) => void)[] = []
  #last = 0

  answer({ url, json }: Got): Response | Promise<Response> {
    const method = url.pathname.split('/').at(-1)
    const ok = (result: unknown) => Response.json({ ok: true, result })
    if (method === 'getUpdates') return this.#next(json)
    if (method === 'setWebhook') {
      this.webhook = json.url
      this.end('terminated by setWebhook request')
    }
    if (method === 'deleteWebhook') this.webhook = ''
    if (method === 'getMe') return ok({ id: 123456, is_bot: true, first_name: 'Hearth', username: 'HearthBot' })
    if (method === 'getWebhookInfo') return ok({ url: this.webhook, pending_update_count: 0 })
    if (method === 'sendMessage') return ok({ message_id: 900, chat: { id: 42, type: 'private' }, date: 1 })
    return ok(true)
  }

  #next({ offset = 0, timeout, limit }: { offset?: number; timeout: number; limit: number }) {
    this.end('terminated by other getUpdates request')
    if (this.webhook) return conflict("can't use getUpdates method while webhook is active")
    this.updates = this.updates.filter(({ update_id }) => update_id >= offset)
    const page = () => Response.json({ ok: true, result: this.updates.slice(0, limit) })
    if (this.updates.length > 0 || timeout === 0) return page()
    return new Promise<Response>((resolve) => this.#held.push(resolve))
  }

  /** Whether a request is held open. */
  get waits(): boolean {
    return this.#held.length > 0
  }

  /** Somebody writes, or presses a button. */
  write(...contents: object[]): void {
    for (const content of contents) {
      this.#last += 1
      this.updates.push({ update_id: this.#last, ...content })
    }
    for (const end of this.#held.splice(0)) end(Response.json({ ok: true, result: this.updates.slice(0, 20) }))
  }

  /** Ends the requests that are held open. */
  end(reason: string): void {
    for (const end of this.#held.splice(0)) end(conflict(reason))
  }
}

const conflict = (reason: string) =>
  Response.json({ ok: false, error_code: 409, description: `Conflict: ${reason}` }, { status: 409 })

let message_id = 0
const said = (content: string, more: object = {}) => {
  message_id += 1
  const chat = { id: 42, type: 'private', first_name: 'Ada' }
  return { message: { message_id, from: ada, chat, date: 1_767_614_400, text: content, ...more } }
}

const open: { server: PlatformServer; telegram: Telegram }[] = []

afterEach(async () => {
  for (const { server, telegram } of open.splice(0)) {
    await stopWork(server.host)
    telegram.write()
    await server[Symbol.asyncDispose]()
  }
})

async function start({ answers = ['One.', 'Two.', 'Three.'], telegram = new Telegram() } = {}) {
  const models = scriptedModels(...answers.map((answer) => text(answer)))
  const server = await startPlatform((got) => telegram.answer(got), { models })
  open.push({ server, telegram })
  const { host } = server
  await configure(host, ['anthropic'])
  const settings = ChannelSettings.parse({ dm_policy: 'open' })
  const body = { platform: 'telegram', name: 'Telegram', settings, credentials: { bot_token } }
  const params = { id: (await (await call(channels.create, host, { body })).json()).id as string }
  const requests = (method: string) =>
    server.requests.filter(({ url }) => url.pathname.endsWith(`/${method}`)).map(({ json }) => json)
  return {
    ...{ host, telegram, params, models, requests },
    show: async () => (await call(channels.show, host, { params })).json(),
    tested: async () => (await call(channels.test, host, { params })).json(),
    sent: () => requests('sendMessage').map((json) => json.text as string),
  }
}

const connected = async ({ host, show }: Awaited<ReturnType<typeof start>>) =>
  until(host, async () => (await show()).status === 'connected')

const addressOf = (host: MemoryHost, public_base_url: string) =>
  call(channels.updateSettings, host, { body: { public_base_url } })

test('without a public address, messages are requested, answered in order, and confirmed', async () => {
  const kit = await start()
  const { host, telegram, requests, sent, show } = kit
  // Written before the channel was connected.
  telegram.write(said('First?'))
  await connected(kit)
  expect(await show()).toMatchObject({ arrival: 'connection', missing: [], last_error: null })
  await until(host, () => sent().length === 1)
  await until(host, () => telegram.waits)
  telegram.write(said('Second?'))
  await until(host, () => telegram.waits)
  await host.clock.advance(1_000)
  await until(host, () => sent().length === 2)
  expect(sent()).toEqual(['One.', 'Two.'])
  expect(requests('getUpdates')).toEqual([
    { limit: 20, timeout: 0, allowed_updates: ['message', 'edited_message', 'callback_query'] },
    { offset: 2, limit: 20, timeout: 20, allowed_updates: expect.anything() },
    { offset: 3, limit: 20, timeout: 20, allowed_updates: expect.anything() },
  ])
  expect(telegram.updates).toEqual([])
  expect(requests('setWebhook')).toEqual([])
  expect(JSON.stringify(host.log.lines)).not.toContain(bot_token)
})

test('an update that was stored but not confirmed is answered once', async () => {
  const kit = await start()
  const { host, telegram, sent, models } = kit
  await connected(kit)
  await until(host, () => telegram.waits)
  const update = said('Once?')
  telegram.write(update)
  await until(host, () => sent().length === 1)
  await stopWork(host)
  telegram.end('closed')
  // As after a power cut before the confirmation.
  telegram.updates.unshift({ update_id: 1, ...update })
  await host.sql.write([{ sql: 'UPDATE channels SET cursor = NULL', args: [] }])
  await until(host, () => telegram.waits)
  telegram.write(said('Twice?'))
  await host.clock.advance(1_000)
  await until(host, () => sent().length === 2)
  expect(models.calls).toHaveLength(2)
})

test('a pressed button is acknowledged after it was stored', async () => {
  const kit = await start()
  const { host, telegram, requests } = kit
  await connected(kit)
  await until(host, () => telegram.waits)
  telegram.write({ callback_query: { id: 'q1', from: ada, ...said('Choose:'), data: 'ok:1' } })
  await until(host, () => requests('answerCallbackQuery').length)
  expect(requests('answerCallbackQuery')).toEqual([{ callback_query_id: 'q1' }])
  expect(await host.sql.read('SELECT message_id FROM channel_inbound')).toEqual([{ message_id: 'button:q1' }])
})

test('what is not for the bot is confirmed and not stored', async () => {
  const kit = await start()
  const { host, telegram, requests } = kit
  await connected(kit)
  await until(host, () => telegram.waits)
  const group = { chat: { id: -7, type: 'group', title: 'Kitchen' } }
  telegram.write(said('Tea is ready', group), { poll: {} }, { message: { broken: true } })
  await until(host, () => telegram.waits)
  expect(await host.sql.read('SELECT id FROM channel_inbound')).toEqual([])
  expect(requests('getUpdates').at(-1)).toMatchObject({ offset: 4 })
})

test('a public address makes Telegram deliver to it, and its removal ends that', async () => {
  const kit = await start()
  const { host, telegram, show, tested } = kit
  await connected(kit)
  await until(host, () => telegram.waits)
  await addressOf(host, 'https://hearth.example')
  await until(host, () => telegram.webhook)
  const { webhook_url } = await show()
  expect(telegram.webhook).toBe(webhook_url)
  await until(host, async () => (await show()).status === 'connected')
  expect(await show()).toMatchObject({ arrival: 'webhook' })
  expect(await tested()).toMatchObject({
    ok: true,
    receiving: { detail: `Telegram delivers to ${webhook_url}` },
  })

  await call(sections.channels.update, host, { body: { public_base_url: '' } })
  await until(host, () => telegram.waits)
  expect(telegram.webhook).toBe('')
  expect(await tested()).toMatchObject({ ok: true, sending: { detail: 'Connected as @HearthBot' } })
})

test('messages that another address receives stay there until a person connects the channel', async () => {
  const telegram = new Telegram()
  telegram.webhook = 'https://other.example/bot'
  const kit = await start({ telegram })
  const { host, show, tested, params } = kit
  await until(host, async () => (await show()).status === 'error')
  expect((await show()).last_error).toContain('delivers the messages of this bot to other.example')
  expect(await tested()).toMatchObject({
    ok: false,
    sending: { ok: true, detail: 'Connected as @HearthBot' },
    receiving: { ok: false, detail: 'Telegram delivers to a different address; connect the channel again' },
  })
  expect(telegram.webhook).toBe('https://other.example/bot')

  await call(channels.connect, host, { params })
  expect(telegram.webhook).toBe('')
  await connected(kit)
})

test('another program with the same bot is named, and messages are requested again later', async () => {
  const kit = await start()
  const { host, telegram, show, tested } = kit
  await connected(kit)
  await until(host, () => telegram.waits)
  telegram.end('terminated by other getUpdates request')
  await until(host, async () => (await show()).status === 'error')
  const why = 'Another program receives the messages of this bot'
  expect((await show()).last_error).toContain(why)
  expect(await tested()).toMatchObject({ ok: false, receiving: { detail: expect.stringContaining(why) } })
  await host.clock.advance(60_000)
  await connected(kit)
})

test('a test says that a disconnected channel receives nothing', async () => {
  const kit = await start()
  await connected(kit)
  await call(channels.disconnect, kit.host, { params: kit.params })
  expect(await kit.tested()).toMatchObject({
    ok: false,
    detail: 'Connected as @HearthBot. The channel is disconnected; choose Connect',
  })
})

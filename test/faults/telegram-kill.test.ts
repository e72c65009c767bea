import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Channel, Pairing } from '../../runtime/channels/schema.ts'
import { type Shown, TelegramServer } from '../fixtures/telegram.ts'
import { slow, startWire, text, toolCall, type Wire } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** More with the variables KILLS and MESSAGES, others with SEED. */
const kills = Number(process.env.KILLS ?? 5)
const messages = Number(process.env.MESSAGES ?? 25)
const seed = Number(process.env.SEED ?? 20261124)
const bot_token = '900:ABC-DEF1234ghIkl'
const owner = 42

let service: Service
let wire: Wire
let telegram: TelegramServer
let channel: Channel
/** Whether answers come in pieces. */
let isSlow = false

beforeAll(async () => {
  wire = await startWire({
    otherwise: ({ body }) => {
      const said = JSON.stringify((body as { messages: unknown }).messages)
      const question = said.match(/question-[\d-]+/g)?.at(-1)
      return isSlow ? slow(['Answer ', 'to ', `${question}`]) : text(`Answer to ${question}`)
    },
    refuse: ({ path }) =>
      path.endsWith('/audio/transcriptions')
        ? { status: 200, body: { text: 'This is question-7', duration: 2 } }
        : null,
  })
  telegram = new TelegramServer(bot_token)
  service = await Service.start({ SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1' })
  await service.use(wire)
  channel = await service.read<Channel>('POST', '/api/channels', {
    platform: 'telegram',
    settings: { dm_policy: 'pairing', messages_per_hour: 10_000 },
    credentials: { bot_token, api_url: await telegram.listen() },
  })
  await service.read('POST', `/api/channels/${channel.id}/connect`)
  telegram.write(owner, { text: 'Hello' })
  await newest(/code/)
  const { pairings } = await service.read<{ pairings: Pairing[] }>('GET', '/api/channels/pairings')
  await service.read('POST', `/api/channels/pairings/${pairings[0]?.id}/approve`, { role: 'owner' })
  await newest(/owner/)
})

afterAll(async () => {
  await service.kill()
  await wire.close()
  await telegram[Symbol.asyncDispose]()
})

/** The newest message of the bot, once its text is like this. */
const newest = (pattern: RegExp): Promise<Shown> =>
  eventually(() => {
    const last = telegram.shown.at(-1)
    return last && pattern.test(last.text) && last
  })

test('the owner asks, approves, stops, quotes and speaks over Telegram', async () => {
  const write = { action: 'write', path: 'tea.txt', content: 'Assam\nDarjeeling' }
  wire.script(toolCall('files', write), text('It is written.'))
  const asked = telegram.write(owner, { text: 'Write down my teas' })
  const question = await newest(/Approval needed/)
  expect(question.text).toContain('Darjeeling')
  expect(telegram.reactions.get(asked)).toBe('👀')
  telegram.press(question, 'Approve')
  await newest(/^It is written\.$/)
  expect(question).toMatchObject({ text: expect.stringContaining('✅ Approved'), buttons: [] })
  await eventually(() => telegram.reactions.get(asked) === null)

  wire.script(slow(['It ', 'is ', 'never ', 'said']))
  const running = wire.requests.length
  telegram.write(owner, { text: 'Say much' })
  await wire.received(running + 1)
  telegram.write(owner, { text: 'This waits' })
  telegram.write(owner, { text: '/stop' })
  await newest(/^(Stopped|Nothing)/)
  expect(telegram.shown.at(-1)?.text).toMatch(/^Stopped/)
  expect(wire.requests).toHaveLength(running + 1)

  const other = { message_id: 1, from: { id: 7, is_bot: false, first_name: 'Eve' }, text: 'The sky is green' }
  telegram.write(owner, { text: 'Is that so? It is question-6', reply_to_message: other })
  await newest(/^Answer to question-6$/)
  expect(JSON.stringify(wire.requests.at(-1)?.body)).toMatch(/Eve.{1,20} writes: The sky is green/)

  telegram.files.set('v1', Buffer.alloc(2_000))
  telegram.write(owner, { voice: { file_id: 'v1', duration: 2, mime_type: 'audio/ogg', file_size: 2_000 } })
  await newest(/^Answer to question-7$/)
  expect(telegram.refusals).toEqual([])
})

/** The bot sends one message a second. */
const timeout = 60_000 + messages * 6_000

test(`${messages} messages over ${kills} kills are answered once each and in order`, {
  timeout,
}, async () => {
  const random = seeded(seed)
  const before = telegram.shown.length
  isSlow = true
  const streaming = setInterval(() => service.alive && wire.release(), 100)
  /** How many messages of the bot there were at each kill. */
  const cuts: number[] = []
  const asking = (async () => {
    for (let question = 0; question < messages; question += 1) {
      telegram.write(owner, { text: `question-${question}` })
      await sleep(random() * 600)
    }
  })()
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(2_000 + random() * 3_000)
    await service.kill()
    cuts.push(telegram.shown.length)
    await service.restart()
  }
  await asking
  const last = `Answer to question-${messages - 1}`
  await eventually(() => telegram.shown.at(-1)?.text === last)
  clearInterval(streaming)

  // Telegram cannot be asked what it has received: only what it got at the moment of a kill may be there twice.
  const shown = telegram.shown.slice(before).map(({ text }) => text)
  const answers = shown.filter(
    (_, index) => !isBeginning(shown[index], shown[index + 1]) || !cuts.includes(before + index + 1),
  )
  expect(answers).toEqual(Array.from({ length: messages }, (_, question) => `Answer to question-${question}`))
  expect(telegram.refusals).toEqual([])
})

/** Whether a message is what there was of another one. */
const isBeginning = (text: string | undefined, whole: string | undefined): boolean =>
  text !== undefined && whole?.startsWith(text) === true

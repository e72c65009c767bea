import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Channel } from '../../runtime/channels/schema.ts'
import { signStandard } from '../../runtime/secrets/signatures.ts'
import { slow, startWire, text, type Wire } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { seeded } from './random.ts'
import { Service } from './service.ts'

/** Kills of one run; more of them with the variable KILLS, others with SEED. */
const kills = Number(process.env.KILLS ?? 5)
/** Kills while 100 messages of 25 chats are answered. */
const orderKills = Number(process.env.KILLS ?? 6)
const seed = Number(process.env.SEED ?? 20261124)
const secret = 'a secret of the kill test'

let service: Service
let wire: Wire
let receiver: Server
let channel: Channel
/** Whether answers come in pieces, one every few milliseconds over all chats. */
let isSlow = false
/** Texts that the platform got, by the id of the message: it deduplicates by that id. */
const delivered = new Map<string, string>()

beforeAll(async () => {
  // Repeats what it was asked, so that each answer names its message.
  wire = await startWire({
    otherwise: ({ body }) => {
      const said = JSON.stringify((body as { messages: unknown }).messages)
      const question = said.match(/question-[\d-]+/g)?.at(-1)
      return isSlow ? slow(['Answer ', 'to ', `${question}`]) : text(`Answer to ${question}`)
    },
  })
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { text: string } }
      delivered.set(String(request.headers['webhook-id']), data.text)
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"id": "received"}')
    })
  })
  await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
  service = await Service.start({ SERVICE_OUTBOUND_ALLOWLIST: '127.0.0.1' })
  await service.use(wire)
  const { port } = receiver.address() as AddressInfo
  channel = await service.read<Channel>('POST', '/api/channels', {
    platform: 'webhook',
    settings: { dm_policy: 'open', messages_per_hour: 10_000 },
    credentials: { secret, url: `http://127.0.0.1:${port}/answers` },
  })
})

afterAll(async () => {
  await service.kill()
  await wire.close()
  receiver.close()
})

/** Sends a question until the daemon has acknowledged it, as platforms do. */
async function ask(question: string, sender = 'ada'): Promise<void> {
  const id = `msg_${question}`
  const body = JSON.stringify({ id, text: question, sender: { id: sender } })
  const acknowledged = async () => {
    const timestamp = Math.floor(Date.now() / 1_000)
    const headers = {
      'content-type': 'application/json',
      ...(await signStandard([secret], { id, timestamp, body })),
    }
    const response = await fetch(service.url + channel.webhook_path, { method: 'POST', headers, body }).catch(
      () => null,
    )
    return response?.ok
  }
  await eventually(acknowledged)
}

const answersTo = (question: string) => [...delivered.values()].filter((answer) => answer === `Answer to ${question}`)

test(`no message is lost and none is answered twice over ${kills} kills`, async () => {
  const random = seeded(seed)
  for (let kill = 0; kill < kills; kill += 1) {
    const [first, second] = [`question-${kill * 2}`, `question-${kill * 2 + 1}`]
    await ask(first)
    await ask(second)
    // Between the acknowledgement and the answer, or between the answer and its delivery.
    await sleep(random() * 400)
    await service.kill()
    await service.restart()
    // A redelivery of what was acknowledged does nothing.
    await ask(first)
    await eventually(() => answersTo(first).length > 0 && answersTo(second).length > 0)
  }
  for (let question = 0; question < kills * 2; question += 1) expect(answersTo(`question-${question}`)).toHaveLength(1)
})

test(`the messages of a chat are answered in their order over ${orderKills} kills, all of them`, async () => {
  const chats = Array.from({ length: 25 }, (_, chat) => `chat${chat}`)
  const questions = [0, 1, 2, 3]
  const random = seeded(seed)
  const before = delivered.size
  isSlow = true
  // While the daemon is down, no model waits for it.
  const streaming = setInterval(() => service.alive && wire.release(), 10)
  const asking = Promise.all(
    chats.map(async (name, chat) => {
      for (const question of questions) await ask(`question-${chat}-${question}`, name)
    }),
  )
  for (let kill = 0; kill < orderKills; kill += 1) {
    await sleep(random() * 1_200)
    await service.kill()
    await service.restart()
  }
  await asking
  await eventually(() => delivered.size >= before + 100)
  clearInterval(streaming)

  const answers = [...delivered.values()].slice(before)
  const orders = chats.map((_, chat) =>
    answers.flatMap((answer) => new RegExp(`^Answer to question-${chat}-(\\d)$`).exec(answer)?.[1] ?? []),
  )
  expect(orders).toEqual(chats.map(() => questions.map(String)))
  expect(answers).toHaveLength(100)
})

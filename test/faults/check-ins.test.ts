import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { slow, text, toolCalls } from '../fixtures/wire/index.ts'
import { eventually } from '../support/daemon-process.ts'
import { wiredService } from '../support/wired-service.ts'
import { conversationOf, newConversation, readEvents, sendMessage } from './chat-client.ts'
import { seeded } from './random.ts'

/** Asked to `wait <names>`, the model arms a check-in for each; it says anything else back. */
const { service, wire } = await wiredService({
  otherwise: ({ body, last_user_text }) => {
    const { messages } = body as { messages: { role: string }[] }
    const names = /^wait (.+)$/.exec(last_user_text)?.[1]?.split(' ')
    if (!names || messages.at(-1)?.role === 'tool') return text('So it stands.')
    return toolCalls(names.map((name, index) => ['arm_check_in', arming(name, index + 1)]))
  },
})

const arming = (waiting_on: string, delay_minutes: number) => ({
  delay_minutes,
  waiting_on,
  estimate_basis: 'a guess',
})

async function armIn(id: string, names: string[]): Promise<void> {
  await readEvents(await sendMessage(service, { message: `wait ${names.join(' ')}`, conversation_id: id }))
}

/** Lets the machine sleep while the daemon is dead: everything that was due later is due `hours` earlier. */
function sleepFor(hours: number): void {
  const store = new DatabaseSync(join(service.folder, 'hearthd.db'))
  const earlier = `strftime('%Y-%m-%dT%H:%M:%fZ', due_at, '-${hours} hours')`
  store.exec(`UPDATE check_ins SET due_at = ${earlier}`)
  store.exec(`UPDATE work SET due_at = ${earlier} WHERE kind = 'chat.check_in' AND status = 'queued'`)
  store.close()
}

/** What was delivered to a conversation, in order. A turn that a kill has cut arms one of its own, which is not among them. */
async function delivered(id: string, names: string[]): Promise<string[]> {
  const { messages } = await conversationOf(service, id)
  const notes = messages.filter(({ role }) => role === 'system').map(({ content }) => content)
  return notes.flatMap((note) => names.filter((name) => note.includes(`waiting on: ${name} `)))
}

const openIn = async (id: string): Promise<{ waiting_on: string }[]> =>
  (await service.read<{ check_ins: { waiting_on: string }[] }>('GET', `/api/chat/conversations/${id}/check-ins`))
    .check_ins

test('check-ins overdue after a kill and a long sleep are each delivered once, oldest first', async () => {
  const { id } = await newConversation(service)
  await armIn(id, ['flour', 'yeast', 'oven'])
  await service.kill()
  sleepFor(9)
  await service.restart()

  await eventually(async () => (await openIn(id)).length === 0)
  expect(await delivered(id, ['flour', 'yeast', 'oven'])).toEqual(['flour', 'yeast', 'oven'])
  await service.kill()
  await service.restart()
  expect(await delivered(id, ['flour', 'yeast', 'oven'])).toHaveLength(3)
})

test('a check-in due in a busy conversation survives a kill there too', async () => {
  const { id } = await newConversation(service)
  await armIn(id, ['parcel'])
  await service.kill()
  sleepFor(9)
  wire.script(slow(['Busy ', 'still ', 'done.']))
  const asked = wire.received(wire.requests.length + 1)
  await service.restart()
  const talk = sendMessage(service, { message: 'Tell me more', conversation_id: id }).then(readEvents)
  await asked
  await service.kill()
  await talk.catch(() => undefined)
  await service.restart()
  wire.release(3)

  await eventually(async () => (await openIn(id)).every(({ waiting_on }) => waiting_on !== 'parcel'))
  await eventually(async () => (await conversationOf(service, id)).status === 'idle')
  expect(await delivered(id, ['parcel'])).toEqual(['parcel'])
})

const random = seeded(Number(process.env.SEED ?? 20_260_105))
const upTo = (most: number) => Math.floor(random() * (most + 1))

test('killed repeatedly during delivery, each check-in is delivered exactly once', async () => {
  const ids: string[] = []
  const names = (index: number) => [`cake-${index}`, `bread-${index}`]
  for (let index = 0; index < 4; index += 1) {
    const { id } = await newConversation(service)
    await armIn(id, names(index))
    ids.push(id)
  }
  await service.kill()
  sleepFor(30)
  for (let death = 0; death < 8; death += 1) {
    await service.restart()
    for (let left = upTo(6); left > 0; left -= 1) await service.send('GET', '/health/live')
    await service.kill()
  }
  await service.restart()

  const isDone = async (id: string, index: number) =>
    (await openIn(id)).every(({ waiting_on }) => !names(index).includes(waiting_on))
  for (const [index, id] of ids.entries()) {
    await eventually(() => isDone(id, index))
    await eventually(async () => (await conversationOf(service, id)).status === 'idle')
    expect(await delivered(id, names(index))).toEqual(names(index))
  }
})

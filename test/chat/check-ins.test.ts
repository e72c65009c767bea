import { expect, test } from 'vitest'
import { cancel, cancelAll, list } from '../../handlers/chat/check-ins.ts'
import { send } from '../../handlers/chat/stream.ts'
import { saysItWaits } from '../../runtime/chat/check-ins.ts'
import { allMessages } from '../../runtime/chat/message-store.ts'
import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'
import { day, minute } from '../../runtime/time.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import { chat, onlyConversation } from '../support/chat.ts'
import { testHost } from '../support/host.ts'
import { scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

const arm = (delay_minutes = 30) =>
  toolCall('arm_check_in', {
    delay_minutes,
    waiting_on: 'the build',
    estimate_basis: 'it takes half an hour',
  })

async function openOf(host: Host, id: string) {
  const { check_ins } = await (await call(list, host, { params: { id } })).json()
  return check_ins as {
    check_in_id: string
    status: string
    source: string
    sequence: number
    due_at: string
  }[]
}

const notes = async (host: Host, id: string) =>
  (await allMessages(host, id)).filter(({ role }) => role === 'system').map(({ content }) => content)

test('an armed check-in is open until it is due, and then becomes one turn', async () => {
  const models = scriptedModels(arm(), text('I wait.'), text('The build is green.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)

  expect(await openOf(host, id)).toMatchObject([{ status: 'pending', source: 'agent', sequence: 1 }])
  await host.clock.advance(29 * minute)
  await workOff(host)
  expect(models.calls).toHaveLength(2)
  await host.clock.advance(minute)
  await workOff(host)
  await workOff(host)

  expect(models.calls).toHaveLength(3)
  expect(await openOf(host, id)).toEqual([])
  expect(await notes(host, id)).toEqual([expect.stringContaining('the build')])
  expect(host.events.filter((type) => type.startsWith('check_in.'))).toEqual(['check_in.armed', 'check_in.delivered'])
})

test('a check-in due in a busy conversation is delivering until the conversation is idle', async () => {
  const gate = Promise.withResolvers<void>()
  const models = scriptedModels(arm(), text('I wait.'), [gate.promise, ...(text('long') as [])], text('Green.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)
  await call(send, host, { body: { message: 'Meanwhile', conversation_id: id } })
  await tick(host)
  await host.clock.advance(30 * minute)
  const due = await tick(host)
  await Promise.all(due.started)

  expect(await openOf(host, id)).toMatchObject([{ status: 'delivering' }])
  gate.resolve()
  await host.process.running.settled()
  await workOff(host)
  expect(await openOf(host, id)).toEqual([])
  expect(models.calls).toHaveLength(4)
})

test('cancelled check-ins never run; an unknown one is a 404', async () => {
  const models = scriptedModels(arm(), arm(60), text('I wait.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)
  const [first] = await openOf(host, id)
  const params = { id, check_in_id: first?.check_in_id ?? '' }

  expect(await (await call(cancel, host, { params })).json()).toMatchObject({ cancelled: first })
  expect((await call(cancel, host, { params })).status).toBe(404)
  expect(await (await call(cancelAll, host, { params: { id } })).json()).toEqual({ cancelled: 1 })
  await host.clock.advance(2 * 60 * minute)
  await workOff(host)
  expect(models.calls).toHaveLength(3)
})

test('a conversation has at most five open check-ins', async () => {
  const calls = [1, 2, 3, 4, 5, 6].map((number) =>
    toolCall('arm_check_in', {
      delay_minutes: number,
      waiting_on: `thing ${number}`,
      estimate_basis: 'a guess',
    }),
  )
  const host = await testHost({ models: scriptedModels(...calls, text('I wait.')) })
  await chat(host, { message: 'Wait for six things' })
  const { id } = await onlyConversation(host)
  expect(await openOf(host, id)).toHaveLength(5)
})

test('an agent that arms one check-in after the other waits longer each time, until a person writes', async () => {
  const again = Array.from({ length: 30 }, () => [arm(1), text('I wait.')]).flat()
  const models = scriptedModels(...again)
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)
  const delivered = async (minutes: number) => {
    const before = (await notes(host, id)).length
    for (let passed = 0; passed < minutes; passed += 1) {
      await host.clock.advance(minute)
      await workOff(host)
      await workOff(host)
    }
    return (await notes(host, id)).length - before
  }
  // After 1, 2, 4, 8, 16, 32 and then 60 minutes each.
  expect(await delivered(63)).toBe(6)
  expect(await delivered(180)).toBe(3)

  await chat(host, { message: 'And now?', conversation_id: id })
  expect(await openOf(host, id)).toMatchObject([{ sequence: 1 }, { sequence: 10 }])
})

test('after untrusted text no check-in is armed unasked, and its reason is no instruction', async () => {
  const models = scriptedModels(arm(), text('I wait.'), text("I'll check back when it is done."))
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)
  await host.sql.write([{ sql: 'UPDATE conversations SET tainted = 1' }])
  await host.clock.advance(30 * minute)
  await workOff(host)
  await workOff(host)

  expect(await notes(host, id)).toEqual([expect.stringContaining('<untrusted>\nthe build')])
  expect(models.calls).toHaveLength(3)
  expect(await openOf(host, id)).toEqual([])
})

test('an agent that says it waits without arming one gets a fallback, up to a limit', async () => {
  const answers = Array.from({ length: 9 }, () => text("I'll check back when it is done."))
  const models = scriptedModels(...answers)
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)

  expect(await openOf(host, id)).toMatchObject([{ source: 'fallback' }])
  for (let hours = 0; hours < 9; hours += 1) {
    await host.clock.advance(60 * minute)
    await workOff(host)
  }
  expect(models.calls).toHaveLength(4)
  expect(await openOf(host, id)).toEqual([])
})

test('a turn interrupted by a shutdown is checked again', async () => {
  const hanging = async function* ({ signal }: { signal: AbortSignal }) {
    yield { type: 'text' as const, text: 'so far' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const host = await testHost({ models: scriptedModels(hanging) })
  await call(send, host, { body: { message: 'one' } })
  await tick(host)
  host.process.running.abortAll(new Stopping('stopping'))
  await host.process.running.settled()
  const { id } = await onlyConversation(host)
  expect(await openOf(host, id)).toMatchObject([{ source: 'system' }])
})

test.each(['internal', 'loop'] as const)(
  'an agent does not come back to a conversation of the kind %s: what has started it decides',
  async (kind) => {
    const models = scriptedModels(text('Hello'), text("I'll check back when it is done."))
    const host = await testHost({ models })
    await chat(host, { message: 'one' })
    const { id } = await onlyConversation(host)
    await host.sql.write([{ sql: 'UPDATE conversations SET kind = ?', args: [kind] }])
    await chat(host, { message: 'two', conversation_id: id })
    expect(models.calls.at(-1)?.tools.map(({ name }) => name)).not.toContain('arm_check_in')
    expect(await openOf(host, id)).toEqual([])
  },
)

test('a turn interrupted in a loop is not checked again, for the loop itself continues', async () => {
  const hanging = async function* ({ signal }: { signal: AbortSignal }) {
    yield { type: 'text' as const, text: 'so far' }
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const host = await testHost({ models: scriptedModels(text('Hello'), hanging) })
  await chat(host, { message: 'one' })
  const { id } = await onlyConversation(host)
  await host.sql.write([{ sql: "UPDATE conversations SET kind = 'loop'", args: [] }])
  await call(send, host, { body: { message: 'two', conversation_id: id } })
  await tick(host)
  host.process.running.abortAll(new Stopping('stopping'))
  await host.process.running.settled()
  expect(await openOf(host, id)).toEqual([])
})

test.each([
  ['an hour forward', 60],
  ['a day forward', 24 * 60],
  ['ten years forward', 3_653 * 24 * 60],
  ['an hour back', -60],
  ['a day back', -24 * 60],
])('a clock that is set %s neither loses nor doubles it', async (_, minutes) => {
  const models = scriptedModels(arm(), text('I wait.'), text('The build is green.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Watch the build' })
  const { id } = await onlyConversation(host)
  host.clock.jump(minutes * minute)
  await workOff(host)
  host.clock.jump(-minutes * minute)
  await workOff(host)
  await host.clock.advance(31 * minute)
  await workOff(host)

  expect(await notes(host, id)).toHaveLength(1)
  expect(await openOf(host, id)).toEqual([])
})

test('check-ins overdue after a long sleep are each delivered once, oldest first', async () => {
  const two = [
    arm(20),
    toolCall('arm_check_in', { delay_minutes: 10, waiting_on: 'the mail', estimate_basis: 'a guess' }),
  ]
  const models = scriptedModels(...two, text('I wait.'), text('Mail.'), text('Build.'))
  const host = await testHost({ models })
  await chat(host, { message: 'Wait' })
  const { id } = await onlyConversation(host)
  host.clock.jump(3 * day)
  await workOff(host)

  expect(await notes(host, id)).toEqual([expect.stringContaining('the mail'), expect.stringContaining('the build')])
  expect(models.calls).toHaveLength(5)
  expect(await openOf(host, id)).toEqual([])
})

test.each([
  ["Done. I'll check back in ten minutes.", true],
  ['I am still waiting for the courier.', true],
  ['Ich melde mich, sobald es fertig ist.', true],
  ['Shall I check back later?', false],
  ['Your tea is ready.', false],
])('%s', (answer, waits) => {
  expect(saysItWaits(answer) !== null).toBe(waits)
})

import { expect, test } from 'vitest'
import { send } from '../../handlers/chat/stream.ts'
import type { Message } from '../../runtime/chat/schema.ts'
import { tick } from '../../runtime/tick.ts'
import { second } from '../../runtime/time.ts'
import { Stopping } from '../../runtime/work/run.ts'
import { call } from '../support/call.ts'
import { conversationOf, onlyConversation } from '../support/chat.ts'
import { restarted, testHost } from '../support/host.ts'
import { hanging, type Step, scriptedModels, text, toolCall } from '../support/models.ts'
import { workOff } from '../support/work.ts'

type TestHost = Awaited<ReturnType<typeof testHost>>

/** Sends messages of one conversation and works until the first answer has begun. */
async function sent(host: TestHost, messages: readonly string[]): Promise<string> {
  const responses: Response[] = []
  for (const message of messages) {
    const conversation = responses.length > 0 ? { conversation_id: (await onlyConversation(host)).id } : {}
    responses.push(await call(send, host, { body: { message, ...conversation } }))
  }
  await tick(host)
  return (await onlyConversation(host)).id
}

const shownOf = (messages: readonly Message[]) => messages.map(({ content, status }) => [content, status])

const echo: Step = async function* ({ messages }) {
  const asked = messages.findLast(({ role }) => role === 'user')
  yield { type: 'text', text: `Re: ${JSON.stringify(asked?.content)}` }
  yield { type: 'finish', reason: 'stop', input_tokens: 1, output_tokens: 1 }
}

test('an interrupted turn is answered before the ones queued behind it', async () => {
  const killed = await testHost({ models: scriptedModels(hanging) })
  const id = await sent(killed, ['one', 'two', 'three'])
  const models = scriptedModels(echo, echo, echo)
  const host = await restarted(killed, models)
  await workOff(host)

  const { messages } = await conversationOf(host, id)
  const answers = messages.filter(({ role }) => role === 'assistant')
  expect(answers.map(({ status }) => status)).toEqual(['complete', 'complete', 'complete'])
  const asked = models.calls.map(({ messages: read }) => JSON.stringify(read.at(-1)))
  expect(asked.map((last) => ['one', 'two', 'three'].find((word) => last.includes(word)))).toEqual([
    'one',
    'two',
    'three',
  ])
  expect(answers[0]?.content).not.toContain('Half an ans')
})

test('so is one that a shutdown interrupted, and the shutdown counts as no attempt', async () => {
  const stopped = await testHost({ models: scriptedModels(hanging) })
  const id = await sent(stopped, ['one', 'two'])
  stopped.process.running.abortAll(new Stopping('stopping'))
  await stopped.process.running.settled()
  const host = await restarted(stopped, scriptedModels(text('First.'), text('Second.')))
  await workOff(host)
  expect(shownOf((await conversationOf(host, id)).messages)).toEqual([
    ['one', 'complete'],
    ['First.', 'complete'],
    ['two', 'complete'],
    ['Second.', 'complete'],
  ])
})

test('a turn behind which nothing is queued is marked', async () => {
  const killed = await testHost({ models: scriptedModels(hanging) })
  const id = await sent(killed, ['one'])
  const host = await restarted(killed, scriptedModels())
  await workOff(host)
  const { messages } = await conversationOf(host, id)
  expect(messages[1]).toMatchObject({ status: 'interrupted', error: { code: 'interrupted' } })
})

test('a message that steers an interrupted turn reaches it after the restart', async () => {
  const hangs = scriptedModels(hanging)
  const killed = await testHost({ models: hangs })
  const id = await sent(killed, ['one'])
  await expect.poll(() => hangs.calls.length).toBe(1)
  const steering = { message: 'and in French', conversation_id: id, when_busy: 'steer' }
  await call(send, killed, { body: steering })
  const models = scriptedModels(text('Un.'))
  const host = await restarted(killed, models)
  await workOff(host)
  expect(JSON.stringify(models.calls[0]?.messages)).toMatch(/one.*and in French/s)
  expect((await conversationOf(host, id)).messages[1]).toMatchObject({ content: 'Un.', status: 'complete' })
})

test('a call that was started is not repeated by the resumed turn', async () => {
  const never = Promise.withResolvers<void>()
  const call_ = toolCall('web_fetch', { url: 'https://example.com/a' })
  const killed = await testHost({
    models: scriptedModels(call_),
    outbound: { fetch: () => never.promise } as never,
  })
  const id = await sent(killed, ['one', 'two'])
  const startedCall = async () => {
    const { messages } = await conversationOf(killed, id)
    return messages[1]?.parts.some((part) => part.type === 'tool_use' && part.state === 'started')
  }
  await expect.poll(startedCall).toBe(true)
  const models = scriptedModels(text('First.'), text('Second.'))
  const host = await restarted(killed, models)
  await workOff(host)
  expect(JSON.stringify(models.calls[0]?.messages)).toContain('may or may not have taken effect')
  expect((await conversationOf(host, id)).messages[1]).toMatchObject({
    content: 'First.',
    status: 'complete',
  })
})

test('a turn during which the daemon stops again and again waits longer each time, and is marked in the end', async () => {
  let host: TestHost = await testHost({ models: scriptedModels(hanging) })
  const id = await sent(host, ['one', 'two'])
  const waits: number[] = []
  for (let stop = 0; stop < 10; stop += 1) {
    const next = await restarted(host, scriptedModels(hanging))
    const before = next.clock.now()
    const running = async () => {
      const { next: due } = await tick(next)
      if (next.process.running.count('chat.turn') === 1) return true
      await next.clock.advance(due - next.clock.now())
      return false
    }
    await expect.poll(running).toBe(true)
    waits.push((next.clock.now() - before) / second)
    host = next
  }
  expect(waits.slice(0, 2)).toEqual([0, 0])
  expect(waits.at(-1)).toBeGreaterThan(500)
  const last = await restarted(host, scriptedModels(text('Second.')))
  await workOff(last)
  const { messages } = await conversationOf(last, id)
  expect(messages.map(({ status }) => status)).toEqual(['complete', 'interrupted', 'complete', 'complete'])
})

/** A model that delegates one task, whose helper uses a tool before it reports. */
const delegating =
  (requests: string[], report: Step): Step =>
  (request) => {
    const isHelper = JSON.stringify(request.messages).includes('You are a helper')
    const isAnswered = request.messages.at(-1)?.role === 'tool'
    requests.push(`${isHelper ? 'helper' : 'caller'} ${isAnswered ? 'after' : 'before'}`)
    const first = isHelper ? toolCall('time', {}) : toolCall('delegate', { task: 'Tell the time' })
    const last = isHelper ? report : text('The helper is done.')
    return scriptedModels(isAnswered ? last : first).stream(request)
  }

test.each(['a kill', 'a shutdown'])('an answer that waits for a helper still waits after %s', async (end) => {
  const before: string[] = []
  const step = delegating(before, hanging)
  const killed = await testHost({ models: scriptedModels(step, step, step) })
  const id = await sent(killed, ['Ask a helper'])
  await expect.poll(() => before).toEqual(['caller before', 'helper before', 'helper after'])
  if (end === 'a shutdown') {
    killed.process.running.abortAll(new Stopping('stopping'))
    await killed.process.running.settled()
  }
  const after: string[] = []
  const rest = delegating(after, text('It is noon.'))
  const host = await restarted(killed, scriptedModels(rest, rest))
  await workOff(host)

  const { messages } = await conversationOf(host, id)
  expect(messages.at(-1)).toMatchObject({ content: 'The helper is done.', status: 'complete' })
  const results = messages.at(-1)?.parts.filter(({ type }) => type === 'tool_result')
  expect(results).toMatchObject([{ state: 'done', output: { status: 'done', report: 'It is noon.' } }])
  expect(after).toEqual(['helper after', 'caller after'])
  const helpers = await host.sql.read(`SELECT id FROM conversations WHERE kind = 'internal'`)
  expect(helpers).toHaveLength(1)
})

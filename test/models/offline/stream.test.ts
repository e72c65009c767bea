import { expect, test } from 'vitest'
import { offlineModel, streamOffline } from '../../../runtime/models/offline/stream.ts'
import { ALL_TOOLS, ask, events, modelCall, NOW, textOf, user } from './kit.ts'

test('describes itself', () => {
  expect(offlineModel).toEqual({ provider: 'offline', model: 'offline', context_tokens: 32000 })
})

test('streams text in small pieces and ends with one finish', async () => {
  const all = await events(modelCall([user('help')]))
  const pieces = all.filter((event) => event.type === 'text')

  expect(pieces.length).toBeGreaterThan(50)
  expect(Math.max(...pieces.map(({ text }) => text.length))).toBeLessThan(60)
  expect(all.filter((event) => event.type === 'finish')).toEqual([all.at(-1)])
  expect(all.at(-1)).toMatchObject({ type: 'finish', reason: 'stop', estimated: true })
})

test('counts a token for every four characters of the latest message, not for a prompt that no model reads', async () => {
  const finish = async (text: string, system = '', tools: string[] = []) =>
    (await events(modelCall([user('hello'), user(text)], tools, { system }))).at(-1)
  const plain = await finish('2+2')
  const longer = await finish(`2+2${' '.repeat(400)}`)
  const said = textOf(await events(modelCall([user('2+2')], [])))

  expect(plain).toMatchObject({ input_tokens: 8, output_tokens: Math.ceil(said.length / 4) })
  expect(await finish('2+2', 'x'.repeat(400), ALL_TOOLS)).toEqual(plain)
  expect(longer).toMatchObject({ input_tokens: (plain as { input_tokens: number }).input_tokens + 100 })
})

test('finishes with tool_calls, and each call has its own id', async () => {
  const all = await events(modelCall([user('remember that I like tea and tell me the time')]))
  const ids = all.filter((event) => event.type === 'tool_call').map(({ id }) => id)

  expect(new Set(ids).size).toBe(2)
  expect(all.at(-1)).toMatchObject({ type: 'finish', reason: 'tool_calls' })
})

test('is deterministic', async () => {
  const call = modelCall([user('remind me to call Anna tomorrow at 5pm and list my files')])

  expect(await events(call)).toEqual(await events(call))
})

test('stops at max_output_tokens and reports it', async () => {
  const all = await events(modelCall([user('help')], undefined, { max_output_tokens: 10 }))

  expect(textOf(all).length).toBeLessThanOrEqual(40)
  expect(all.at(-1)).toMatchObject({ reason: 'length', output_tokens: 10 })
})

test('stops when the call is cancelled, even in mid-answer', async () => {
  const controller = new AbortController()
  const stream = streamOffline(modelCall([user('help')], [], { signal: controller.signal }), {
    now: () => NOW,
    timezone: 'UTC',
  })
  await stream[Symbol.asyncIterator]().next()
  controller.abort()

  await expect(stream[Symbol.asyncIterator]().next()).rejects.toMatchObject({
    name: 'ModelError',
    code: 'cancelled',
  })
})

test('answers an empty conversation and any text without failing', async () => {
  const odd = [
    '\u0000',
    '(((((',
    '"',
    '```',
    '[]{}',
    'a'.repeat(50_000),
    'and '.repeat(3_000),
    '\n\n\n',
    '\ud800',
    '1'.repeat(600),
    'https://',
    ', , ,',
    'remember '.repeat(500),
  ]

  expect(textOf(await events(modelCall([])))).toContain('Hello')
  for (const text of odd) expect((await events(modelCall([user(text)]))).at(-1)).toMatchObject({ type: 'finish' })
})

test.each([
  ['write ', 'in '],
  ['add ', 'to '],
  ['replace ', 'with '],
  ['summarise ', 'of '],
  ['delete ', 'http://'],
])('a request of 200,000 characters is answered in linear time: "%s%s…"', async (order, unit) => {
  const request = order + unit.repeat(200_000 / unit.length)
  const started = performance.now()
  expect(await ask([user(request)])).toBeDefined()
  // Quadratic patterns took 30 to 80 seconds.
  expect(performance.now() - started).toBeLessThan(10_000)
})

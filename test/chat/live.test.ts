import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { LiveTurns, TurnLog } from '../../runtime/chat/live.ts'

const last = { message_id: 'msg_1', input_tokens: 1, output_tokens: 1, total_tokens: 2 }

async function all(log: TurnLog, signal: AbortSignal, after = 0): Promise<string[]> {
  const seen: string[] = []
  for await (const { event } of log.follow(after, signal)) seen.push(event)
  return seen
}

test('followers hear everything from their place on, to the last word', async () => {
  const log = new TurnLog('msg_1', 'epoch')
  const { signal } = new AbortController()
  log.emit('token', { content: 'a' })
  const [early, late] = [all(log, signal), all(log, signal, 1)]
  log.emit('token', { content: 'b' })
  log.emit('done', last)

  expect(await early).toEqual(['token', 'token', 'done'])
  expect(await late).toEqual(['token', 'done'])
})

test('a follower that has ended holds nothing on to its signal', async () => {
  const log = new TurnLog('msg_1', 'epoch')
  const process = new AbortController()
  const request = AbortSignal.any([process.signal])
  log.emit('done', last)
  await all(log, request)
  expect(getEventListeners(request, 'abort')).toEqual([])

  const open = new TurnLog('msg_2', 'epoch')
  open.emit('token', { content: 'a' })
  for await (const _ of open.follow(0, request)) break
  expect(getEventListeners(request, 'abort')).toEqual([])
})

test('a follower ends when its signal aborts', async () => {
  const client = new AbortController()
  const seen = all(new TurnLog('msg_1', 'epoch'), client.signal)
  client.abort()
  expect(await seen).toEqual([])
})

test('logs of ended turns are forgotten but for the latest few', () => {
  const turns = new LiveTurns('epoch')
  const ids = Array.from({ length: 50 }, (_, index) => `msg_${index}`)
  for (const id of ids) turns.open(id).emit('done', last)
  turns.open('msg_running')

  expect(ids.filter((id) => turns.find(id))).toEqual(ids.slice(-16))
})

import { getEventListeners } from 'node:events'
import { expect, test } from 'vitest'
import { followTurn, LiveTurns, TurnLog } from '../../runtime/chat/live.ts'
import type { StreamEvent } from '../../runtime/chat/schema.ts'
import { testHost } from '../support/host.ts'

const token = (content: string): StreamEvent => ({ event: 'token', data: { content } })
const last: StreamEvent = {
  event: 'done',
  data: { message_id: 'msg_1', input_tokens: 1, output_tokens: 1, total_tokens: 2 },
}

async function all(log: TurnLog, signal: AbortSignal, after = 0): Promise<string[]> {
  const seen: string[] = []
  for await (const { event } of followTurn(await testHost(), { log, after }, signal)) seen.push(event)
  return seen
}

test('followers get every event from their position on', async () => {
  const log = new TurnLog('msg_1', 'epoch')
  const { signal } = new AbortController()
  log.emit(token('a'))
  const [early, late] = [all(log, signal), all(log, signal, 1)]
  log.emit(token('b'))
  log.emit(last)

  expect(await early).toEqual(['token', 'token', 'done'])
  expect(await late).toEqual(['token', 'done'])
})

test('a follower that has ended leaves no listener on its signal', async () => {
  const log = new TurnLog('msg_1', 'epoch')
  const process = new AbortController()
  const request = AbortSignal.any([process.signal])
  log.emit(last)
  await all(log, request)
  expect(getEventListeners(request, 'abort')).toEqual([])

  const open = new TurnLog('msg_2', 'epoch')
  open.emit(token('a'))
  for await (const _ of followTurn(await testHost(), { log: open, after: 0 }, request)) break
  expect(getEventListeners(request, 'abort')).toEqual([])
})

test('the stream of a follower whose signal aborts ends with an error', async () => {
  const client = new AbortController()
  const seen = all(new TurnLog('msg_1', 'epoch'), client.signal)
  client.abort()
  expect(await seen).toEqual(['error'])
})

test('only the logs of the latest ended turns are kept', () => {
  const turns = new LiveTurns('epoch')
  const ids = Array.from({ length: 50 }, (_, index) => `msg_${index}`)
  for (const id of ids) turns.open(id).emit(last)
  turns.open('msg_running')

  expect(ids.filter((id) => turns.find(id))).toEqual(ids.slice(-16))
})

import { expect, test } from 'vitest'
import { createBus } from '../../../adapters/memory/bus.ts'
import { busContract } from '../../contracts/bus.ts'

busContract((ring) => createBus({ ring }))

const ts = '2026-01-05T09:00:00.000Z'

test('keeps 2,000 frames by default', () => {
  const bus = createBus()
  for (let data = 0; data < 2500; data += 1) bus.publish('a', { type: 'note', ts, data })
  const seqs: number[] = []
  const subscription = bus.subscribe('a', ({ seq }) => seqs.push(seq), 500)

  expect(subscription.complete).toBe(true)
  expect([seqs.length, seqs[0], seqs.at(-1)]).toEqual([2000, 501, 2500])
  expect(bus.subscribe('a', () => undefined, 499).complete).toBe(false)
})

test('reports which listener failed and where', () => {
  const failures: [unknown, string][] = []
  const bus = createBus({ on_error: (error, topic) => failures.push([error, topic]) })
  const broken = new Error('broken listener')
  bus.subscribe('a', () => {
    throw broken
  })
  bus.publish('a', { type: 'note', ts, data: 1 })

  expect(failures).toEqual([[broken, 'a']])
})

test('an ended topic without followers starts over', () => {
  const bus = createBus()
  bus.publish('run', { type: 'note', ts, data: 1 })
  bus.drop('run')

  expect(bus.publish('run', { type: 'note', ts, data: 2 }).seq).toBe(1)
})

import { expect, test } from 'vitest'
import { Ticker } from '../../../adapters/node/ticker.ts'
import { testHost } from '../../support/host.ts'

/** Lets everything run that waits for nothing but the loop. */
const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

test('ticks at the time that the last tick requested', async () => {
  const host = await testHost()
  const calls: number[] = []
  const ticker = new Ticker(host, async () => ({
    next: calls.push(host.clock.now()) && host.clock.now() + 5_000,
  }))
  ticker.start()
  await settle()
  await host.clock.advance(4_999)
  await settle()
  expect(calls).toHaveLength(1)

  await host.clock.advance(1)
  await settle()
  expect(calls).toHaveLength(2)
  await ticker.stop()
})

test('a wake moves the next tick forward, and many wakes during a tick cause one more', async () => {
  const host = await testHost()
  let calls = 0
  const held: (() => void)[] = []
  const ticker = new Ticker(host, async () => {
    calls += 1
    await new Promise<void>((resolve) => held.push(resolve))
    return { next: host.clock.now() + 60_000 }
  })
  ticker.start()
  await settle()
  for (let index = 0; index < 10; index += 1) ticker.wake()
  await settle()
  expect(calls).toBe(1)

  held.shift()?.()
  await settle()
  await host.clock.advance(5)
  await settle()
  expect(calls).toBe(2)
  held.shift()?.()
  await settle()
  expect(calls).toBe(2)
  await ticker.stop()
})

test('wakes within 5 milliseconds share a tick', async () => {
  const host = await testHost()
  let calls = 0
  const ticker = new Ticker(host, async () => {
    calls += 1
    return { next: host.clock.now() + 60_000 }
  })
  ticker.start()
  await settle()
  ticker.wake()
  await settle()
  await host.clock.advance(4)
  ticker.wake()
  await settle()
  expect(calls).toBe(1)

  await host.clock.advance(1)
  await settle()
  expect(calls).toBe(2)
  await host.clock.advance(5)
  await settle()
  expect(calls).toBe(2)
  await ticker.stop()
})

test('continues after a failure with increasing delays, and logs it', async () => {
  const host = await testHost()
  let calls = 0
  const ticker = new Ticker(host, async () => {
    calls += 1
    throw new Error('no database')
  })
  ticker.start()
  await settle()
  await host.clock.advance(1_000)
  await settle()
  expect(calls).toBe(2)
  await host.clock.advance(1_000)
  await settle()
  expect(calls).toBe(2)
  await host.clock.advance(1_000)
  await settle()
  expect(calls).toBe(3)
  expect(host.log.lines.filter((line) => line.message === 'the tick failed')).toHaveLength(3)
  await ticker.stop()
})

test('a stop waits for the running tick', async () => {
  const host = await testHost()
  const { promise, resolve } = Promise.withResolvers<void>()
  const ticker = new Ticker(host, async () => {
    await promise
    return { next: host.clock.now() }
  })
  ticker.start()
  await settle()
  let stopped = false
  const stop = ticker.stop().then(() => {
    stopped = true
  })
  await settle()
  expect(stopped).toBe(false)
  resolve()
  await stop
})

import { afterEach, expect, test } from 'vitest'
import { collectWhenIdle } from '../../../adapters/node/idle-memory.ts'
import { testHost } from '../../support/host.ts'

const { gc } = globalThis
afterEach(() => {
  globalThis.gc = gc
})

const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

test('collects after two quiet looks, and again only when memory has grown', async () => {
  const { clock } = await testHost()
  const stopping = new AbortController()
  let collected = 0
  globalThis.gc = (async () => {
    collected += 1
  }) as typeof globalThis.gc
  const counts: number[] = []
  const ended = collectWhenIdle(clock, stopping.signal)
  for (let look = 0; look < 5; look += 1) {
    await clock.advance(20_000)
    await settle()
    counts.push(collected)
  }
  expect(counts).toEqual([0, 1, 1, 1, 1])

  stopping.abort()
  await ended
})

test('does nothing in a process that may not collect', async () => {
  const { clock } = await testHost()
  globalThis.gc = undefined
  await collectWhenIdle(clock, new AbortController().signal)
})

import { afterEach, expect, test, vi } from 'vitest'
import { collectWhenIdle } from '../../../adapters/node/idle-memory.ts'
import { testHost } from '../../support/host.ts'

const { gc } = globalThis
afterEach(() => {
  globalThis.gc = gc
  vi.restoreAllMocks()
})

const settle = () => new Promise<void>((resolve) => setImmediate(() => setImmediate(resolve)))

test('collects after two quiet looks, and again only after more work', async () => {
  const { clock } = await testHost()
  const stopping = new AbortController()
  let collected = 0
  globalThis.gc = (async () => {
    collected += 1
  }) as typeof globalThis.gc
  const counts: number[] = []
  let user = 0
  vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user, system: 0 }))
  const ended = collectWhenIdle(clock, stopping.signal)
  for (const milliseconds of [9_000, 100, 100, 100, 900, 100, 9_000, 100]) {
    user += milliseconds * 1_000
    await clock.advance(20_000)
    await settle()
    counts.push(collected)
  }
  expect(counts).toEqual([0, 0, 1, 1, 2, 2, 2, 2])

  stopping.abort()
  await ended
})

test('does nothing in a process that may not collect', async () => {
  const { clock } = await testHost()
  globalThis.gc = undefined
  await collectWhenIdle(clock, new AbortController().signal)
})

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClock } from '../../../adapters/clock/clock.ts'
import { clockContract } from '../../contracts/clock.ts'

describe('with the timers of the test', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  clockContract(() => ({
    clock: createClock(),
    pass: async (milliseconds) => void (await vi.advanceTimersByTimeAsync(milliseconds)),
  }))

  test('an aborted wait clears its timer', async () => {
    const stop = new AbortController()
    const wait = createClock().after(1000, stop.signal)
    expect(vi.getTimerCount()).toBe(1)
    stop.abort('no more')

    await expect(wait).rejects.toBe('no more')
    expect(vi.getTimerCount()).toBe(0)
  })
})

test("with real timers, waits and returns the machine's time", async () => {
  const clock = createClock()
  const start = Date.now()
  await clock.after(2)

  expect(clock.now()).toBeGreaterThan(start)
})

import { expect, test } from 'vitest'
import type { Clock } from '../../runtime/ports/clock.ts'

export interface ClockUnderTest {
  clock: Clock
  /** Lets the time pass that the clock measures. */
  pass(milliseconds: number): Promise<void>
}

/** What every clock must do. `create` is called once per test. */
export function clockContract(create: () => ClockUnderTest): void {
  test('does not move until time passes', async () => {
    const { clock, pass } = create()
    const start = clock.now()
    await pass(1500)

    expect(clock.now() - start).toBe(1500)
  })

  test('wakes a waiter when its time has passed, not before', async () => {
    const { clock, pass } = create()
    const woken = record(clock.after(1000))
    await pass(999)
    expect(woken.done).toBe(false)
    await pass(1)

    expect(woken.done).toBe(true)
  })

  test('wakes waiters by due time, and those due together in the order of their calls', async () => {
    const { clock, pass } = create()
    const order: string[] = []
    for (const [name, delay] of [
      ['c', 30],
      ['a', 10],
      ['b1', 20],
      ['b2', 20],
    ] as const) {
      void clock.after(delay).then(() => order.push(name))
    }
    await pass(100)

    expect(order).toEqual(['a', 'b1', 'b2', 'c'])
  })

  test('shows a waiter the time it waited for', async () => {
    const { clock, pass } = create()
    const start = clock.now()
    const seen = clock.after(250).then(() => clock.now() - start)
    await pass(1000)

    expect(await seen).toBe(250)
  })

  test('fires a wait that is renewed each time as often as it fits', async () => {
    const { clock, pass } = create()
    let beats = 0
    const stop = new AbortController()
    const heart = (async () => {
      for (;;) {
        await clock.after(10, stop.signal)
        beats += 1
      }
    })().catch((reason) => reason)
    await pass(105)
    stop.abort('enough')

    expect(beats).toBe(10)
    expect(await heart).toBe('enough')
  })

  test.each([0, -1, Number.NaN])('a wait of %s ms is over by the next turn', async (delay) => {
    const { clock, pass } = create()
    const woken = record(clock.after(delay))
    await pass(1)

    expect(woken.done).toBe(true)
  })

  test('an abort rejects with its reason and leaves no timer', async () => {
    const { clock, pass } = create()
    const stop = new AbortController()
    const woken = record(clock.after(1000, stop.signal))
    stop.abort(new Error('stopped'))

    await expect(woken.promise).rejects.toThrow('stopped')
    await pass(2000)
    expect(woken.done).toBe(false)
  })

  test('an already aborted signal rejects at once', async () => {
    const { clock } = create()

    await expect(clock.after(1000, AbortSignal.abort('late'))).rejects.toBe('late')
  })

  test('an abort after the wake-up changes nothing', async () => {
    const { clock, pass } = create()
    const stop = new AbortController()
    const wait = clock.after(5, stop.signal)
    await pass(5)
    await wait
    stop.abort()

    await expect(wait).resolves.toBeUndefined()
  })

  test('a wait of 60 days has its full length', async () => {
    const { clock, pass } = create()
    const day = 24 * 60 * 60 * 1000
    const woken = record(clock.after(60 * day))
    await pass(60 * day - 1)
    expect(woken.done).toBe(false)
    await pass(1)

    expect(woken.done).toBe(true)
  })
}

function record(promise: Promise<void>) {
  const state = { promise, done: false }
  promise.then(
    () => (state.done = true),
    () => undefined,
  )
  return state
}

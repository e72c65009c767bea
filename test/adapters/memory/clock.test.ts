import { expect, test } from 'vitest'
import { createFakeClock } from '../../../adapters/memory/clock.ts'
import { clockContract } from '../../contracts/clock.ts'

clockContract(() => {
  const clock = createFakeClock()
  return { clock, pass: clock.advance }
})

test.each(['2026-03-08T06:59:00.000Z', 1772953140000])('starts at %s', (start) => {
  expect(createFakeClock(start).now()).toBe(1772953140000)
})

test('a jump of the wall clock does not change the elapsed time of waits', async () => {
  const clock = createFakeClock()
  const start = clock.now()
  let woken = false
  void clock.after(1000).then(() => (woken = true))
  clock.jump(-3_600_000)
  await clock.advance(999)
  expect(woken).toBe(false)
  await clock.advance(1)

  expect(woken).toBe(true)
  expect(clock.now()).toBe(start - 3_600_000 + 1000)
})

test('counts the open waits', async () => {
  const clock = createFakeClock()
  void clock.after(10)
  void clock.after(20)
  expect(clock.waiting).toBe(2)
  await clock.advance(10)

  expect(clock.waiting).toBe(1)
})

test('runs a whole chain of promises before the next wait', async () => {
  const clock = createFakeClock()
  const order: string[] = []
  void clock.after(1).then(async () => {
    for (let step = 0; step < 500; step += 1) await null
    order.push('first')
  })
  void clock.after(2).then(() => order.push('second'))
  await clock.advance(5)

  expect(order).toEqual(['first', 'second'])
})

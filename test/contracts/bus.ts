import { expect, test } from 'vitest'
import type { Bus, Frame } from '../../runtime/ports/bus.ts'

const ts = '2026-01-05T09:00:00.000Z'
const note = (data: unknown, seq?: number) => ({
  type: 'note',
  ts,
  data,
  ...(seq === undefined ? {} : { seq }),
})

/** What every bus must do. `create` makes one with a ring of the given size. */
export function busContract(create: (ring: number) => Bus): void {
  test('delivers to every subscriber of the topic and to no other', () => {
    const bus = create(10)
    const [first, second, other] = [listen(), listen(), listen()]
    bus.subscribe('a', first.hear)
    bus.subscribe('a', second.hear)
    bus.subscribe('b', other.hear)
    const frame = bus.publish('a', note({ text: 'hi' }))

    expect(frame).toEqual({ seq: 1, type: 'note', ts, data: { text: 'hi' } })
    expect(first.frames).toEqual([frame])
    expect(second.frames).toEqual([frame])
    expect(other.frames).toEqual([])
  })

  test('numbers the frames of each topic from one', () => {
    const bus = create(10)

    expect([bus.publish('a', note(1)), bus.publish('a', note(2)), bus.publish('b', note(3))].map(seqOf)).toEqual([
      1, 2, 1,
    ])
  })

  test('adopts the number that the outbox assigned and counts on from it', () => {
    const bus = create(10)

    expect(bus.publish('a', note(1, 41)).seq).toBe(41)
    expect(bus.publish('a', note(2)).seq).toBe(42)
  })

  test('delivers nothing after close, and closing twice is harmless', () => {
    const bus = create(10)
    const ear = listen()
    const subscription = bus.subscribe('a', ear.hear)
    subscription.close()
    subscription.close()
    bus.publish('a', note(1))

    expect(ear.frames).toEqual([])
  })

  test('without `since` nothing is replayed', () => {
    const bus = create(10)
    bus.publish('a', note(1))
    const ear = listen()

    expect(bus.subscribe('a', ear.hear).complete).toBe(true)
    expect(ear.frames).toEqual([])
  })

  test('replays frames after `since`, then follows', () => {
    const bus = create(10)
    for (const data of [1, 2, 3]) bus.publish('a', note(data))
    const ear = listen()
    const { complete } = bus.subscribe('a', ear.hear, 1)
    bus.publish('a', note(4))

    expect(complete).toBe(true)
    expect(ear.frames.map(seqOf)).toEqual([2, 3, 4])
  })

  test.each([
    { since: 4, complete: false, seqs: [6, 7, 8, 9, 10] },
    { since: 5, complete: true, seqs: [6, 7, 8, 9, 10] },
    { since: 8, complete: true, seqs: [9, 10] },
    { since: 10, complete: true, seqs: [] },
    { since: 11, complete: false, seqs: [] },
  ])('with a ring of 5 after 10 frames, since $since is complete: $complete', ({ since, complete, seqs }) => {
    const bus = create(5)
    for (let data = 1; data <= 10; data += 1) bus.publish('a', note(data))
    const ear = listen()

    expect(bus.subscribe('a', ear.hear, since).complete).toBe(complete)
    expect(ear.frames.map(seqOf)).toEqual(seqs)
  })

  test('a fresh topic is complete from zero, and incomplete for a subscriber that has seen more', () => {
    const bus = create(5)

    expect(bus.subscribe('a', listen().hear, 0).complete).toBe(true)
    expect(bus.subscribe('a', listen().hear, 7).complete).toBe(false)
  })

  test('frames from before this process are reported as missing', () => {
    const bus = create(5)
    bus.publish('a', note(1, 500))

    expect(bus.subscribe('a', listen().hear, 400).complete).toBe(false)
    expect(bus.subscribe('a', listen().hear, 499).complete).toBe(true)
  })

  test('a listener that throws stops neither the others nor the publisher', () => {
    const bus = create(5)
    const ear = listen()
    const fail = () => {
      throw new Error('broken listener')
    }
    bus.publish('a', note(1))
    bus.subscribe('a', fail, 0)
    bus.subscribe('a', ear.hear)

    expect(bus.publish('a', note(2)).seq).toBe(2)
    expect(ear.frames.map(seqOf)).toEqual([2])
  })

  test('frames published by a listener come after the one it received, for all subscribers', () => {
    const bus = create(10)
    const ear = listen()
    bus.subscribe('a', (frame) => {
      if (frame.seq < 3) bus.publish('a', note('echo'))
    })
    bus.subscribe('a', ear.hear)
    bus.publish('a', note('start'))

    expect(ear.frames.map(seqOf)).toEqual([1, 2, 3])
  })

  test('a subscriber added by a listener sees each later frame once', () => {
    const bus = create(10)
    const [fresh, resumed] = [listen(), listen()]
    const subscription = bus.subscribe('a', () => {
      subscription.close()
      bus.publish('a', note('nested'))
      bus.subscribe('a', fresh.hear)
      bus.subscribe('a', resumed.hear, 0)
    })
    bus.publish('a', note('first'))
    bus.publish('a', note('last'))

    expect(fresh.frames.map(seqOf)).toEqual([3])
    expect(resumed.frames.map(seqOf)).toEqual([1, 2, 3])
  })

  test('a frame published during a replay arrives after the replay', () => {
    const bus = create(10)
    bus.publish('a', note(1))
    bus.publish('a', note(2))
    const seqs: number[] = []
    bus.subscribe(
      'a',
      (frame) => {
        seqs.push(frame.seq)
        if (frame.seq === 1) bus.publish('a', note(3))
      },
      0,
    )

    expect(seqs).toEqual([1, 2, 3])
  })

  test('drop clears the buffer, and followers still receive frames', () => {
    const bus = create(10)
    const ear = listen()
    bus.subscribe('a', ear.hear)
    bus.publish('a', note(1))
    bus.drop('a')
    bus.drop('never seen')
    const late = listen()
    const subscription = bus.subscribe('a', late.hear, 0)
    bus.publish('a', note(2))

    expect(subscription.complete).toBe(false)
    expect(late.frames.map(({ data }) => data)).toEqual([2])
    expect(ear.frames.map(({ data }) => data)).toEqual([1, 2])
  })
}

const seqOf = (frame: Frame) => frame.seq

function listen() {
  const frames: Frame[] = []
  return { frames, hear: (frame: Frame) => void frames.push(frame) }
}

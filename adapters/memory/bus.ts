import type { Bus, Frame, FrameListener, Subscription } from '../../runtime/ports/bus.ts'

export interface BusOptions {
  /** Frames that each topic keeps for returning subscribers. Default 2,000. */
  ring?: number
  /** Gets what a listener threw; the other listeners still get the frame. Must not throw. */
  on_error?: (error: unknown, topic: string) => void
}

interface Subscriber {
  listener: FrameListener
  /** Position of its first live frame; earlier ones were replayed or are not wanted. */
  from: number
}

interface Topic {
  name: string
  ring: Ring<Frame>
  subscribers: Set<Subscriber>
  last_seq: number
  /** Highest seq that can no longer be replayed. */
  lost_seq: number
  /** Position of the next frame to deliver; less than `ring.end` only while a listener publishes. */
  delivered: number
  delivering: boolean
}

/** Live delivery within one process. Each subscriber sees each frame once and in the order of publishing. */
export function createBus({ ring = 2000, on_error = () => undefined }: BusOptions = {}): Bus {
  const topics = new Map<string, Topic>()

  function topicOf(name: string): Topic {
    const cached = topics.get(name)
    if (cached) return cached
    const topic: Topic = {
      name,
      ring: createRing<Frame>(ring),
      subscribers: new Set(),
      last_seq: 0,
      lost_seq: 0,
      delivered: 0,
      delivering: false,
    }
    topics.set(name, topic)
    return topic
  }

  function forgetIfUnused(topic: Topic): void {
    const unused = topic.subscribers.size === 0 && topic.ring.size === 0
    if (unused && topics.get(topic.name) === topic) topics.delete(topic.name)
  }

  return {
    publish(name, { seq, ...message }) {
      const topic = topicOf(name)
      const frame: Frame = { seq: seq ?? topic.last_seq + 1, ...message }
      keep(topic, frame)
      deliver(topic, on_error)
      return frame
    },

    subscribe(name, listener, since): Subscription {
      const topic = topicOf(name)
      const subscriber: Subscriber = { listener, from: topic.ring.end }
      topic.subscribers.add(subscriber)
      const complete = since === undefined || (since >= topic.lost_seq && since <= topic.last_seq)
      if (since !== undefined) replay(topic, subscriber, { since, on_error })
      return {
        complete,
        close() {
          topic.subscribers.delete(subscriber)
          forgetIfUnused(topic)
        },
      }
    },

    drop(name) {
      const topic = topics.get(name)
      if (!topic) return
      topic.ring.clear()
      topic.lost_seq = topic.last_seq
      forgetIfUnused(topic)
    },
  }
}

/** If the first frame has a `seq`, earlier ones were published by another process. */
function keep(topic: Topic, frame: Frame): void {
  if (topic.last_seq === 0) topic.lost_seq = frame.seq - 1
  const evicted = topic.ring.push(frame)
  if (evicted) topic.lost_seq = Math.max(topic.lost_seq, evicted.seq)
  topic.last_seq = Math.max(topic.last_seq, frame.seq)
}

/** A frame published by a listener waits until the current one was delivered to all. */
function deliver(topic: Topic, on_error: NonNullable<BusOptions['on_error']>): void {
  if (topic.delivering) return
  topic.delivering = true
  while (topic.delivered < topic.ring.end) {
    const position = topic.delivered++
    const frame = topic.ring.at(position)
    if (!frame) continue
    for (const subscriber of topic.subscribers) {
      if (position >= subscriber.from) notify(topic, subscriber, { frame, on_error })
    }
  }
  topic.delivering = false
}

interface ReplayOptions {
  since: number
  on_error: NonNullable<BusOptions['on_error']>
}

function replay(topic: Topic, subscriber: Subscriber, { since, on_error }: ReplayOptions): void {
  const outermost = !topic.delivering
  topic.delivering = true
  for (const frame of topic.ring.all()) {
    if (frame.seq > since) notify(topic, subscriber, { frame, on_error })
  }
  if (!outermost) return
  topic.delivering = false
  deliver(topic, on_error)
}

interface Notification {
  frame: Frame
  on_error: NonNullable<BusOptions['on_error']>
}

function notify(topic: Topic, { listener }: Subscriber, { frame, on_error }: Notification): void {
  try {
    listener(frame)
  } catch (error) {
    on_error(error, topic.name)
  }
}

/** The newest `capacity` items. Positions count from the first item ever pushed and never restart. */
export interface Ring<Item> {
  readonly size: number
  /** Position that the next item will have. */
  readonly end: number
  /** Adds an item and returns the one that was evicted. */
  push(item: Item): Item | undefined
  at(position: number): Item | undefined
  /** A copy, oldest first. */
  all(): Item[]
  clear(): void
}

/** Grows on demand, so an idle topic costs nothing; pushing never moves an item. */
export function createRing<Item>(capacity: number): Ring<Item> {
  let items: Item[] = []
  let start = 0
  let end = 0

  return {
    get size() {
      return items.length
    },
    get end() {
      return end
    },
    push(item) {
      end += 1
      if (items.length < capacity) {
        items.push(item)
        return undefined
      }
      const evicted = items[start]
      items[start] = item
      start = (start + 1) % capacity
      return evicted
    },
    at(position) {
      const offset = position - (end - items.length)
      return offset < 0 ? undefined : items[(start + offset) % items.length]
    },
    all: () => [...items.slice(start), ...items.slice(0, start)],
    clear() {
      items = []
      start = 0
    },
  }
}

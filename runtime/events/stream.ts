import type { Context } from '../context.ts'
import type { EventSource, ServerEvent } from '../http/sse.ts'
import type { Frame } from '../ports/bus.ts'
import { latestEvent } from './commit.ts'
import { eventsTopic } from './event.ts'

/** A thing whose events are streamed to a client. */
export interface Streamed {
  /** Types of its events. */
  types: Readonly<Record<string, unknown>>
  /** The types that clients receive, besides `snapshot` and `done`. */
  sends: readonly string[]
  isAbout(data: unknown): boolean
  /** Its whole state. Throws a `Fault` if it does not exist. */
  snapshot(): Promise<unknown>
  /** The event that ends the stream; null while it has not ended. */
  end(): Promise<ServerEvent | null>
  /** Types of events after which it may have ended. */
  may_end: readonly string[]
  /** The event of its deletion, and what `done` says then. */
  deleted: { type: string; done: unknown }
}

/**
 * A snapshot first, then each event once, in order, and `done` at the end. Ids are positions in the outbox, so a client that reconnects with
 * `Last-Event-ID` misses no event and gets none twice; if its events are no longer buffered, it gets a new snapshot.
 */
export const streamOf = (context: Context, subject: Streamed, since: number | undefined): EventSource =>
  async function* follow(signal): AsyncGenerator<ServerEvent, void> {
    const queue = new FrameQueue(signal, subject)
    const subscription = context.bus.subscribe(eventsTopic, (frame) => queue.add(frame), since)
    try {
      if (!subscription.complete) queue.clear()
      // Read before the snapshot: events in between are in both, and none is missed.
      let id = String(await latestEvent(context))
      const snapshot = await subject.snapshot()
      if (since === undefined || !subscription.complete) yield { id, event: 'snapshot', data: snapshot }
      const over = queue.isEmpty ? await subject.end() : null
      if (over) return yield { id, ...over }
      for await (const { seq, type, data } of queue.frames()) {
        id = String(seq)
        if (subject.sends.includes(type)) yield { id, event: type, data }
        if (type === subject.deleted.type) return yield { id, event: 'done', data: subject.deleted.done }
        const ended = queue.isEmpty && subject.may_end.includes(type) ? await subject.end() : null
        if (ended) return yield { id, ...ended }
      }
    } finally {
      subscription.close()
    }
  }

/** The position that a client names in `Last-Event-ID`. */
export function lastEventId({ headers }: Request): number | undefined {
  const last = headers.get('last-event-id')
  return last !== null && /^\d{1,15}$/.test(last) ? Number(last) : undefined
}

/** Events that wait for a slow client; with more of them its stream ends, and it reconnects. */
const maxWaiting = 10_000

class FrameQueue {
  readonly #signal: AbortSignal
  readonly #subject: Streamed
  #frames: Frame[] = []
  #wake = Promise.withResolvers<void>()
  #ended = false

  constructor(signal: AbortSignal, subject: Streamed) {
    this.#signal = signal
    this.#subject = subject
    signal.addEventListener('abort', () => this.#wake.resolve(), { once: true })
  }

  add(frame: Frame): void {
    if (!Object.hasOwn(this.#subject.types, frame.type) || !this.#subject.isAbout(frame.data)) return
    this.#frames.push(frame)
    if (this.#frames.length > maxWaiting) this.#ended = true
    this.#wake.resolve()
  }

  /** Drops older events that the bus replayed although it lacks some. */
  clear(): void {
    this.#frames = []
  }

  get isEmpty(): boolean {
    return this.#frames.length === 0
  }

  async *frames(): AsyncGenerator<Frame, void> {
    for (;;) {
      if (this.#ended) return
      for (let frame = this.#frames.shift(); frame; frame = this.#frames.shift()) yield frame
      if (this.#signal.aborted || this.#ended) return
      this.#wake = Promise.withResolvers<void>()
      if (this.#frames.length === 0 && !this.#signal.aborted) await this.#wake.promise
    }
  }
}

import type { Bus, Frame } from '../ports/bus.ts'
import { StoreUncertain } from '../ports/sql.ts'
import { eventsTopic } from './event.ts'

type OutboxFrame = Frame & { id: string; chain_depth?: number }

/**
 * How a process publishes events of a database that it shares with other processes: each event once, in the order of the
 * outbox, whoever has committed it. An own event whose turn has not come is read from the outbox with those before it.
 */
export class SharedOutbox {
  /** Since when the database cannot be reached, in milliseconds since the epoch; null while it can be. */
  lost_at: number | null = null
  readonly #bus: Bus
  #position: number
  /** Ids of own events that are being committed: the outbox may be read before the commit is acknowledged. */
  readonly #own = new Set<string>()
  /** The last own event. */
  #latest = 0
  #behind = Promise.withResolvers<void>()

  /** @param position the last event that is not published */
  constructor(bus: Bus, position: number) {
    this.#bus = bus
    this.#position = position
  }

  /** The last event that was published. */
  get position(): number {
    return this.#position
  }

  /** Resolves when an own event waits for others to be read. */
  get behind(): Promise<void> {
    return this.#behind.promise
  }

  /** Commits own events. They are published with `own`. */
  async committing<Result>(ids: readonly string[], commit: () => Promise<Result>): Promise<Result> {
    for (const id of ids) this.#own.add(id)
    try {
      return await commit()
    } catch (thrown) {
      if (!(thrown instanceof StoreUncertain)) for (const id of ids) this.#own.delete(id)
      throw thrown
    }
  }

  /** Publishes own events that were committed, or has them read from the outbox if others come first. */
  own(frames: readonly OutboxFrame[]): void {
    for (const frame of frames) {
      this.#latest = Math.max(this.#latest, frame.seq)
      if (frame.seq === this.#position + 1) this.#publish(frame)
    }
    if (this.#latest > this.#position) this.#behind.resolve()
  }

  /** Publishes the events that were read from the outbox, oldest first. */
  read(frames: readonly OutboxFrame[]): void {
    this.#behind = Promise.withResolvers()
    for (const frame of frames) if (frame.seq > this.#position) this.#publish(frame)
    if (this.#latest > this.#position) this.#behind.resolve()
  }

  #publish({ id, chain_depth: _, ...frame }: OutboxFrame): void {
    this.#position = frame.seq
    const foreign = !this.#own.delete(id)
    this.#bus.publish(eventsTopic, foreign ? { ...frame, foreign } : frame)
  }
}

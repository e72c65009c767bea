import { conflict } from '../fault.ts'
import type { Clock } from '../ports/clock.ts'
import { second } from '../time.ts'

/** Milliseconds that another caller's act waits; less than the time limit of an agent's tool. */
const waitLimit = 100 * second

/** The people in control of the page. Acts of agents, scripts and replays wait until they release it. */
export class ControlLock {
  readonly #held = new Map<symbol, string>()
  #free = Promise.withResolvers<void>()

  /** The person who took control last; null if nobody is in control. */
  get name(): string | null {
    return [...this.#held.values()].at(-1) ?? null
  }

  /** Returns a function that releases control. */
  take(name: string): () => void {
    const key = Symbol(name)
    if (this.#held.size === 0) this.#free = Promise.withResolvers<void>()
    this.#held.set(key, name)
    return () => {
      if (this.#held.delete(key) && this.#held.size === 0) this.#free.resolve()
    }
  }

  /** Resolves when nobody is in control. Refuses with 409 when that takes too long. */
  async untilFree(clock: Pick<Clock, 'after'>, signal?: AbortSignal): Promise<void> {
    if (this.name === null) return
    const waiting = new AbortController()
    const over = signal ? AbortSignal.any([waiting.signal, signal]) : waiting.signal
    const late = clock.after(waitLimit, over).then(() => true)
    try {
      if ((await Promise.race([this.#free.promise, late])) !== true)
        return await this.untilFree(clock, signal)
    } finally {
      waiting.abort()
      late.catch(() => undefined)
    }
    throw conflict(
      `${this.name ?? 'Somebody'} is in control of the browser; try again when they have released it`,
    )
  }
}

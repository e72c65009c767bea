import { conflict } from '../../fault.ts'
import type { Clock } from '../../ports/clock.ts'
import { second } from '../../time.ts'

/** Milliseconds that an act of somebody else waits; less than an agent's tool may take. */
const patience = 100 * second

/** Who uses the page by hand. What agents, scripts and replays want to do waits until they have let go. */
export class Hands {
  readonly #held = new Map<symbol, string>()
  #free = Promise.withResolvers<void>()

  /** The one who took it last; null when nobody has it. */
  get name(): string | null {
    return [...this.#held.values()].at(-1) ?? null
  }

  /** Returns how to let go. */
  take(name: string): () => void {
    const key = Symbol(name)
    if (this.#held.size === 0) this.#free = Promise.withResolvers<void>()
    this.#held.set(key, name)
    return () => {
      if (this.#held.delete(key) && this.#held.size === 0) this.#free.resolve()
    }
  }

  /** Resolves when nobody has the page. Refuses with 409 when that takes too long. */
  async awaitFree(clock: Pick<Clock, 'after'>, signal?: AbortSignal): Promise<void> {
    if (this.name === null) return
    const waiting = new AbortController()
    const over = signal ? AbortSignal.any([waiting.signal, signal]) : waiting.signal
    const late = clock.after(patience, over).then(() => true)
    try {
      if ((await Promise.race([this.#free.promise, late])) !== true)
        return await this.awaitFree(clock, signal)
    } finally {
      waiting.abort()
      late.catch(() => undefined)
    }
    throw conflict(`${this.name ?? 'Somebody'} has taken the browser over; try again when they have let go`)
  }
}

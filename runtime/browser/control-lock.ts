import { conflict } from '../fault.ts'
import type { Clock } from '../ports/clock.ts'
import { second } from '../time.ts'

/** Milliseconds that another caller's act waits; less than the time limit of an agent's tool. */
const waitLimit = 100 * second

interface Control {
  name: string
  owner_id: string
  released: PromiseWithResolvers<void>
}

/** The people in control of their pages. Acts of their agents, scripts and replays wait until they release it. */
export class ControlLock {
  #held: readonly Control[] = []

  /** The person who took control of this user's pages last; null if nobody is in control. */
  nameFor(owner_id: string): string | null {
    return this.#of(owner_id)?.name ?? null
  }

  #of(owner_id: string): Control | undefined {
    return this.#held.findLast((control) => control.owner_id === owner_id)
  }

  /** Returns a function that releases control. */
  take(name: string, owner_id: string): () => void {
    const control = { name, owner_id, released: Promise.withResolvers<void>() }
    this.#held = [...this.#held, control]
    return () => {
      this.#held = this.#held.filter((other) => other !== control)
      control.released.resolve()
    }
  }

  /** Resolves when nobody is in control of this user's pages. Refuses with 409 when that takes too long. */
  async untilFree(owner_id: string, clock: Pick<Clock, 'after'>, signal?: AbortSignal): Promise<void> {
    const control = this.#of(owner_id)
    if (!control) return
    const waiting = new AbortController()
    const over = signal ? AbortSignal.any([waiting.signal, signal]) : waiting.signal
    const late = clock.after(waitLimit, over).then(() => true)
    try {
      if ((await Promise.race([control.released.promise, late])) !== true)
        return await this.untilFree(owner_id, clock, signal)
    } finally {
      waiting.abort()
      late.catch(() => undefined)
    }
    throw conflict(`${control.name} is in control of the browser; try again when they have released it`)
  }
}

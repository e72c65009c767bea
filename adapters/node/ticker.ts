import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'
import { firstOf } from '../../runtime/within.ts'

const firstPause = 1_000
const longestPause = 30_000
/** Milliseconds from the start of a tick to that of the next: the wakes of many units that end together share one. */
const shortestRound = 5

/** Calls the program's tick at the time that the last tick requested, or when woken; one call at a time. */
export class Ticker {
  readonly #host: Pick<Host, 'clock' | 'log'>
  readonly #tick: () => Promise<{ next: number }>
  #woken = Promise.withResolvers<void>()
  readonly #stop = new AbortController()
  #failures = 0
  #done: Promise<void> = Promise.resolve()

  constructor(host: Host, run: () => Promise<{ next: number }> = () => tick(host)) {
    this.#host = host
    this.#tick = run
  }

  start(): void {
    this.#done = this.#loop()
  }

  /** However often it is called while one tick runs, one more follows. */
  wake(): void {
    this.#woken.resolve()
  }

  /** Resolves when the tick that runs now has ended. */
  async stop(): Promise<void> {
    this.#stop.abort()
    this.wake()
    await this.#done
  }

  async #loop(): Promise<void> {
    const { clock } = this.#host
    while (!this.#stop.signal.aborted) {
      const begun = clock.now()
      this.#woken = Promise.withResolvers<void>()
      await this.#pause(await this.#once())
      const rest = begun + shortestRound - clock.now()
      if (rest > 0 && rest <= shortestRound) await clock.after(rest, this.#stop.signal).catch(() => undefined)
    }
  }

  /** Milliseconds until the next call. */
  async #once(): Promise<number> {
    try {
      const { next } = await this.#tick()
      this.#failures = 0
      return Math.max(0, next - this.#host.clock.now())
    } catch (thrown) {
      const pause = Math.min(firstPause * 2 ** this.#failures, longestPause)
      this.#failures += 1
      this.#host.log.write('error', 'the tick failed', { cause: thrown, again_in_ms: pause })
      return pause
    }
  }

  #pause(milliseconds: number): Promise<void> {
    return firstOf(this.#host.clock, this.#woken.promise, { milliseconds })
  }
}

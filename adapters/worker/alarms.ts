import type { Host } from '../../runtime/host.ts'
import { tick } from '../../runtime/tick.ts'
import { day, second } from '../../runtime/time.ts'
import { firstOf } from '../../runtime/within.ts'
import type { ObjectStorage } from './platform.ts'

/** An alarm may run for 15 minutes; longer work continues under the next one. */
const maxRun = 600 * second
const afterFailure = 10 * second
/** Nothing but a request changes the store while the object sleeps, so it sleeps until something is due. */
const idleWait = day

/** Ticks through the object's alarm, which survives restarts. */
export class Alarms {
  readonly #storage: Pick<ObjectStorage, 'setAlarm'>
  #armed = Number.POSITIVE_INFINITY
  #running = false
  #woken = Promise.withResolvers<void>()
  #asked = false

  constructor(storage: Pick<ObjectStorage, 'setAlarm'>) {
    this.#storage = storage
  }

  /** Asks for a tick at once. */
  wake(): void {
    if (!this.#running) this.#arm(Date.now())
    this.#asked = true
    this.#woken.resolve()
  }

  /** Ticks until no work runs, which keeps the object awake, and sets the next alarm. */
  async run(host: Host): Promise<void> {
    this.#armed = Number.POSITIVE_INFINITY
    this.#running = true
    let next = host.clock.now() + afterFailure
    try {
      next = await this.#loop(host, host.clock.now() + maxRun)
    } catch (cause) {
      host.log.write('error', 'the tick failed', { cause })
    } finally {
      this.#running = false
      this.#arm(this.#asked ? host.clock.now() : next)
    }
  }

  async #loop(host: Host, until: number): Promise<number> {
    for (;;) {
      this.#asked = false
      this.#woken = Promise.withResolvers<void>()
      const { next, due } = await tick(host)
      const idle = host.process.running.count() === 0 && !this.#asked
      if (idle) return due ?? host.clock.now() + idleWait
      if (host.clock.now() > until) return next
      await this.#pause(host, next)
    }
  }

  #pause({ clock }: Host, next: number): Promise<void> {
    return firstOf(clock, this.#woken.promise, { milliseconds: next - clock.now() })
  }

  #arm(at: number): void {
    if (at >= this.#armed) return
    this.#armed = at
    void this.#storage.setAlarm(at)
  }
}

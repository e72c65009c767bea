import type { Clock } from '../../runtime/ports/clock.ts'

export interface FakeClock extends Clock {
  /**
   * Lets `milliseconds` pass: resolves the waits that fall due, oldest first, and lets the code that each one
   * wakes run before the next, so a wait that is renewed within the span also fires within it.
   */
  advance(milliseconds: number): Promise<void>
  /** Sets the wall clock forward or back; waits still take the same elapsed time, as on a real machine. */
  jump(milliseconds: number): void
  /** The number of open waits. */
  readonly waiting: number
}

interface Wait {
  due: number
  resolve(): void
}

/** A clock that only moves when it is advanced. `start` is ISO text or Unix milliseconds. */
export function createFakeClock(start: string | number = '2026-01-05T09:00:00.000Z'): FakeClock {
  const waits: Wait[] = []
  let elapsed = 0
  let wall = typeof start === 'number' ? start : Date.parse(start)

  function after(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason)
    if (!(milliseconds > 0)) return Promise.resolve()
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const abort = () => {
      waits.splice(waits.indexOf(wait), 1)
      reject(signal?.reason)
    }
    const wait: Wait = {
      due: elapsed + milliseconds,
      resolve() {
        signal?.removeEventListener('abort', abort)
        resolve()
      },
    }
    waits.splice(waits.findLastIndex((other) => other.due <= wait.due) + 1, 0, wait)
    signal?.addEventListener('abort', abort, { once: true })
    return promise
  }

  async function advance(milliseconds: number): Promise<void> {
    const end = elapsed + milliseconds
    const settle = createSettler()
    await settle()
    for (let next = waits[0]; next && next.due <= end; next = waits[0]) {
      waits.shift()
      elapsed = Math.max(elapsed, next.due)
      next.resolve()
      await settle()
    }
    elapsed = Math.max(elapsed, end)
    settle.close()
  }

  return {
    now: () => wall + elapsed,
    after,
    advance,
    jump(milliseconds) {
      wall += milliseconds
    },
    get waiting() {
      return waits.length
    },
  }
}

/**
 * A turn of the event loop, so every microtask has run; a message costs microseconds, a timer a millisecond.
 */
function createSettler() {
  const { port1, port2 } = new MessageChannel()
  const settle = () =>
    new Promise<void>((resolve) => {
      port1.onmessage = () => resolve()
      port2.postMessage(null)
    })
  return Object.assign(settle, { close: () => port1.close() })
}

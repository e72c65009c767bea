import type { Clock } from '../../runtime/ports/clock.ts'

/** Milliseconds. A longer `setTimeout` fires at once, so longer waits are made of several. */
const longestTimer = 2 ** 31 - 1

/** The wall clock. Its timers do not keep a process alive: only what the host serves does. */
export function createClock(): Clock {
  return { now: () => Date.now(), after }
}

function after(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  if (signal?.aborted) return Promise.reject(signal.reason)
  let timer: ReturnType<typeof setTimeout>
  const abort = () => {
    clearTimeout(timer)
    reject(signal?.reason)
  }
  const wait = (left: number) => {
    timer = startTimer(Math.min(left, longestTimer), () => {
      if (left > longestTimer) return wait(left - longestTimer)
      signal?.removeEventListener('abort', abort)
      resolve()
    })
  }
  signal?.addEventListener('abort', abort, { once: true })
  wait(Math.max(0, milliseconds || 0))
  return promise
}

/** Hosts without Node answer a number, which keeps nothing alive anyway. */
function startTimer(milliseconds: number, run: () => void): ReturnType<typeof setTimeout> {
  const timer = setTimeout(run, milliseconds)
  if (typeof timer === 'object') timer.unref()
  return timer
}

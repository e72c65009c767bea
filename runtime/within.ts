import type { Context } from './context.ts'

interface Limit {
  milliseconds: number
  /** Abort reason after the time limit. */
  late?: Error
}

/** Waits for a person: the time limit begins again afterwards. */
export type Hold = <Result>(wait: () => Promise<Result>) => Promise<Result>

/** Runs a task with a time limit. Its signal aborts after `milliseconds` or when the context's signal does. */
export async function within<Result>(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  { milliseconds, late = new Error(`no response within ${milliseconds / 1_000} s`) }: Limit,
  run: (signal: AbortSignal, hold: Hold) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController()
  const start = () => {
    const timer = new AbortController()
    clock.after(milliseconds, timer.signal).then(
      () => limit.abort(late),
      () => undefined,
    )
    return timer
  }
  let timer = start()
  let held = 0
  const hold: Hold = async (wait) => {
    timer.abort(finished)
    held += 1
    try {
      return await wait()
    } finally {
      held -= 1
      if (held === 0) timer = start()
    }
  }
  try {
    return await run(AbortSignal.any([signal, limit.signal]), hold)
  } finally {
    // A wait that is left behind must not start it again.
    held = Number.POSITIVE_INFINITY
    timer.abort(finished)
  }
}

/** Preallocated: without a reason, `abort` creates an exception with a stack trace, which takes half a millisecond. */
const finished = new Error('The task has finished')

/** Resolves when the event does, at the latest after so many milliseconds or when the signal aborts. */
export async function firstOf(
  clock: Context['clock'],
  event: Promise<unknown>,
  { milliseconds, signal }: { milliseconds: number; signal?: AbortSignal },
): Promise<void> {
  const over = new AbortController()
  const either = signal ? AbortSignal.any([signal, over.signal]) : over.signal
  const pause = clock.after(milliseconds, either).catch(() => undefined)
  await Promise.race([event, pause]).finally(() => over.abort(finished))
}

/** Resolves with the result or rejects as soon as the signal aborts. For tasks that ignore their signal. */
export async function unlessAborted<Result>(result: Result | Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  try {
    return await Promise.race([result, aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}

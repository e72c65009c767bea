import type { Context } from './context.ts'

interface Limit {
  milliseconds: number
  /** What it is aborted with when its time is up. */
  late?: Error
}

/** Runs something that is aborted after so many milliseconds, or with the unit that it belongs to. */
export async function within<Result>(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  { milliseconds, late = new Error(`nothing came within ${milliseconds / 1_000} s`) }: Limit,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const done = new AbortController()
  const limit = new AbortController()
  clock.after(milliseconds, done.signal).then(
    () => limit.abort(late),
    () => undefined,
  )
  try {
    return await run(AbortSignal.any([signal, limit.signal]))
  } finally {
    done.abort(over)
  }
}

/** A reason of our own: without one, `abort` makes an exception with a stack, which costs half a millisecond. */
const over = new Error('This has ended')

/** The result, or a rejection as soon as the signal aborts, for what does not listen to its signal. */
export async function unlessAborted<Result>(
  result: Result | Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
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

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
    done.abort()
  }
}

import type { Context } from '../context.ts'

/** Runs something that is aborted after so many milliseconds, or with the unit that it belongs to. */
export async function within<Result>(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  milliseconds: number,
  run: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const done = new AbortController()
  const late = new AbortController()
  clock.after(milliseconds, done.signal).then(
    () => late.abort(new Error(`nothing came within ${milliseconds / 1_000} s`)),
    () => undefined,
  )
  try {
    return await run(AbortSignal.any([signal, late.signal]))
  } finally {
    done.abort()
  }
}

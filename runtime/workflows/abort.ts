import type { Context } from '../context.ts'
import { second } from '../time.ts'
import { Stopping } from '../work/run.ts'

/** Time for running nodes to end when the daemon stops. */
const grace = 5 * second

/**
 * Aborts the nodes of an execution when it is cancelled or late; when the daemon stops, after a short time. Returns a
 * function that ends this.
 */
export function abortWhenNeeded(
  { clock, signal }: Pick<Context, 'clock' | 'signal'>,
  abort: AbortController,
  deadline_at: string | null,
): () => void {
  const done = new AbortController()
  const abortAfter = (milliseconds: number, reason: Error) =>
    void clock.after(milliseconds, done.signal).then(
      () => abort.abort(reason),
      () => undefined,
    )
  const onAbort = () =>
    signal.reason instanceof Stopping ? abortAfter(grace, signal.reason) : abort.abort(signal.reason)
  if (signal.aborted) onAbort()
  else signal.addEventListener('abort', onAbort, { once: true })
  if (deadline_at !== null)
    abortAfter(Math.max(0, Date.parse(deadline_at) - clock.now()), new Error('The execution took too long'))
  return () => {
    signal.removeEventListener('abort', onAbort)
    done.abort(new Error('The execution has stopped'))
  }
}

import type { Context } from '../context.ts'
import { ModelError } from '../ports/models.ts'
import { second } from '../time.ts'
import { Postponed } from '../work/postponed.ts'
import { mayPass } from './failover.ts'
import { reopening, type Wanted } from './plan.ts'

/** Until a call is tried again if nobody says when, in milliseconds. */
const usualWait = 30 * second

/**
 * What a unit of work throws instead of an error that will pass: a vendor's limit, an outage, or the switch that stops all
 * calls. Null for other errors, and if the wait is longer than `max_wait` milliseconds.
 */
export async function postponement(
  context: Context,
  { max_wait, ...wanted }: Wanted & { max_wait: number },
  thrown: unknown,
): Promise<Postponed | null> {
  if (max_wait === 0 || context.signal.aborted || !(thrown instanceof ModelError) || !mayPass(thrown))
    return null
  const now = context.clock.now()
  const until = Math.max((await reopening(context, wanted)) ?? now + usualWait, now + 1 * second)
  return until - now > max_wait ? null : new Postponed(thrown.message, { until, code: thrown.code })
}

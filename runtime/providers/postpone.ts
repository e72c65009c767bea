import type { Context } from '../context.ts'
import { ModelError } from '../ports/models.ts'
import { second } from '../time.ts'
import { type Break, Postponed, type Since } from '../work/postponed.ts'
import { findWork } from '../work/store.ts'
import { mayPass } from './failover.ts'
import { reopening, type Wanted } from './plan.ts'

/** Until a call is tried again if nobody says when, in milliseconds. */
const usualWait = 30 * second
/** So that a time that is over does not start the unit again at once. */
const shortestWait = second / 10

/**
 * Times that a vendor may break off the same step of a unit of work, or not answer it in time. The step itself may be the
 * cause, so after these it has failed.
 */
export const maxBreaks = 5

/**
 * What a unit of work throws instead of an error that will pass: a vendor's limit, an outage, a broken
 * answer, or the switch that stops all calls. Null for other errors, after `maxBreaks`, and if the step would wait longer than
 * `max_wait` milliseconds in all.
 */
export async function postponement(
  context: Context,
  { max_wait, step, began, ...request }: Wanted & { max_wait: number; step: number; began: boolean },
  thrown: unknown,
): Promise<Postponed | null> {
  if (max_wait === 0 || context.signal.aborted || !(thrown instanceof ModelError)) return null
  const isCut = thrown.code === 'timeout' || thrown.code === 'interrupted'
  if (!isCut && !mayPass(thrown)) return null
  const payload = (await findWork(context, context.request_id))?.payload ?? {}
  const broken = isCut || began ? nextBreak(payload.broken as Break | null | undefined, step) : null
  if (broken && broken.count > maxBreaks) return null
  const now = context.clock.now()
  // The success of another call ends a cooldown; what the vendor asked of this one still holds.
  const { retry_after_seconds: asked = usualWait / second } = thrown
  const until = Math.max((await reopening(context, request)) ?? now + asked * second, now + shortestWait)
  const waits = payload.waits as Since | null | undefined
  const since = waits?.step === step ? waits : { step, at: now }
  if (until - since.at > max_wait) return null
  return new Postponed(thrown.message, { until, code: thrown.code, broken, since })
}

const nextBreak = (last: Break | null | undefined, step: number): Break => ({
  step,
  count: last?.step === step ? last.count + 1 : 1,
})

import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'
import { evaluateJsonata, jsonataProblem } from '../jsonata.ts'
import { second } from '../time.ts'
import { isTrue } from '../values.ts'

/** Refuses a filter that is not a valid expression. */
export async function checkFilter(filter: string | undefined): Promise<void> {
  const problem = filter ? await jsonataProblem(filter) : null
  if (problem !== null) throw invalidField('filter', `is not a valid expression: ${problem}`)
}

/** Whether an event passes a filter. If the filter cannot be evaluated, no event passes. */
export async function passes(
  { log }: Pick<Host, 'log'>,
  { id, filter }: { id: string; filter: string },
  { type, ts, data }: { type: string; ts: string; data: unknown },
): Promise<boolean> {
  if (filter.trim() === '') return true
  try {
    return isTrue(await evaluateJsonata(filter, { type, ts, data }))
  } catch (thrown) {
    log.write('warn', 'cannot evaluate a filter', { id, cause: String(thrown) })
    return false
  }
}

type Passes = (
  subscriber: { id: string; owner_id: string; filter: string },
  event: { type: string; ts: string; data: unknown },
) => Promise<boolean>

/** Time limit for all filters of one owner per batch of events, in milliseconds; a typical filter takes less than 1 ms. */
const maxTime = 2 * second

/**
 * `passes` for a batch of events. If an owner's filters take too long, their remaining events of the batch are skipped,
 * so that filters do not delay other work of the daemon.
 */
export function batchFilter(host: Pick<Host, 'clock' | 'log'>): Passes {
  const spent = new Map<string, number>()
  return async (subscriber, event) => {
    const { id, owner_id } = subscriber
    const ms = spent.get(owner_id) ?? 0
    if (subscriber.filter.trim() !== '' && ms > maxTime) {
      host.log.write('error', 'skipped an event: filters take too long', { id, type: event.type })
      return false
    }
    const begun = host.clock.now()
    const result = await passes(host, subscriber, event)
    spent.set(owner_id, ms + Math.max(0, host.clock.now() - begun))
    return result
  }
}

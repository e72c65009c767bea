import { matchesType } from '../events/pattern.ts'
import { eventTypes, isAboutHooks } from '../events/types.ts'
import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'

/** Refuses a pattern that matches no event type, which is probably a typo. */
export async function checkPatterns(host: Pick<Host, 'areas'>, patterns: readonly string[] = []): Promise<void> {
  const types = await eventTypes(host)
  for (const [index, pattern] of patterns.entries())
    if (!types.some((type) => matchesType(pattern, type)))
      throw invalidField(`events.${index}`, `matches no event type: ${pattern}`)
}

interface Subscriber {
  owner_id: string
  events: readonly string[]
  /** Events up to this position are skipped. */
  since: number
}

interface Happened {
  seq: number
  type: string
  owner_id: string | null
}

/** Whether an event is for this subscriber: after its start, of its types, and visible to its owner. */
export const isFor = ({ owner_id, events, since }: Subscriber, event: Happened): boolean =>
  event.seq > since &&
  (event.owner_id === null || event.owner_id === owner_id) &&
  !isAboutHooks(event.type) &&
  events.some((pattern) => matchesType(pattern, event.type))

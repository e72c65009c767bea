import type { StoredEvent } from '../events/commit.ts'
import { consumeEvents } from '../events/consumer.ts'
import type { Host } from '../host.ts'
import { newId } from '../id.ts'
import type { Statement } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { insertWork } from '../work/store.ts'
import { withDetails } from './event-details.ts'
import { isFor } from './event-types.ts'
import { batchFilter } from './filter.ts'
import { type HookRunDetails, insertRun } from './hook-run-store.ts'
import { nonBlockingHooks, type StoredHook } from './hooks.ts'
import { hookKind } from './kinds.ts'

/** Maximum depth of hooks and workflows that trigger each other. Stops a hook that causes its own events. */
export const maxDepth = 3

/** Queues a run for each event that matches a hook. */
export const hookEvents = consumeEvents({
  name: 'hooks',
  retyped_by: ['hook.created', 'hook.updated', 'hook.deleted'],
  types: async (host) => [...new Set((await nonBlockingHooks(host)).flatMap(({ events }) => events))],
  async consume(events, host) {
    const statements: Statement[] = []
    const passes = batchFilter(host)
    const hooks = await nonBlockingHooks(host)
    for (const stored of events) {
      const followers = hooks.filter((hook) => stored.chain_depth <= maxDepth && isFor(hook, stored))
      if (followers.length === 0) continue
      const event = await withDetails(host, stored)
      for (const hook of followers) if (await passes(hook, event)) statements.push(...runStatements(host, hook, event))
    }
    return { statements }
  },
})

function runStatements(host: Host, hook: StoredHook, event: StoredEvent): Statement[] {
  const run = newRun(host, hook.id, event)
  if (event.chain_depth === maxDepth) {
    const error = `Skipped: hooks and workflows triggered each other ${maxDepth} times before this event`
    return [insertRun({ ...run, status: 'skipped', error, completed_at: run.created_at })]
  }
  const deeper = { ...host, chain_depth: event.chain_depth + 1 }
  const work = { kind: hookKind, subject: run.id, lane: hook.id, owner_id: hook.owner_id }
  return [insertRun(run), insertWork(deeper, work).statement]
}

/** A new, pending run. */
export function newRun(
  { clock }: Pick<Host, 'clock'>,
  hook_id: string,
  { type, ts, data }: Pick<StoredEvent, 'type' | 'ts' | 'data'>,
): HookRunDetails {
  const now = clock.now()
  return {
    id: newId('run', now),
    hook_id,
    event_type: type,
    event: { type, ts, data },
    status: 'pending',
    decision: null,
    result: null,
    error: null,
    created_at: iso(now),
    completed_at: null,
  }
}

import { z } from 'zod'
import { collection } from '../collection.ts'
import type { Context } from '../context.ts'
import { latestEvent } from '../events/commit.ts'
import { invalidField } from '../fault.ts'
import { isSameJson } from '../values.ts'
import { HookAction } from './action-schema.ts'
import { checkPatterns } from './event-types.ts'
import { Enabled, EventFilter, EventPatterns, Name } from './fields.ts'
import { checkFilter } from './filter.ts'
import { runCounts } from './hook-run-store.ts'
import { sealHeaders } from './http-headers.ts'

const fields = {
  name: Name,
  enabled: Enabled,
  events: EventPatterns,
  filter: EventFilter,
  action: HookAction.meta({ title: 'Action' }),
  blocking: z.boolean().default(false).meta({
    title: 'Block or change before it runs',
    description:
      'For tool.before: allow, deny, ask a person, or change the input. For message.received: allow, deny, or change the text',
  }),
  timeout_seconds: z.int().min(1).max(120).default(30).meta({ title: 'Time limit', unit: 'seconds' }),
  priority: z.int().min(0).max(1_000).default(100).meta({
    title: 'Priority',
    description: 'Hooks with lower numbers decide first',
  }),
  fail_mode: z
    .enum(['open', 'closed'])
    .default('closed')
    .meta({ title: 'If the hook fails', labels: { open: 'Allow', closed: 'Deny' } }),
}

/** Hooks act when an event happens, or decide before it happens. */
export const hooks = collection({
  noun: 'hook',
  prefix: 'hook',
  path: '/api/hooks',
  items: 'hooks',
  owner: 'caller',
  summaries: {
    create: 'Create a hook, which acts when an event happens or decides before it happens',
    remove: 'Delete a hook with its runs',
  },
  events: { type: 'hook', id: 'hook_id' },
  table: {
    name: 'hooks',
    columns: ['enabled', 'blocking', 'priority', 'conversation_id', 'since'],
    packed: 'settings',
  },
  fields,
  hidden: {
    /** See `SealedAction`. */
    sealed_headers: z.string().nullable(),
    /** The conversation in which it notifies its owner. */
    conversation_id: z.string().nullable().default(null),
    since: z.number(),
  },
  derived: { runs: z.int(), failed: z.int(), last_run_at: z.string().nullable() },
  derive: (context, { id }) => runCounts(context, id),
  async prepare(context, { next, before }) {
    await checkPatterns(context, next.events)
    await checkFilter(next.filter)
    if (!isSameJson(next.action, before?.action))
      await (await import('./actions.ts')).checkHookAction(context, next.action)
    checkBlocking(next)
    const since = next.enabled && !before?.enabled ? await latestEvent(context) : (before?.since ?? 0)
    return { ...(await sealHeaders(context, next.action, before)), since }
  },
})

export type Hook = z.output<typeof hooks.Row>
export type StoredHook = NonNullable<Awaited<ReturnType<typeof hooks.find>>>

/** Events that a blocking hook can decide about. */
export const blockable = ['tool.before', 'message.received']
/** Actions whose result is a decision. */
const deciding = ['decide', 'http', 'agent', 'workflow']

function checkBlocking({ blocking, events, action: { kind } }: Pick<Hook, 'blocking' | 'events' | 'action'>) {
  if (!blocking) {
    if (kind === 'decide') throw invalidField('blocking', 'must be true: only a blocking hook can decide')
    return
  }
  for (const [index, type] of events.entries())
    if (!blockable.includes(type))
      throw invalidField(`events.${index}`, `must be ${blockable.join(' or ')} for a blocking hook`)
  if (!deciding.includes(kind))
    throw invalidField('action.kind', `must be one of ${deciding.join(', ')} for a blocking hook`)
}

/** The enabled non-blocking hooks of all owners. */
export const nonBlockingHooks = (host: Pick<Context, 'sql'>) =>
  hooks.table.list(host, 'id', { enabled: true, blocking: false })

/** A user's enabled blocking hooks, in the order in which they decide. */
export const blockingHooks = (host: Pick<Context, 'sql'>, owner_id: string) =>
  hooks.table.list(host, 'priority, id', { enabled: true, blocking: true, owner_id })

import { auditStatement } from '../auth/audit.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { latestEvent } from '../events/commit.ts'
import { event } from '../events/event.ts'
import { invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import { required } from '../required.ts'
import { iso, laterThan } from '../time.ts'
import { checkPatterns, isFor } from './event-types.ts'
import { checkFilter, passes } from './filter.ts'
import { type Answer, decide } from './gate.ts'
import { checkHookAction } from './hook-actions.ts'
import { hookEvents } from './hook-consumer.ts'
import type { Hook, HookChanges, HookRunDetails, HookTest, HookTested, NewHook } from './hook-schema.ts'
import {
  deleteHook,
  findOwnHook,
  findRun,
  insertHook,
  type RunCounts,
  runCounts,
  type StoredHook,
  updateHook,
} from './hook-store.ts'
import { sealHeaders } from './http-headers.ts'
import { renderedAction } from './incoming.ts'
import { plainText, TemplateError } from './template.ts'

/** Events that a blocking hook can decide about. */
export const blockable = ['tool.before', 'message.received']
/** Actions whose result is a decision. */
const deciding = ['decide', 'http', 'agent', 'workflow']

export function publicHook(hook: StoredHook, counts: RunCounts): Hook {
  const { conversation_id: _, since: __, sealed_headers: ___, ...known } = hook
  return { ...known, ...counts }
}

/** A hook of the caller, else a 404. */
export const requireHook = required('hook', findOwnHook)

export const showHook = async (context: Context, id: string): Promise<Hook> =>
  publicHook(await requireHook(context, id), await runCounts(context, id))

async function check(context: Context, hook: NewHook, before?: StoredHook): Promise<void> {
  await checkPatterns(context, hook.events)
  await checkFilter(hook.filter)
  if (JSON.stringify(hook.action) !== JSON.stringify(before?.action))
    await checkHookAction(context, hook.action)
  const { kind } = hook.action
  if (!hook.blocking) {
    if (kind === 'decide') throw invalidField('blocking', 'must be true: only a blocking hook can decide')
    return
  }
  for (const [index, type] of hook.events.entries())
    if (!blockable.includes(type))
      throw invalidField(`events.${index}`, `must be ${blockable.join(' or ')} for a blocking hook`)
  if (!deciding.includes(kind))
    throw invalidField('action.kind', `must be one of ${deciding.join(', ')} for a blocking hook`)
}

export async function addHook(context: Context, input: NewHook): Promise<Hook> {
  await check(context, input)
  const now = context.clock.now()
  const hook: StoredHook = {
    ...input,
    ...(await sealHeaders(context, input.action, null)),
    id: newId('hook', now),
    owner_id: ownerOf(context),
    conversation_id: null,
    since: await latestEvent(context),
    created_at: iso(now),
    updated_at: iso(now),
  }
  const { id: hook_id, name } = hook
  const answer = publicHook(hook, { runs: 0, failed: 0, last_run_at: null })
  await context.commit(
    [insertHook(hook), auditStatement(context, { action: 'hook.created', target: hook_id })],
    [event('hook.created', { hook_id, name })],
    { answer },
  )
  hookEvents.changed(context)
  return answer
}

/** Sets only the given fields. Of two changes at once, the second is applied on top of the first. */
export const editHook = (context: Context, id: string, changes: HookChanges): Promise<Hook> =>
  againIfLost(() => editOnce(context, id, changes))

async function editOnce(context: Context, id: string, changes: HookChanges): Promise<Hook> {
  const before = await requireHook(context, id)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const hook: StoredHook = { ...before, ...given }
  await check(context, hook, before)
  Object.assign(hook, await sealHeaders(context, hook.action, before))
  if (hook.enabled && !before.enabled) hook.since = await latestEvent(context)
  hook.updated_at = laterThan(before.updated_at, context.clock.now())
  const answer = publicHook(hook, await runCounts(context, id))
  await context.commit(
    [updateHook(hook, before), auditStatement(context, { action: 'hook.updated', target: id })],
    [event('hook.updated', { hook_id: id })],
    { answer },
  )
  hookEvents.changed(context)
  return answer
}

export async function removeHook(context: Context, id: string): Promise<void> {
  await requireHook(context, id)
  await context.commit(
    [deleteHook(id), auditStatement(context, { action: 'hook.deleted', target: id })],
    [event('hook.deleted', { hook_id: id })],
  )
  hookEvents.changed(context)
}

export async function showHookRun(context: Context, hook: string, id: string): Promise<HookRunDetails> {
  await requireHook(context, hook)
  const run = await findRun(context, id)
  if (run?.hook_id !== hook) throw notFound(`The run ${id}`)
  return run
}

/** A dry run of a hook for an event: nothing is started or sent, but a rule given as an expression is evaluated. */
export async function testHook(context: Context, id: string, given: HookTest): Promise<HookTested> {
  const hook = await requireHook(context, id)
  const first = hook.events.find((pattern) => !pattern.endsWith('*')) ?? 'job.run.finished'
  const { type = first, data } = given
  const hookEvent = { type, ts: iso(context.clock.now()), data }
  const isWanted = isFor({ ...hook, since: -1 }, { seq: 0, type, owner_id: hook.owner_id })
  const matches = isWanted && (await passes(context, hook, hookEvent))
  const { action } = hook
  const tested = { matches, action: null, decision: null, reason: null, error: null }
  try {
    if (action.kind === 'decide') return { ...tested, ...shown(await decide(context, hook, hookEvent)) }
    if (action.kind === 'notify')
      return { ...tested, action: { ...action, message: await plainText(action.message, hookEvent) } }
    if (action.kind !== 'http') return { ...tested, ...(await renderedAction(action, hookEvent)) }
    const body =
      action.body.trim() === '' ? JSON.stringify(hookEvent) : await plainText(action.body, hookEvent)
    return { ...tested, action: { ...action, body } }
  } catch (thrown) {
    if (thrown instanceof TemplateError || action.kind === 'decide')
      return { ...tested, error: thrown instanceof Error ? thrown.message : String(thrown) }
    throw thrown
  }
}

const shown = ({ decision, reason, input }: Answer) => ({
  decision,
  reason: reason ?? null,
  action: input === undefined ? null : { input },
})

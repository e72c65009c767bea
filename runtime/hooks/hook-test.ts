import { z } from 'zod'
import type { Context } from '../context.ts'
import { errorMessage } from '../thrown.ts'
import { iso } from '../time.ts'
import { isFor } from './event-types.ts'
import { passes } from './filter.ts'
import { type Answer, decide } from './gate.ts'
import { Decision } from './hook-run-store.ts'
import { hooks } from './hooks.ts'
import { renderedAction } from './preview.ts'
import { plainText, TemplateError } from './template.ts'

export const HookTest = z.object({
  /** Default: the first type of the hook. */
  type: z.string().max(100).optional(),
  data: z.record(z.string(), z.unknown()).default({}),
})

export const HookTested = z.object({
  /** Whether the types and the filter of the hook match. */
  matches: z.boolean(),
  /** The action with its templates rendered. */
  action: z.record(z.string(), z.unknown()).nullable(),
  decision: Decision.nullable(),
  reason: z.string().nullable(),
  error: z.string().nullable(),
})
export type HookTested = z.output<typeof HookTested>

/** A dry run of a hook for an event: nothing is started or sent, but a rule given as an expression is evaluated. */
export async function testHook(context: Context, id: string, sent: z.output<typeof HookTest>): Promise<HookTested> {
  const hook = await hooks.require(context, id)
  const first = hook.events.find((pattern) => !pattern.endsWith('*')) ?? 'job.run.finished'
  const { type = first, data } = sent
  const hookEvent = { type, ts: iso(context.clock.now()), data }
  const isOfHook = isFor({ ...hook, since: -1 }, { seq: 0, type, owner_id: hook.owner_id })
  const matches = isOfHook && (await passes(context, hook, hookEvent))
  const { action } = hook
  const tested = { matches, action: null, decision: null, reason: null, error: null }
  try {
    if (action.kind === 'decide') return { ...tested, ...answerShown(await decide(context, hook, hookEvent)) }
    if (action.kind === 'notify')
      return { ...tested, action: { ...action, message: await plainText(action.message, hookEvent) } }
    if (action.kind !== 'http') return { ...tested, ...(await renderedAction(action, hookEvent)) }
    const body = action.body.trim() === '' ? JSON.stringify(hookEvent) : await plainText(action.body, hookEvent)
    return { ...tested, action: { ...action, body } }
  } catch (thrown) {
    if (thrown instanceof TemplateError || action.kind === 'decide') return { ...tested, error: errorMessage(thrown) }
    throw thrown
  }
}

const answerShown = ({ decision, reason, input }: Answer) => ({
  decision,
  reason: reason ?? null,
  action: input === undefined ? null : { input },
})

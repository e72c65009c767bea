import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { prepareHook } from './hook-actions.ts'
import { endRun, findRun, type HookRunDetails } from './hook-run-store.ts'
import { hooks } from './hooks.ts'
import { hookKind } from './kinds.ts'
import { TemplateError } from './template.ts'

/** Seconds before each retry of a failed request. */
const delays = [5, 30, 120]

/** Runs a hook's action for an event. The action starts in the commit that ends the run: exactly once, even after a crash. */
export const hookRun: WorkKind = {
  kind: hookKind,
  max_running: 50,
  reports_events: true,
  after_crash: 'retry',
  retry: { max_attempts: delays.length + 1, delay_seconds: (attempt) => delays[attempt - 1] ?? 120 },
  async run({ subject }, context) {
    const run = await findRun(context, subject)
    const hook = run && (await hooks.find(context, run.hook_id))
    if (!hook || run.status !== 'pending') return { status: 'succeeded' }
    if (!hook.enabled) return ended(context, run, { status: 'skipped', error: 'The hook was disabled in the meantime' })
    try {
      const limit = { milliseconds: hook.timeout_seconds * second }
      const { statements, events, announce, result } = await within(context, limit, (signal) =>
        prepareHook({ ...context, signal }, hook, run),
      )
      const end = ended(context, run, { status: 'succeeded', result })
      return {
        ...end,
        statements: [...end.statements, ...statements],
        events: [...end.events, ...events],
        announce,
      }
    } catch (thrown) {
      // A person must fix something first, such as the template.
      if (thrown instanceof Fault || thrown instanceof TemplateError)
        return ended(context, run, { status: 'failed', error: thrown.message })
      throw thrown
    }
  },
  async ended(work, _, context) {
    const run = await findRun(context, work.subject)
    if (run?.status !== 'pending') return {}
    return ended(context, run, { status: 'failed', error: `Failed ${work.attempt} times` })
  },
}

function ended(
  context: Context,
  { id, hook_id }: HookRunDetails,
  {
    status,
    result = null,
    error = null,
  }: { status: HookRunDetails['status']; result?: HookRunDetails['result']; error?: string | null },
) {
  const completed_at = iso(context.clock.now())
  return {
    status: 'succeeded',
    statements: [endRun(id, { status, result, error, completed_at })],
    events: [event('hook.run.updated', { hook_id, run_id: id, status })],
  } satisfies WorkOutcome
}

import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { Fault } from '../fault.ts'
import { iso } from '../time.ts'
import type { WorkKind, WorkOutcome } from '../work/kind.ts'
import { prepare } from './actions.ts'
import { incomingWebhooks } from './incoming.ts'
import { incomingKind } from './kinds.ts'
import { messageOf } from './receive.ts'
import { endReceived, findReceived, type StoredReceived } from './received-store.ts'
import { TemplateError } from './template.ts'

/** Starts the action of a received message in the commit that ends the work: exactly once, even after a crash. */
export const incomingRun: WorkKind = {
  kind: incomingKind,
  max_running: 20,
  after_crash: 'retry',
  retry: { max_attempts: 5, delay_seconds: (attempt) => 5 * 3 ** attempt },
  async run({ subject }, context) {
    const received = await findReceived(context, subject)
    const webhook = received && (await incomingWebhooks.find(context, received.webhook_id))
    if (!webhook || received.status !== 'pending') return { status: 'succeeded' }
    const { name, action } = webhook
    if (!action) return failed(context, received, 'The webhook has no action')
    try {
      const data = { ...messageOf(received) }
      const starter = { name, run_id: received.id, trigger: 'webhook' as const, data }
      const { statements, events, announce, result } = await prepare(context, action, starter)
      const now = iso(context.clock.now())
      const end = endReceived(received.id, { status: 'succeeded', result, error: null, completed_at: now })
      return {
        status: 'succeeded',
        statements: [end, ...statements],
        events: [...events, changed(received, 'succeeded')],
        announce,
      }
    } catch (thrown) {
      // A person must fix something first, such as the template.
      if (thrown instanceof Fault || thrown instanceof TemplateError) return failed(context, received, thrown.message)
      throw thrown
    }
  },
  async ended({ subject }, _, context) {
    const received = await findReceived(context, subject)
    return received?.status === 'pending'
      ? failed(context, received, 'The message could not be processed; see the log of the daemon')
      : {}
  },
}

function failed(context: Context, received: StoredReceived, error: string): WorkOutcome {
  const now = iso(context.clock.now())
  return {
    status: 'succeeded',
    statements: [endReceived(received.id, { status: 'failed', result: null, error, completed_at: now })],
    events: [changed(received, 'failed')],
  }
}

const changed = ({ id, webhook_id }: StoredReceived, status: string) =>
  event('webhook.incoming.received', { webhook_id, delivery_id: id, status })

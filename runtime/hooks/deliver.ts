import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { signStandard } from '../secrets/signatures.ts'
import { beginningOf } from '../streams.ts'
import { errorWithCause } from '../thrown.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkKind } from '../work/kind.ts'
import { Stopping } from '../work/run.ts'
import {
  type Attempt,
  cancelDeliveries,
  dueDeliveries,
  nextDelivery,
  type StoredDelivery,
  updateDelivery,
} from './delivery-store.ts'
import { deliveryWork, webhookKind } from './kinds.ts'
import { secretPurpose } from './purposes.ts'
import { type StoredWebhook, webhooks } from './webhooks.ts'

/** Seconds before each retry. */
const delays = [5, 30, 120, 600, 3_600, 21_600]
/** Time limit for the receiver's response, in milliseconds. */
const timeout = 15 * second
/** Concurrent deliveries per webhook, unless it is ordered. */
const atOnce = 8
/** Deliveries per unit of work, after which other webhooks get their turn. */
const maxPerRun = 64
/** Characters of a response, and attempts per delivery, that are stored. */
const kept = { excerpt: 1_000, attempts: 20 }

/**
 * Sends the due deliveries of a webhook, its subject. A webhook has one unit of work at a time, so a slow or failing
 * receiver occupies one worker and delays only its own deliveries.
 */
export const webhookDeliver: WorkKind = {
  kind: webhookKind,
  max_running: 100,
  reports_events: true,
  after_crash: 'retry',
  retry: { max_attempts: Number.POSITIVE_INFINITY, delay_seconds: () => 60 },
  async run({ subject }, context) {
    for (let sent = 0; sent < maxPerRun; ) {
      const webhook = await webhooks.find(context, subject)
      if (!webhook?.enabled) return { status: 'succeeded' }
      const due = await dueDeliveries(context, webhook, { now: context.clock.now(), limit: atOnce })
      if (due.length === 0) break
      await Promise.all(due.map((delivery) => deliverOnce(context, webhook, delivery)))
      sent += due.length
    }
    const webhook = await webhooks.find(context, subject)
    const next = webhook?.enabled ? await nextDelivery(context, webhook) : null
    const statements = webhook && next !== null ? [deliveryWork(context, webhook, next)] : []
    return { status: 'succeeded', statements }
  },
}

async function deliverOnce(context: Context, webhook: StoredWebhook, delivery: StoredDelivery): Promise<void> {
  const { attempt, refused } = await send(context, webhook, delivery)
  const now = context.clock.now()
  const isGone = attempt.response_status === 410
  const after = afterAttempt(delivery, attempt, { now, isFinal: refused || isGone })
  const { id: webhook_id, name } = webhook
  const reason = 'The receiver returned 410 Gone'
  await context.commit(
    [updateDelivery(after), ...(isGone ? disabling(webhook_id, reason, iso(now)) : [])],
    [
      event('webhook.delivery.updated', { webhook_id, delivery_id: delivery.id, status: after.status }),
      ...(isGone ? [event('webhook.disabled', { webhook_id, name, reason })] : []),
    ],
  )
}

/** Disables a webhook whose receiver is gone, and cancels its pending deliveries. */
const disabling = (id: string, reason: string, now: string) => [
  webhooks.table.update({ enabled: false, disabled_reason: reason, updated_at: now }, { id }),
  cancelDeliveries(id, now),
]

/** A delivery after an attempt: succeeded, scheduled for a retry, or failed. */
export function afterAttempt(
  delivery: StoredDelivery,
  attempt: Attempt,
  { now, isFinal }: { now: number; isFinal: boolean },
): StoredDelivery {
  const count = delivery.attempt + 1
  const attempts = [...delivery.attempts, attempt].slice(-kept.attempts)
  const ended = { ...delivery, attempt: count, attempts, next_attempt_at: null, completed_at: iso(now) }
  if (attempt.error === null) return { ...ended, status: 'succeeded' }
  const delay = delays[count - 1]
  if (isFinal || delay === undefined) return { ...ended, status: 'failed' }
  return { ...ended, status: 'pending', next_attempt_at: iso(now + delay * second), completed_at: null }
}

/** Sends a delivery once. `refused`: the address is not allowed, so retries are pointless. Throws on shutdown only. */
export async function send(
  context: Context,
  webhook: StoredWebhook,
  { id, payload }: Pick<StoredDelivery, 'id' | 'payload'>,
): Promise<{ attempt: Attempt; refused: boolean }> {
  const begun = context.clock.now()
  const answer = { response_status: null as number | null, response_excerpt: '' }
  let error: string | null = null
  let refused = false
  try {
    const timestamp = Math.floor(begun / second)
    const signed = await signStandard(await secretsOf(context, webhook), { id, timestamp, body: payload })
    await within(context, { milliseconds: timeout }, async (signal) => {
      const headers = { 'content-type': 'application/json', 'user-agent': 'hearthd', ...signed }
      const request = { method: 'POST', headers, body: payload, signal, redirect: 'manual' as const }
      const response = await context.outbound.fetch(webhook.url, request)
      answer.response_status = response.status
      if (!response.ok) error = `The receiver returned ${response.status}`
      answer.response_excerpt = context.process.redaction.text(await beginningOf(response, kept.excerpt))
    })
  } catch (thrown) {
    if (context.signal.reason instanceof Stopping) throw thrown
    refused = thrown instanceof OutboundBlocked
    // A response with an incomplete body still counts as a response.
    if (answer.response_status === null || error !== null)
      error ??= refused
        ? `The guard for outgoing requests refused it: ${errorWithCause(thrown)}`
        : errorWithCause(thrown)
  }
  const at = { at: iso(begun), duration_ms: Math.max(0, Math.round(context.clock.now() - begun)) }
  return { attempt: { ...at, ...answer, error }, refused }
}

/** The secrets that sign a delivery: for a time after a rotation, also the old one. */
async function secretsOf(context: Context, webhook: StoredWebhook): Promise<string[]> {
  const { sealed_secret, sealed_old_secret, old_secret_until } = webhook
  const isOldValid = old_secret_until !== null && Date.parse(old_secret_until) > context.clock.now()
  const sealed = [sealed_secret, ...(sealed_old_secret !== null && isOldValid ? [sealed_old_secret] : [])]
  return Promise.all(sealed.map((one) => context.secrets.open(one, secretPurpose)))
}

import { z } from 'zod'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, notFound } from '../fault.ts'
import { hour, iso } from '../time.ts'
import { afterAttempt, send } from './deliver.ts'
import {
  type Delivery,
  type DeliveryDetails,
  deliveryDetails,
  findDelivery,
  insertDelivery,
  newDelivery,
  publicDelivery,
  type StoredDelivery,
  updateDelivery,
} from './delivery-store.ts'
import { deliveryWork } from './kinds.ts'
import { newSecret, Secret, sealSecret, type WebhookWithSecret, webhooks } from './webhooks.ts'

/** Creates a webhook and returns its secret, this once. */
export function addWebhook(context: Context, input: z.output<typeof webhooks.New>): Promise<WebhookWithSecret> {
  const secret = input.secret ?? newSecret(context)
  return webhooks.add(context, { ...input, secret }, { secret })
}

export const Rotation = z.object({
  /** Default: a new random one. */
  secret: Secret.optional(),
  /** How long deliveries are also signed with the old secret. */
  overlap_hours: z.number().min(0).max(720).default(24),
})

/** Replaces the secret. For some time, deliveries are signed with both. */
export function rotateSecret(
  context: Context,
  id: string,
  rotation: z.output<typeof Rotation>,
): Promise<WebhookWithSecret> {
  const { secret = newSecret(context), overlap_hours: hours } = rotation
  return webhooks.change(
    context,
    id,
    async ({ sealed_secret }) => ({
      ...(await sealSecret(context, secret)),
      sealed_old_secret: hours === 0 ? null : sealed_secret,
      old_secret_until: hours === 0 ? null : iso(context.clock.now() + hours * hour),
    }),
    { action: 'webhook.secret.rotated', extra: { secret } },
  )
}

export async function requireDelivery(context: Context, webhook: string, id: string): Promise<StoredDelivery> {
  await webhooks.require(context, webhook)
  const delivery = await findDelivery(context, webhook, id)
  if (!delivery) throw notFound(`The delivery ${id}`)
  return delivery
}

/** Queues an ended delivery again with the same id, so that the receiver can detect the duplicate. */
export async function redeliver(context: Context, webhookId: string, id: string): Promise<Delivery> {
  const webhook = await webhooks.require(context, webhookId)
  const delivery = await requireDelivery(context, webhookId, id)
  if (delivery.status === 'pending') throw conflict('The delivery is still pending')
  if (!webhook.enabled) throw conflict('The webhook is disabled: enable it first')
  const now = context.clock.now()
  const queued: StoredDelivery = {
    ...delivery,
    status: 'pending',
    attempt: 0,
    next_attempt_at: iso(now),
    completed_at: null,
  }
  const answer = publicDelivery(queued)
  await context.commit(
    [updateDelivery(queued), deliveryWork(context, webhook, now)],
    [event('webhook.delivery.updated', { webhook_id: webhookId, delivery_id: id, status: 'pending' })],
    { answer },
  )
  context.process.wake()
  return answer
}

/** Sends a test event once, immediately, and returns the response. */
export async function testWebhook(context: Context, id: string): Promise<DeliveryDetails> {
  const webhook = await webhooks.require(context, id)
  const now = context.clock.now()
  const data = { webhook_id: id, message: 'This is a test' }
  const delivery = newDelivery(context, id, { type: 'webhook.test', ts: iso(now), data })
  const { attempt } = await send(context, webhook, delivery)
  const ended = afterAttempt(delivery, attempt, { now: context.clock.now(), isFinal: true })
  await context.commit(
    [insertDelivery(ended)],
    [event('webhook.delivery.updated', { webhook_id: id, delivery_id: ended.id, status: ended.status })],
  )
  return deliveryDetails(ended)
}

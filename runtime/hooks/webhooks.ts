import { auditStatement } from '../auth/audit.ts'
import { ownerOf } from '../auth/owner.ts'
import type { Context } from '../context.ts'
import { latestEvent } from '../events/commit.ts'
import { event } from '../events/event.ts'
import { conflict, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import { required } from '../required.ts'
import { standardKey, toPaddedBase64 } from '../secrets/signatures.ts'
import { hour, iso, laterThan } from '../time.ts'
import { afterAttempt, send } from './deliver.ts'
import { checkPatterns } from './event-types.ts'
import { checkFilter } from './filter.ts'
import { deliveryWork } from './kinds.ts'
import { secretPurpose } from './purposes.ts'
import type {
  Delivery,
  DeliveryDetails,
  NewWebhook,
  Rotation,
  Webhook,
  WebhookChanges,
  WebhookWithSecret,
} from './schema.ts'
import { newDelivery, webhookEvents } from './webhook-consumer.ts'
import {
  countsOf,
  deleteWebhook,
  deliveryDetails,
  findDelivery,
  findOwnWebhook,
  insertDelivery,
  insertWebhook,
  publicDelivery,
  type StoredDelivery,
  type StoredWebhook,
  updateDelivery,
  updateWebhook,
  type WebhookCounts,
} from './webhook-store.ts'

export function publicWebhook(webhook: StoredWebhook, counts: WebhookCounts): Webhook {
  const { hint, sealed_secret: _, sealed_old_secret: __, since: ___, ...known } = webhook
  return { ...known, ...counts, secret: { configured: true, hint } }
}

/** A webhook of the caller, else a 404. */
export const requireWebhook = required('webhook', findOwnWebhook)

export async function showWebhook(context: Context, id: string): Promise<Webhook> {
  return publicWebhook(await requireWebhook(context, id), await countsOf(context, id))
}

/** A new random secret: `whsec_` and base64 of 24 bytes. */
function newSecret({ secrets }: Context): string {
  const bytes = secrets.random(24).match(/../g) ?? []
  return `whsec_${toPaddedBase64(Uint8Array.from(bytes, (byte) => Number.parseInt(byte, 16)))}`
}

async function sealed(context: Context, given: string | undefined) {
  const secret = given ?? newSecret(context)
  if (standardKey(secret).length === 0) throw conflict('The secret is empty')
  const sealed_secret = await context.secrets.seal(secret, secretPurpose)
  return { secret, sealed_secret, hint: `…${secret.slice(-4)}` }
}

export async function addWebhook(context: Context, input: NewWebhook): Promise<WebhookWithSecret> {
  await checkPatterns(context, input.events)
  await checkFilter(input.filter)
  const { secret: given, ...settings } = input
  const { secret, ...stored } = await sealed(context, given)
  const now = context.clock.now()
  const webhook: StoredWebhook = {
    ...settings,
    ...stored,
    id: newId('wh', now),
    owner_id: ownerOf(context),
    sealed_old_secret: null,
    old_secret_until: null,
    disabled_reason: null,
    since: await latestEvent(context),
    created_at: iso(now),
    updated_at: iso(now),
  }
  const { id, name } = webhook
  const answer = { ...publicWebhook(webhook, { pending: 0, failed: 0, last_delivery_at: null }), secret }
  await context.commit(
    [insertWebhook(webhook), auditStatement(context, { action: 'webhook.created', target: id })],
    [event('webhook.created', { webhook_id: id, name })],
    { answer },
  )
  webhookEvents.changed(context)
  return answer
}

async function store<Answer extends object>(
  context: Context,
  webhook: StoredWebhook,
  { before, action, extra }: { before: StoredWebhook; action: string; extra: Answer },
): Promise<Omit<Webhook, keyof Answer> & Answer> {
  const now = context.clock.now()
  const changed = { ...webhook, updated_at: laterThan(before.updated_at, now) }
  const answer = { ...publicWebhook(changed, await countsOf(context, changed.id)), ...extra }
  await context.commit(
    [
      updateWebhook(changed, before),
      auditStatement(context, { action, target: webhook.id }),
      ...(changed.enabled ? [deliveryWork(context, changed, now)] : []),
    ],
    [event('webhook.updated', { webhook_id: webhook.id })],
    { answer },
  )
  webhookEvents.changed(context)
  return answer
}

/** Changes a webhook. While it is disabled, no deliveries are queued; pending ones are sent when it is enabled again. */
export const editWebhook = (context: Context, id: string, changes: WebhookChanges): Promise<Webhook> =>
  againIfLost(() => editOnce(context, id, changes))

async function editOnce(context: Context, id: string, changes: WebhookChanges): Promise<Webhook> {
  const before = await requireWebhook(context, id)
  await checkPatterns(context, changes.events)
  await checkFilter(changes.filter)
  const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined))
  const webhook: StoredWebhook = { ...before, ...given }
  if (webhook.enabled && !before.enabled) {
    webhook.disabled_reason = null
    webhook.since = await latestEvent(context)
  }
  return store(context, webhook, { before, action: 'webhook.updated', extra: {} })
}

/** Replaces the secret. For some time, deliveries are signed with both. */
export const rotateSecret = (context: Context, id: string, rotation: Rotation): Promise<WebhookWithSecret> =>
  againIfLost(() => rotateOnce(context, id, rotation))

async function rotateOnce(
  context: Context,
  id: string,
  { secret: given, overlap_hours }: Rotation,
): Promise<WebhookWithSecret> {
  const before = await requireWebhook(context, id)
  const { secret, ...stored } = await sealed(context, given)
  const rotated: StoredWebhook = {
    ...before,
    ...stored,
    sealed_old_secret: overlap_hours === 0 ? null : before.sealed_secret,
    old_secret_until: overlap_hours === 0 ? null : iso(context.clock.now() + overlap_hours * hour),
  }
  return store(context, rotated, { before, action: 'webhook.secret.rotated', extra: { secret } })
}

export async function removeWebhook(context: Context, id: string): Promise<void> {
  await requireWebhook(context, id)
  await context.commit(
    [deleteWebhook(id), auditStatement(context, { action: 'webhook.deleted', target: id })],
    [event('webhook.deleted', { webhook_id: id })],
  )
  webhookEvents.changed(context)
}

export async function requireDelivery(
  context: Context,
  webhook: string,
  id: string,
): Promise<StoredDelivery> {
  await requireWebhook(context, webhook)
  const delivery = await findDelivery(context, webhook, id)
  if (!delivery) throw notFound(`The delivery ${id}`)
  return delivery
}

/** Queues an ended delivery again with the same id, so that the receiver can detect the duplicate. */
export async function redeliver(context: Context, webhookId: string, id: string): Promise<Delivery> {
  const webhook = await requireWebhook(context, webhookId)
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
  const webhook = await requireWebhook(context, id)
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

import { z } from 'zod'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, notFound } from '../fault.ts'
import { reference } from '../references.ts'
import { iso, minute } from '../time.ts'
import { insertWork } from '../work/store.ts'
import { StartAction } from './action-schema.ts'
import { type Incoming, incomingWebhooks } from './incoming.ts'
import { incomingKind } from './kinds.ts'
import { type Previewed, renderedAction } from './preview.ts'
import { messageOf } from './receive.ts'
import {
  findReceived,
  lastReceived,
  publicReceived,
  type Received,
  type ReceivedDetails,
  reopenReceived,
  type StoredReceived,
} from './received-store.ts'

export const Capture = z.object({ minutes: z.number().min(0).max(1_440).default(30) })

/** For some minutes, records messages without starting anything; 0 turns capture off. */
export const capture = (context: Context, id: string, { minutes }: z.output<typeof Capture>): Promise<Incoming> =>
  incomingWebhooks.change(context, id, () => ({
    capture_until: minutes === 0 ? null : iso(context.clock.now() + minutes * minute),
  }))

async function requireReceived(context: Context, webhook: string, id: string): Promise<StoredReceived> {
  await incomingWebhooks.require(context, webhook)
  const received = await findReceived(context, id)
  if (received?.webhook_id !== webhook) throw notFound(`The delivery ${id}`)
  return received
}

export async function showReceived(context: Context, webhook: string, id: string): Promise<ReceivedDetails> {
  const received = await requireReceived(context, webhook, id)
  return { ...publicReceived(received), message: messageOf(received) }
}

/** Processes a received message again with the current action. */
export async function replay(context: Context, webhookId: string, id: string): Promise<Received> {
  const webhook = await incomingWebhooks.require(context, webhookId)
  const received = await requireReceived(context, webhookId, id)
  if (!webhook.action) throw conflict('The webhook has no action: set one first')
  if (Object.keys(received.headers).length === 0 && received.body === '')
    throw conflict('The content of this message is no longer stored')
  const opened = { status: 'pending' as const, result: null, error: null, completed_at: null }
  const answer: Received = { ...publicReceived(received), ...opened }
  await context.commit(
    [reopenReceived(id), insertWork(context, { kind: incomingKind, subject: id, lane: webhookId }).statement],
    [event('webhook.incoming.received', { webhook_id: webhookId, delivery_id: id, status: 'pending' })],
    { answer },
  )
  context.process.wake()
  return answer
}

export const Preview = z.object({
  action: StartAction,
  /** Id of a received message. Default, if `body` is not given either: the latest one. */
  delivery_id: reference('delivery', 100).optional(),
  body: z.unknown().optional(),
})

/** An action with its templates rendered from a message. Starts nothing. */
export async function previewIncoming(
  context: Context,
  id: string,
  { action, delivery_id, body }: z.output<typeof Preview>,
): Promise<Previewed> {
  await incomingWebhooks.require(context, id)
  const received =
    delivery_id === undefined ? await lastReceived(context, id) : await requireReceived(context, id, delivery_id)
  if (body === undefined && !received) throw conflict('No message has been received yet; send a body')
  const empty = { headers: {}, query: {}, received_at: iso(context.clock.now()) }
  const message = body === undefined && received ? messageOf(received) : { ...empty, body }
  return renderedAction(action, { ...message })
}

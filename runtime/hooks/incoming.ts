import type { z } from 'zod'
import { auditStatement } from '../auth/audit.ts'
import { ownerOf } from '../auth/owner.ts'
import { publicUrl } from '../channels/settings.ts'
import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { conflict, Fault, invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import { againIfLost } from '../lost-race.ts'
import { required } from '../required.ts'
import { iso, laterThan, minute } from '../time.ts'
import { insertWork } from '../work/store.ts'
import type { StartAction } from './action-schema.ts'
import { checkAction } from './actions.ts'
import type {
  Incoming,
  IncomingChanges,
  NewIncoming,
  Previewed,
  Received,
  ReceivedDetails,
} from './incoming-schema.ts'
import {
  deleteIncoming,
  findOwnIncoming,
  findReceived,
  insertIncoming,
  lastReceived,
  publicReceived,
  receivedCounts,
  receivedDetails,
  reopenReceived,
  type StoredIncoming,
  type StoredReceived,
  updateIncoming,
} from './incoming-store.ts'
import { incomingKind } from './kinds.ts'
import { secretPurpose, tokenPurpose } from './purposes.ts'
import { messageOf } from './receive.ts'
import { type TemplateData, TemplateError, templateValue, textForModel } from './template.ts'

/** An incoming webhook as the API returns it. */
export async function publicIncoming(context: Context, webhook: StoredIncoming): Promise<Incoming> {
  const { hint, token_hash: _, sealed_token, sealed_secret, ...known } = webhook
  const path = `/api/webhooks/in/${await context.secrets.open(sealed_token, tokenPurpose)}`
  return {
    ...known,
    ...(await receivedCounts(context, webhook.id)),
    secret: sealed_secret === null ? null : { configured: true, hint: hint ?? '…' },
    path,
    url: await publicUrl(context, path),
  }
}

/** An incoming webhook of the caller, else a 404. */
export const requireIncoming = required('incoming webhook', findOwnIncoming)

async function sealedSecret(context: Context, secret: string | undefined) {
  if (secret === undefined) return {}
  return {
    sealed_secret: await context.secrets.seal(secret, secretPurpose),
    hint: `…${secret.slice(-4)}`,
  }
}

function requireSecret({ auth, sealed_secret }: StoredIncoming): void {
  if (auth.kind !== 'none' && sealed_secret === null)
    throw invalidField('secret', `is required: ${auth.kind} verifies messages with it`)
}

export async function addIncoming(context: Context, input: NewIncoming): Promise<Incoming> {
  const { secret, ...settings } = input
  if (settings.action) await checkAction(context, settings.action)
  const now = context.clock.now()
  const token = context.secrets.random(24)
  const webhook: StoredIncoming = {
    ...settings,
    sealed_secret: null,
    hint: null,
    ...(await sealedSecret(context, secret)),
    id: newId('whin', now),
    owner_id: ownerOf(context),
    token_hash: context.secrets.sha256(token),
    sealed_token: await context.secrets.seal(token, tokenPurpose),
    capture_until: null,
    created_at: iso(now),
    updated_at: iso(now),
  }
  requireSecret(webhook)
  const { id, name } = webhook
  const answer = await publicIncoming(context, webhook)
  await context.commit(
    [insertIncoming(webhook), auditStatement(context, { action: 'webhook.created', target: id })],
    [event('webhook.incoming.created', { webhook_id: id, name })],
    { answer },
  )
  return answer
}

async function store(context: Context, webhook: StoredIncoming, before: StoredIncoming): Promise<Incoming> {
  const updated_at = laterThan(before.updated_at, context.clock.now())
  const changed = { ...webhook, updated_at }
  const answer = await publicIncoming(context, changed)
  await context.commit(
    [
      updateIncoming(changed, before),
      auditStatement(context, { action: 'webhook.updated', target: webhook.id }),
    ],
    [event('webhook.incoming.updated', { webhook_id: webhook.id })],
    { answer },
  )
  return answer
}

/** Changes an incoming webhook. Its address never changes; its secret is kept unless a new one is given. */
export const editIncoming = (context: Context, id: string, changes: IncomingChanges): Promise<Incoming> =>
  againIfLost(() => editOnce(context, id, changes))

async function editOnce(context: Context, id: string, changes: IncomingChanges): Promise<Incoming> {
  const before = await requireIncoming(context, id)
  const { secret, ...settings } = changes
  if (settings.action && JSON.stringify(settings.action) !== JSON.stringify(before.action))
    await checkAction(context, settings.action)
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined))
  const webhook: StoredIncoming = { ...before, ...given, ...(await sealedSecret(context, secret)) }
  requireSecret(webhook)
  return store(context, webhook, before)
}

/** For some minutes, records messages without starting anything; 0 turns capture off. */
export const capture = (context: Context, id: string, minutes: number): Promise<Incoming> =>
  againIfLost(async () => {
    const before = await requireIncoming(context, id)
    const capture_until = minutes === 0 ? null : iso(context.clock.now() + minutes * minute)
    return store(context, { ...before, capture_until }, before)
  })

export async function removeIncoming(context: Context, id: string): Promise<void> {
  await requireIncoming(context, id)
  await context.commit(
    [deleteIncoming(id), auditStatement(context, { action: 'webhook.deleted', target: id })],
    [event('webhook.incoming.deleted', { webhook_id: id })],
  )
}

async function requireReceived(context: Context, webhook: string, id: string): Promise<StoredReceived> {
  await requireIncoming(context, webhook)
  const received = await findReceived(context, id)
  if (received?.webhook_id !== webhook) throw notFound(`The delivery ${id}`)
  return received
}

export async function showReceived(context: Context, webhook: string, id: string): Promise<ReceivedDetails> {
  const received = await requireReceived(context, webhook, id)
  return receivedDetails(received, messageOf(received))
}

/** Processes a received message again with the current action. */
export async function replay(context: Context, webhookId: string, id: string): Promise<Received> {
  const webhook = await requireIncoming(context, webhookId)
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

/** An action with its templates rendered from a message. Starts nothing. */
export async function previewIncoming(
  context: Context,
  id: string,
  { action, delivery_id, body }: { action: StartAction; delivery_id?: string | undefined; body?: unknown },
): Promise<z.output<typeof Previewed>> {
  await requireIncoming(context, id)
  const received =
    delivery_id === undefined
      ? await lastReceived(context, id)
      : await requireReceived(context, id, delivery_id)
  if (body === undefined && !received) throw conflict('No message was received yet; give a body')
  const empty = { headers: {}, query: {}, received_at: iso(context.clock.now()) }
  const message = body === undefined && received ? messageOf(received) : { ...empty, body }
  return renderedAction(action, { ...message })
}

export async function renderedAction(
  action: StartAction,
  data: TemplateData,
): Promise<z.output<typeof Previewed>> {
  try {
    if ('message' in action)
      return { action: { ...action, message: await textForModel(action.message, data) }, error: null }
    if (action.kind === 'workflow') {
      const input = action.input.trim() === '' ? data : await templateValue(action.input, data)
      return { action: { ...action, input }, error: null }
    }
    return { action, error: null }
  } catch (thrown) {
    if (thrown instanceof TemplateError || thrown instanceof Fault)
      return { action: null, error: thrown.message }
    throw thrown
  }
}

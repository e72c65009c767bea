import type { Context } from '../context.ts'
import { event } from '../events/event.ts'
import { badRequest, Fault, notFound, unauthorized } from '../fault.ts'
import { parseBody, readBytes } from '../http/body.ts'
import { callLimit } from '../http/call-limit.ts'
import { newId } from '../id.ts'
import { GuardFailed } from '../ports/sql.ts'
import { iso } from '../time.ts'
import { asOwner } from '../work/run.ts'
import { insertWork } from '../work/store.ts'
import { type IncomingAuth, incomingWebhooks, type StoredIncoming } from './incoming.ts'
import { incomingKind } from './kinds.ts'
import { secretPurpose } from './purposes.ts'
import { findByKey, forgetContents, insertReceived, type Message, type StoredReceived } from './received-store.ts'
import { isAuthentic, messageKey } from './verify.ts'

/** Maximum size of a message, in bytes. */
const maxMessage = 256 * 1024
/** Maximum nesting depth of a message. */
const maxDepth = 100

const countMessage = callLimit(60)
/** Messages without a valid signature per minute, from one address to one webhook. */
const countRefusal = callLimit(60)

/** Headers with credentials, which are not stored. */
const privateHeaders = ['authorization', 'cookie', 'proxy-authorization', 'x-gitlab-token', 'x-webhook-token']

/**
 * Receives a message: verifies its raw bytes, stores it, and queues its action. A duplicate returns the id of the first
 * message. `challenge` is null for an ordinary message.
 */
export async function receiveMessage(
  context: Context,
  token: string,
  request: Request,
): Promise<{ delivery_id: string; challenge: string | null }> {
  const webhook = await incomingWebhooks.table.find(context, { token_hash: context.secrets.sha256(token) })
  if (!webhook?.enabled) throw notFound('This webhook')
  try {
    return await accept(context, webhook, request)
  } catch (thrown) {
    if (thrown instanceof Fault)
      context.log.write('info', 'a message to an incoming webhook was refused', {
        webhook: webhook.id,
        status: thrown.status,
        cause: thrown.message,
      })
    throw thrown
  }
}

async function accept(context: Context, webhook: StoredIncoming, request: Request) {
  const bytes = await readBytes(request, maxMessage)
  const { headers } = request
  const { auth } = webhook
  const secret =
    webhook.sealed_secret === null ? null : await context.secrets.open(webhook.sealed_secret, secretPurpose)
  if (!(await isAuthentic(auth, secret, { headers, body: bytes, now: context.clock.now() }))) {
    countRefusal(context, `${webhook.id} ${context.caller.address}`)
    throw unauthorized('The message has no valid signature')
  }
  countMessage(context, webhook.id, webhook.rate_limit)
  const text = textOf(bytes)
  const body = bodyOf(text, headers.get('content-type') ?? '')
  const challenge = challengeOf(auth, body)
  if (challenge !== null) return { delivery_id: '', challenge }
  const message_key = messageKey(auth, headers, body)
  const delivery_id = await store(context, webhook, { request, text, message_key })
  return { delivery_id, challenge: null }
}

async function store(
  context: Context,
  webhook: StoredIncoming,
  { request, text, message_key }: { request: Request; text: string; message_key: string | null },
): Promise<string> {
  const now = context.clock.now()
  const owner = asOwner(context, webhook)
  const isCaptured = webhook.capture_until !== null && Date.parse(webhook.capture_until) > now
  const starts = webhook.action !== null && !isCaptured
  const received: StoredReceived = {
    id: newId('dlv', now),
    webhook_id: webhook.id,
    message_key,
    status: starts ? 'pending' : 'recorded',
    headers: shownHeaders(request.headers, webhook.auth),
    query: Object.fromEntries(new URL(request.url).searchParams),
    body: text,
    result: null,
    error: null,
    received_at: iso(now),
    completed_at: starts ? null : iso(now),
  }
  const { id, status } = received
  const work = insertWork(owner, { kind: incomingKind, subject: id, lane: webhook.id })
  try {
    await owner.commit(
      [insertReceived(received), forgetContents(webhook.id), ...(starts ? [work.statement] : [])],
      [event('webhook.incoming.received', { webhook_id: webhook.id, delivery_id: id, status })],
    )
  } catch (thrown) {
    const first = message_key && (await findByKey(context, webhook.id, message_key))
    if (thrown instanceof GuardFailed && first) return first
    throw thrown
  }
  context.process.wake()
  return id
}

function textOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes)
  if (text.includes('\u0000')) throw badRequest('The body must not contain NUL characters')
  return text
}

/** Slack verifies the address with a challenge before it sends messages. https://docs.slack.dev/reference/events/url_verification */
function challengeOf({ kind }: IncomingAuth, body: unknown): string | null {
  if (kind !== 'slack' || typeof body !== 'object' || body === null) return null
  const { type, challenge } = body as { type?: unknown; challenge?: unknown }
  return type === 'url_verification' && typeof challenge === 'string' ? challenge.slice(0, 1_000) : null
}

function shownHeaders(headers: Headers, auth: IncomingAuth): Record<string, string> {
  const hidden = new Set([...privateHeaders, ...(auth.kind === 'token' ? [auth.header] : [])])
  return Object.fromEntries([...headers].filter(([name]) => !hidden.has(name)))
}

/** The body by its content type: JSON, a form, or text. Throws a 400 or 415. */
export function bodyOf(text: string, type: string): unknown {
  const media = (type.split(';')[0] ?? '').trim().toLowerCase()
  if (/^application\/([\w.+-]+\+)?json$/.test(media)) return parsed(text)
  if (media === 'application/x-www-form-urlencoded') return formOf(text)
  if (media === '' || media.startsWith('text/') || media.endsWith('xml')) return text
  throw new Fault(415, 'unsupported_media_type', 'Send JSON, a form or text')
}

function parsed(text: string): unknown {
  if (depthOf(text) > maxDepth) throw badRequest(`The body is nested deeper than ${maxDepth} levels`)
  return parseBody(text)
}

/** Depth of brackets, including those in strings: an upper bound that is known before parsing. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (const character of text) {
    if (character === '{' || character === '[') deepest = Math.max(deepest, ++depth)
    else if (character === '}' || character === ']') depth -= 1
  }
  return deepest
}

/** GitHub and Slack can send their JSON in the form field `payload`. */
function formOf(text: string): unknown {
  const form = Object.fromEntries(new URLSearchParams(text))
  return form.payload?.startsWith('{') ? parsed(form.payload) : form
}

/** A stored message as templates see it. */
export function messageOf({ headers, query, body, received_at }: StoredReceived): Message {
  return { headers, query, body: bodyOf(body, headers['content-type'] ?? ''), received_at }
}

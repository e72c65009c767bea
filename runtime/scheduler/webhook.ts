import type { Context } from '../context.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { toBase64 } from '../secrets/base64.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkEnding } from '../work/kind.ts'
import { formatResult, type JobRun, resultData, Undeliverable } from './delivery-format.ts'
import { type Delivery, isFailure } from './schema.ts'

/** Milliseconds within which the receiver must answer. */
const timeout = 20 * second

/**
 * POSTs a result as JSON. `webhook-id` is the same for every attempt of one run, so that receivers can recognise
 * duplicates; a redirect counts as a failure.
 */
export async function deliverToWebhook(context: Context, result: JobRun): Promise<WorkEnding> {
  const { url } = result.job.delivery
  if (url === null) throw new Undeliverable('The delivery has no URL')
  const now = context.clock.now()
  const body = JSON.stringify({
    type: isFailure(result.run.status) ? 'job.run.failed' : 'job.run.finished',
    timestamp: iso(now),
    data: {
      ...resultData(result),
      text: result.job.delivery.format === 'json' ? null : formatResult(result),
    },
  })
  const stamp = { id: result.run.id, timestamp: Math.floor(now / second) }
  const secret = await openSecret(context, result.job.delivery)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': stamp.id,
    'webhook-timestamp': String(stamp.timestamp),
    ...(secret === null ? {} : { 'webhook-signature': await signatureOf(secret, { ...stamp, body }) }),
  }
  try {
    const response = await within(context, { milliseconds: timeout }, (signal) =>
      context.outbound.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
    )
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver answered ${response.status}`)
  } catch (thrown) {
    if (thrown instanceof OutboundBlocked)
      throw new Undeliverable(`The guard for outgoing requests refused it: ${thrown.message}`)
    throw thrown
  }
  return {}
}

/**
 * `v1,<base64 of HMAC-SHA256>` over `id.timestamp.body`. A secret that starts with `whsec_` is base64 after that prefix,
 * any other is used as text. https://www.standardwebhooks.com (specification 1.0.0, symmetric signatures)
 */
async function signatureOf(
  secret: string,
  message: { id: string; timestamp: number; body: string },
): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', secretBytes(secret), algorithm, false, ['sign'])
  const text = new TextEncoder().encode(`${message.id}.${message.timestamp}.${message.body}`)
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, text)))
  return `v1,${signature.padEnd(Math.ceil(signature.length / 4) * 4, '=')}`
}

function secretBytes(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  if (encoded === undefined) return new TextEncoder().encode(secret)
  return Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
}

const purpose = 'scheduler:delivery'

/** Replaces a secret in responses; sent back, it keeps the stored secret. */
const mask = '••••••••'

export const maskSecret = (delivery: Delivery): Delivery => ({
  ...delivery,
  secret: delivery.secret ? mask : null,
})

/** Encrypts a given secret. A secret belongs to one receiver: a new URL drops it unless it is given again. */
export async function sealDelivery(
  context: Context,
  given: Delivery,
  old: Delivery | null,
): Promise<Delivery> {
  const { secret } = given
  if (secret === null) return given
  if (secret === undefined || secret === mask)
    return { ...given, secret: old?.url === given.url ? (old?.secret ?? null) : null }
  return { ...given, secret: await context.secrets.seal(secret, purpose) }
}

const openSecret = async (context: Context, { secret }: Delivery): Promise<string | null> =>
  secret ? context.secrets.open(secret, purpose) : null

import { OutboundBlocked } from '../../ports/outbound.ts'
import { iso, second } from '../../time.ts'
import { within } from '../../within.ts'
import { isFailure } from '../run-schema.ts'
import { type Channel, type Parcel, Undeliverable } from './channel.ts'
import { format, plainParcel } from './format.ts'
import { openSecret } from './secret.ts'
import { signatureOf } from './sign.ts'

/** Milliseconds until the receiver must have answered. */
const patience = 20 * second

/**
 * POSTs the result as JSON. `webhook-id` is the same for each try of one run, so that a receiver can tell what it has
 * had; a redirect is no delivery.
 */
export const webhook: Channel = async (context, parcel) => {
  const { url } = parcel.job.delivery
  if (url === null) throw new Undeliverable('The delivery names no URL')
  const now = context.clock.now()
  const body = JSON.stringify(payload(parcel, iso(now)))
  const stamp = { id: parcel.run.id, timestamp: Math.floor(now / second) }
  const secret = await openSecret(context, parcel.job.delivery)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    'webhook-id': stamp.id,
    'webhook-timestamp': String(stamp.timestamp),
    ...(secret === null ? {} : { 'webhook-signature': await signatureOf(secret, { ...stamp, body }) }),
  }
  try {
    const response = await within(context, { milliseconds: patience }, (signal) =>
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

const payload = (parcel: Parcel, timestamp: string) => ({
  type: isFailure(parcel.run.status) ? 'job.run.failed' : 'job.run.finished',
  timestamp,
  data: { ...plainParcel(parcel), text: parcel.job.delivery.format === 'json' ? null : format(parcel) },
})

import type { Context } from '../context.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { signStandard } from '../secrets/signatures.ts'
import { iso, second } from '../time.ts'
import { within } from '../within.ts'
import type { WorkEnding } from '../work/kind.ts'
import { formatResult, type JobRun, resultData, Undeliverable } from './delivery-format.ts'
import { openSecret } from './delivery-secret.ts'
import { isFailure } from './schema.ts'

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
    data: context.process.redaction.value({
      ...resultData(result),
      text: result.job.delivery.format === 'json' ? null : formatResult(result),
    }),
  })
  const message = { id: result.run.id, timestamp: Math.floor(now / second), body }
  const secret = await openSecret(context, result.job.delivery)
  const headers = {
    'content-type': 'application/json',
    ...(await signStandard(secret === null ? [] : [secret], message)),
  }
  try {
    const response = await within(context, { milliseconds: timeout }, (signal) =>
      context.outbound.fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }),
    )
    await response.body?.cancel()
    if (!response.ok) throw new Error(`The receiver returned ${response.status}`)
  } catch (thrown) {
    if (thrown instanceof OutboundBlocked)
      throw new Undeliverable(`The guard for outgoing requests refused it: ${thrown.message}`)
    throw thrown
  }
  return {}
}

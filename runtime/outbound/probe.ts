import type { Context } from '../context.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { within } from '../within.ts'

/** Milliseconds within which the response must begin. */
const timeout = 15_000

/** `refused`: by the guard for outgoing requests. */
export type Probe = { ok: true } | { ok: false; reason: string; refused: boolean }

/** Whether a GET request through the guard is answered with a 2xx status. */
export async function probe(context: Context, url: string): Promise<Probe> {
  try {
    const { status, body } = await within(context, { milliseconds: timeout }, (signal) =>
      context.outbound.fetch(url, { signal }),
    )
    await body?.cancel()
    if (status >= 200 && status < 300) return { ok: true }
    return { ok: false, reason: `${url} answered ${status}`, refused: false }
  } catch (thrown) {
    context.signal.throwIfAborted()
    if (thrown instanceof OutboundBlocked) {
      const reason = `The guard for outgoing requests refused ${url}: ${thrown.message}`
      return { ok: false, reason, refused: true }
    }
    const { cause, message } = thrown instanceof Error ? thrown : new Error(String(thrown))
    const reason = `${url} did not answer: ${cause instanceof Error ? cause.message : message}`
    return { ok: false, reason, refused: false }
  }
}

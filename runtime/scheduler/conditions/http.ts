import type { Context } from '../../context.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { within } from '../../within.ts'
import type { Condition } from './condition.ts'

/** Milliseconds until an answer must have begun. */
const patience = 15_000

/** `expression` is a URL, which must answer 2xx to a GET through the guard. */
export const http: Condition = {
  problem: async (expression) => webAddressProblem(expression.trim()),
  async check(context, { expression }) {
    const url = expression.trim()
    try {
      const status = await statusOf(context, url)
      if (status >= 200 && status < 300) return { met: true }
      return { met: false, reason: `${url} answered ${status}` }
    } catch (thrown) {
      context.signal.throwIfAborted()
      return { met: false, reason: whyNot(url, thrown), broken: thrown instanceof OutboundBlocked }
    }
  },
}

async function statusOf(context: Context, url: string): Promise<number> {
  const response = await within(context, { milliseconds: patience }, (signal) =>
    context.outbound.fetch(url, { signal }),
  )
  await response.body?.cancel()
  return response.status
}

function whyNot(url: string, thrown: unknown): string {
  if (thrown instanceof OutboundBlocked)
    return `The guard for outgoing requests refused ${url}: ${thrown.message}`
  const error = thrown instanceof Error ? thrown : new Error(String(thrown))
  return `${url} gave no answer: ${error.cause instanceof Error ? error.cause.message : error.message}`
}

/** What is wrong with an address that requests are sent to, or null. */
export function webAddressProblem(text: string): string | null {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol)) return 'must be a URL with http or https'
  return url.username || url.password ? 'must not hold a user name or a password' : null
}

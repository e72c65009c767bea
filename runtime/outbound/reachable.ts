import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'

/**
 * Refuses an address to which requests are never allowed, such as a metadata service or the daemon's own port, when an
 * administrator configures it. Private addresses are accepted.
 */
export function requireReachable({ outbound }: Pick<Host, 'outbound'>, url: string, field: string): void {
  const reason = outbound.refusal(url, { trusted_origins: [url] })
  if (reason !== null) throw invalidField(field, `cannot be used: ${reason}`)
}

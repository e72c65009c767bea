import { invalidField } from '../fault.ts'
import type { Host } from '../host.ts'

/**
 * Refuses an address that an administrator configures although no request may ever go to it, such as a metadata service
 * or the daemon's own port. It may be private.
 */
export function requireReachable({ outbound }: Pick<Host, 'outbound'>, url: string, field: string): void {
  const reason = outbound.refusal(url, { trusted_origins: [url] })
  if (reason !== null) throw invalidField(field, `cannot be used: ${reason}`)
}

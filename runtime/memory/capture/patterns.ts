import type { Host } from '../../host.ts'
import { readSection } from '../../settings/section.ts'
import { securitySettings } from '../../settings/security.ts'

/** What the operator wants blanked besides what is known to be secret. */
export async function patternsOf(host: Host): Promise<string[]> {
  return (await readSection(host, securitySettings)).redact_patterns
}

import { z } from 'zod'
import type { Host } from '../../host.ts'
import { storedSettings } from '../../settings/store.ts'

const Patterns = z.object({ redact_patterns: z.array(z.string()).default([]) })

/** What the operator wants blanked besides what is known to be secret. */
export async function patternsOf(host: Host): Promise<string[]> {
  const stored = JSON.parse((await storedSettings(host, 'security')) ?? '{}')
  return Patterns.safeParse(stored).data?.redact_patterns ?? []
}

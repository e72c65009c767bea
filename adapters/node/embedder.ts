import type { Clock } from '../../runtime/ports/clock.ts'
import type { Embedder } from '../../runtime/ports/embedder.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'
import { minute } from '../../runtime/time.ts'
import { LocalEmbedder } from '../embedder/local.ts'
import { createVendorEmbedder } from '../embedder/vendors.ts'

/**
 * The local model, whose thread begins with the first text, and the vendors'. A person set the base URL of a vendor,
 * so its own origin may be private; a redirect elsewhere may not.
 */
export function nodeEmbedder(outbound: Outbound, clock: Clock): Embedder {
  const local = new LocalEmbedder({ clock, idle_ms: 5 * minute })
  const vendors = createVendorEmbedder((url, init) =>
    outbound.fetch(url, init, { trusted_origins: [new URL(url).origin] }),
  )
  const of = (provider: string) => (provider === 'local' ? local : vendors)
  return {
    describe: (provider, model) => of(provider).describe(provider, model),
    embed: (call) => of(call.provider).embed(call),
    close: () => local.close(),
  }
}

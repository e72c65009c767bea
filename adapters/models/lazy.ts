import type { Clock } from '../../runtime/ports/clock.ts'
import type { ModelCall, Models } from '../../runtime/ports/models.ts'
import type { Outbound } from '../../runtime/ports/outbound.ts'

interface LazyOptions {
  /** Preloads them in small steps, so that the event loop is not blocked. */
  ahead?: () => Promise<void>
}

/**
 * Loads the vendor models on first use, because their packages are the largest dependencies.
 * A person set the base URL, so its origin may be private; redirects to other origins are checked.
 */
export function lazyModels(outbound: Outbound, clock: Clock, { ahead }: LazyOptions = {}): Required<Models> {
  const fetch = (url: string | URL, init?: RequestInit) =>
    outbound.fetch(url, init, { trusted_origins: [new URL(url).origin] })
  let loaded: Required<Models> | undefined
  const load = async () => {
    if (!loaded) await ahead?.()
    const { createModels } = await import('./index.ts')
    loaded ??= createModels({ fetch, clock })
    return loaded
  }
  async function* loadAndStream(call: ModelCall) {
    yield* (await load()).stream(call)
  }
  return {
    stream: (call) => loaded?.stream(call) ?? loadAndStream(call),
    list: async (access) => (await load()).list(access),
    transcribe: async (recording) => (await load()).transcribe(recording),
  }
}

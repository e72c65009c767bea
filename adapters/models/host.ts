import type { Clock } from '../../runtime/ports/clock.ts'
import { type Fetch, type Line, openLine } from './line.ts'
import type { Provider } from './providers.ts'

export interface ModelHost {
  /** The host's guarded `fetch`. Base URLs are set by people, so their origins may be private. */
  fetch: Fetch
  clock: Clock
  /** Milliseconds from the request to the first chunk of the answer. Default 60,000; 300,000 for Ollama. */
  first_chunk_ms?: number
  /** Milliseconds from one chunk to the next. Default 120,000. */
  idle_ms?: number
}

/** Bytes of one answer: far above any real one, and it bounds what an endless one may cost. */
const longestAnswer = 64 * 1024 * 1024

export function openHostLine(host: ModelHost, signal: AbortSignal, provider: Provider): Line {
  return openLine({
    fetch: host.fetch,
    clock: host.clock,
    signal,
    first_chunk_ms: host.first_chunk_ms ?? provider.first_chunk_ms ?? 60_000,
    idle_ms: host.idle_ms ?? 120_000,
    max_bytes: longestAnswer,
  })
}

import type { Clock } from '../../runtime/ports/clock.ts'
import { ModelError } from '../../runtime/ports/models.ts'
import { type Silence, watchSilence } from './silence.ts'

/** As much of `fetch` as this folder needs. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** One call to a vendor: its requests, and the reasons for which this side hangs up. */
export interface Line {
  /** For the provider packages, which call `fetch` and read the body of its answer. */
  fetch: typeof globalThis.fetch
  /** Aborted when the line is cut or closed. */
  signal: AbortSignal
  /** Why this side hung up, if it did. */
  cutBy(): ModelError | undefined
  close(): void
}

export interface LineOptions {
  fetch: Fetch
  clock: Clock
  /** The caller's. */
  signal: AbortSignal
  first_chunk_ms: number
  idle_ms: number
  /** Bytes; the line is cut past them. */
  max_bytes: number
}

/**
 * Opens a line that is cut when the caller aborts, when the vendor is silent for too long while we wait for
 * it, and when it never stops sending. Time in which the reader of the answer is slow does not count.
 */
export function openLine(options: LineOptions): Line {
  const controller = new AbortController()
  let cause: ModelError | undefined
  const cut = (error: ModelError) => {
    cause ??= error
    controller.abort(cause)
  }
  const onAbort = () => cut(abortedBy(options.signal))
  if (options.signal.aborted) onAbort()
  else options.signal.addEventListener('abort', onAbort, { once: true })
  const silence = watchSilence(options, controller.signal, () =>
    cut(new ModelError('timeout', 'the vendor fell silent')),
  )

  return {
    signal: controller.signal,
    cutBy: () => cause,
    async fetch(input, init) {
      silence.listen()
      const url = input instanceof Request ? input.url : input
      const sent = options.fetch(url, { ...init, signal: controller.signal })
      const response = await unlessAborted(sent, controller.signal)
      if (!response.body) return response
      return new Response(
        meter(response.body, { cut, silence, signal: controller.signal, max_bytes: options.max_bytes }),
        response,
      )
    },
    close() {
      options.signal.removeEventListener('abort', onAbort)
      controller.abort(cause)
    },
  }
}

function abortedBy(signal: AbortSignal): ModelError {
  const isTimeout = signal.reason instanceof Error && signal.reason.name === 'TimeoutError'
  return isTimeout ? new ModelError('timeout', 'out of time') : new ModelError('cancelled', 'cancelled')
}

interface Meter {
  cut(error: ModelError): void
  silence: Silence
  signal: AbortSignal
  max_bytes: number
}

function meter(
  body: ReadableStream<Uint8Array>,
  { cut, silence, signal, max_bytes }: Meter,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let bytes = 0
  return new ReadableStream({
    start(controller) {
      const hangUp = () => {
        controller.error(signal.reason)
        reader.cancel(signal.reason).catch(() => {
          // It had failed already.
        })
      }
      signal.addEventListener('abort', hangUp, { once: true })
    },
    async pull(controller) {
      silence.listen()
      const { done, value } = await reader.read()
      silence.heard()
      if (done) return controller.close()
      bytes += value.byteLength
      if (bytes > max_bytes) return cut(new ModelError('interrupted', 'the answer is too long'))
      controller.enqueue(value)
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

/** Not every `fetch` honours its signal. */
function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  if (signal.aborted) reject(signal.reason)
  else signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([promise, aborted])
}

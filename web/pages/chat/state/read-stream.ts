import type { ServerSentEvent } from './stream-parser.ts'
import { StreamParser } from './stream-parser.ts'

/**
 * The events of a streamed answer, in the batches in which they arrive. Leaving the loop, or `signal`, ends the
 * request.
 */
export async function* readStream(
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<ServerSentEvent[]> {
  const parser = new StreamParser()
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const leave = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', leave, { once: true })
  try {
    while (!signal?.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      const events = parser.push(decoder.decode(value, { stream: true }))
      if (events.length > 0) yield events
    }
  } finally {
    signal?.removeEventListener('abort', leave)
    leave()
  }
}

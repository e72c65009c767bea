import type { Context } from '../context.ts'
import { second } from '../time.ts'

export interface ServerEvent {
  /** Goes into `id:`, so a returning client can name it as `Last-Event-ID`. */
  id?: string
  event: string
  data: unknown
}

/** A comment this often keeps proxies from closing a quiet stream. */
const heartbeat = 15 * second

const encoder = new TextEncoder()

const encode = ({ id, event, data }: ServerEvent) =>
  encoder.encode(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)

const comment = (text: string) => encoder.encode(`: ${text}\n\n`)

/**
 * Streams events as `text/event-stream`. The source is closed when the client leaves.
 * It pulls one event at a time, so a client that does not read holds back its source and nothing else;
 * the source bounds what it keeps for a slow reader.
 */
export function sse(context: Context, source: AsyncIterable<ServerEvent>): Response {
  const iterator = source[Symbol.asyncIterator]()
  const quiet = new AbortController()
  let pending: Promise<IteratorResult<ServerEvent>> | undefined
  const end = async () => {
    quiet.abort()
    await iterator.return?.()
  }

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(comment('open')),
    async pull(controller) {
      pending ??= iterator.next()
      const beat = new AbortController()
      const timer = context.clock.after(heartbeat, AbortSignal.any([beat.signal, quiet.signal])).then(
        () => 'beat' as const,
        () => new Promise<never>(() => undefined),
      )
      try {
        const next = await Promise.race([pending, timer])
        if (next === 'beat') return controller.enqueue(comment('beat'))
        pending = undefined
        if (next.done) return controller.close()
        controller.enqueue(encode(next.value))
      } catch {
        controller.enqueue(encode({ event: 'error', data: { code: 'internal_error', message: 'The stream broke' } }))
        controller.close()
      } finally {
        beat.abort()
      }
    },
    cancel: end,
  })
  context.signal.addEventListener('abort', () => void end(), { once: true })
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }
  return new Response(body, { headers })
}

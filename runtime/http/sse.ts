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

/** Events of a stream; they end soon after `signal` aborts, with a last event if there is one to tell. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerEvent>

/**
 * Streams events as `text/event-stream`. The signal of the source aborts when the client leaves, the daemon stops,
 * or the credential is revoked. One event is pulled at a time, so a client that does not read holds back its own
 * source and nothing else; the source bounds what it keeps for a slow reader.
 */
export function sse(context: Context, source: EventSource): Response {
  const ended = new AbortController()
  const forget = context.process.connections.add({
    credential: context.caller.id,
    end: (_, reason) => ended.abort(new Error(reason)),
  })
  const events = source(AbortSignal.any([context.signal, ended.signal]))[Symbol.asyncIterator]()
  const beats = withHeartbeat(context, events)

  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(comment('open')),
    async pull(controller) {
      const chunk = await beats.next()
      if (chunk.done) {
        forget()
        return controller.close()
      }
      controller.enqueue(chunk.value)
    },
    cancel() {
      forget()
      ended.abort(new Error('The client has left'))
    },
  })
  return new Response(body, { headers: streamHeaders })
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** The events as bytes, with a comment whenever there was nothing to say for a while. */
async function* withHeartbeat(
  context: Context,
  events: AsyncIterator<ServerEvent>,
): AsyncGenerator<Uint8Array, void> {
  let next = settled(events)
  for (;;) {
    const done = new AbortController()
    const beat = context.clock.after(heartbeat, done.signal).then(
      () => 'beat' as const,
      () => 'off' as const,
    )
    const first = await Promise.race([next, beat])
    done.abort()
    if (first === 'off') continue
    if (first === 'beat') {
      yield comment('beat')
      continue
    }
    if (first.done) return
    yield encode(first.value)
    next = settled(events)
  }
}

/** A source that breaks ends its stream with an error event instead of tearing the connection. */
const settled = (events: AsyncIterator<ServerEvent>): Promise<IteratorResult<ServerEvent>> =>
  events.next().catch(() => ({ done: false, value: broken }))

const broken: ServerEvent = { event: 'error', data: { code: 'internal_error', message: 'The stream broke' } }

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
export function sse(context: Context, source: EventSource, check?: (event: ServerEvent) => void): Response {
  const ended = new AbortController()
  const forget = context.process.connections.add({
    credential: context.caller.id,
    end: (_, reason) => ended.abort(new Error(reason)),
  })
  const quiet = new AbortController()
  const events = source(AbortSignal.any([context.signal, ended.signal]))[Symbol.asyncIterator]()
  const over = () => {
    forget()
    quiet.abort()
  }

  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(comment('open'))
      void beat(context, controller, quiet.signal)
    },
    async pull(controller) {
      const { done, value } = await settled(events)
      if (!done) {
        check?.(value)
        return controller.enqueue(encode(value))
      }
      over()
      controller.close()
    },
    cancel() {
      over()
      ended.abort(new Error('The client has left'))
      // Lets the source put its things away, where nobody would ask it for more.
      events.return?.().catch(() => undefined)
    },
  })
  return new Response(body, { headers: streamHeaders })
}

const streamHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/** One wait at a time, whatever is said meanwhile. A reader that is behind has enough to read. */
async function beat(
  { clock }: Context,
  controller: ReadableStreamDefaultController<Uint8Array>,
  over: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await clock.after(heartbeat, over)
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment('beat'))
    }
  } catch {
    // The stream is over.
  }
}

/** A source that breaks ends its stream with an error event instead of tearing the connection. */
const settled = (events: AsyncIterator<ServerEvent>): Promise<IteratorResult<ServerEvent>> =>
  events.next().catch(() => ({ done: false, value: broken }))

const broken: ServerEvent = { event: 'error', data: { code: 'internal_error', message: 'The stream broke' } }

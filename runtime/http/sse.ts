import type { Context } from '../context.ts'
import { encodedOnce } from '../json.ts'
import { second } from '../time.ts'

export interface ServerEvent {
  /** The `id:` field, which a reconnecting client sends as `Last-Event-ID`. */
  id?: string
  event: string
  data: unknown
}

/** Interval of comments that keep proxies from closing an idle stream. */
const heartbeat = 15 * second

const encoder = new TextEncoder()

const jsonOf = encodedOnce((data: unknown) => JSON.stringify(data))

const encode = ({ id, event, data }: ServerEvent) =>
  encoder.encode(`${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${jsonOf(data)}\n\n`)

const comment = (text: string) => encoder.encode(`: ${text}\n\n`)

/** The events of a stream. They end soon after `signal` aborts, optionally with a final event. */
export type EventSource = (signal: AbortSignal) => AsyncIterable<ServerEvent>

/**
 * Streams events as `text/event-stream`. The signal of the source aborts when the client disconnects, the
 * daemon stops or the credential is revoked. Events are pulled one at a time, so a slow client blocks only
 * its own source, which limits its own buffer.
 */
export function sse(context: Context, source: EventSource, check?: (event: ServerEvent) => void): Response {
  const ended = new AbortController()
  const forget = context.process.connections.add({
    credential: context.caller.id,
    end: (_, reason) => ended.abort(new Error(reason)),
  })
  const quiet = new AbortController()
  const events = source(AbortSignal.any([context.signal, ended.signal]))[Symbol.asyncIterator]()
  const close = () => {
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
      close()
      controller.close()
    },
    cancel() {
      close()
      ended.abort(new Error('The client has disconnected'))
      // Allows the source to clean up, because it will not be pulled again.
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

/** Sends heartbeats, except to a client that has unread events. */
async function beat(
  { clock }: Context,
  controller: ReadableStreamDefaultController<Uint8Array>,
  closed: AbortSignal,
): Promise<void> {
  try {
    for (;;) {
      await clock.after(heartbeat, closed)
      if ((controller.desiredSize ?? 0) > 0) controller.enqueue(comment('beat'))
    }
  } catch {
    // The stream has ended.
  }
}

/** A failing source ends its stream with an error event instead of breaking the connection. */
const settled = (events: AsyncIterator<ServerEvent>): Promise<IteratorResult<ServerEvent>> =>
  events.next().catch(() => ({ done: false, value: broken }))

const broken: ServerEvent = { event: 'error', data: { code: 'internal_error', message: 'The stream failed' } }

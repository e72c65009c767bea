import { createParser, type EventSourceMessage } from 'eventsource-parser'
import type { StreamEvents } from '../../../../runtime/chat/schema.ts'

type Events = { [Name in keyof StreamEvents]: { id: string; event: Name; data: StreamEvents[Name] } }

/** An event of a chat stream, discriminated by its name. */
export type ChatEvent = Events[keyof StreamEvents]

const names: Record<keyof StreamEvents, true> = {
  message_start: true,
  token: true,
  reasoning: true,
  recall: true,
  tool_use: true,
  tool_result: true,
  approval_required: true,
  approval_resolved: true,
  fallback: true,
  retry: true,
  steered: true,
  compaction: true,
  done: true,
  error: true,
}

/** Null for an event that this page does not know: a newer daemon may send more. */
export function chatEvent({ id = '', event = 'message', data }: EventSourceMessage): ChatEvent | null {
  if (!Object.hasOwn(names, event)) return null
  try {
    return { id, event, data: JSON.parse(data) } as ChatEvent
  } catch {
    return null
  }
}

/** The events of a stream, in the batches in which they arrive. Leaving the loop, or `signal`, cancels the request. */
export async function* readStream(body: ReadableStream<Uint8Array>, signal?: AbortSignal): AsyncGenerator<ChatEvent[]> {
  let events: ChatEvent[] = []
  const parser = createParser({
    onEvent(message) {
      const event = chatEvent(message)
      if (event) events.push(event)
    },
  })
  const decoder = new TextDecoder()
  const reader = body.getReader()
  const cancel = () => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    while (!signal?.aborted) {
      const { done, value } = await reader.read()
      if (done) return
      parser.feed(decoder.decode(value, { stream: true }))
      if (events.length > 0) yield events
      events = []
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
}

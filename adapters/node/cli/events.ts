import { EventSourceParserStream } from 'eventsource-parser/stream'
import type { Client } from './client.ts'
import { Failure } from './command.ts'

/** The events of a stream that the daemon sends as an answer. */
export async function* eventsOf({ body }: Response): AsyncGenerator<{ event: string; data: unknown }, void> {
  if (!body) return
  const text = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)
  for await (const { event = 'message', data } of text.pipeThrough(new EventSourceParserStream()))
    yield { event, data: JSON.parse(data) }
}

/** Checks at once, and again after each event of the daemon, until the check returns something. */
export async function untilEvent<Result>(client: Client, check: () => Promise<Result | undefined>): Promise<Result> {
  const socket = await client.openEvents()
  try {
    for (;;) {
      const { promise: changed, resolve, reject } = Promise.withResolvers<unknown>()
      socket.onmessage = resolve
      socket.onclose = () => reject(new Failure('The daemon has closed the connection'))
      changed.catch(() => undefined)
      const result = await check()
      if (result !== undefined) return result
      await changed
    }
  } finally {
    socket.onclose = null
    socket.close()
  }
}

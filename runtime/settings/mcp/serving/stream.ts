import type { Context } from '../../../context.ts'

/** Lets a stream of events end with its credential or the daemon, and calls `close` when it has ended, however it did. */
export function whileOpen(response: Response, context: Context, close: () => void): Response {
  if (!response.body) {
    close()
    return response
  }
  const reader = response.body.getReader()
  const end = () => {
    forget()
    close()
  }
  const forget = context.process.connections.add({ credential: context.caller.id, end })
  const body = new ReadableStream<Uint8Array>({
    // The head of an answer goes out with its first bytes, and a call may be silent for long.
    start: (controller) => controller.enqueue(new TextEncoder().encode(': open\n\n')),
    async pull(controller) {
      const { done, value } = await reader.read()
      if (!done) return controller.enqueue(value)
      end()
      controller.close()
    },
    async cancel(reason) {
      end()
      await reader.cancel(reason)
    },
  })
  return new Response(body, { status: response.status, headers: response.headers })
}

import type { Context } from '../../context.ts'
import { Fault } from '../../fault.ts'

const codes: Record<number, string> = { 400: 'bad_request', 406: 'not_acceptable', 404: 'not_found' }

/**
 * Answers one message of the Model Context Protocol over Streamable HTTP. There are no sessions: every
 * request is authorised on its own.
 */
export async function serveMcp(request: Request, body: unknown, context: Context): Promise<Response> {
  // The SDK is loaded with the first request that needs it.
  const [{ WebStandardStreamableHTTPServerTransport }, { createServer }] = await Promise.all([
    import('@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'),
    import('./server.ts'),
  ])
  const transport = new WebStandardStreamableHTTPServerTransport()
  const ended = new AbortController()
  const signal = AbortSignal.any([context.signal, ended.signal])
  await createServer({ ...context, signal }).connect(transport)
  const response = await transport.handleRequest(request, { parsedBody: body })
  if (response.status >= 400) throw await refusal(response)
  const close = () => {
    ended.abort(new Error('The connection has ended'))
    void transport.close()
  }
  return whileOpen(response, context, close)
}

/** A refusal of the transport in our error shape. */
async function refusal(response: Response): Promise<Fault> {
  const { error } = (await response.json()) as { error: { message: string } }
  return new Fault(response.status, codes[response.status] ?? 'bad_request', error.message)
}

/** Ends a stream when its credential is revoked or the daemon stops, and calls `close` once it has ended. */
function whileOpen(response: Response, context: Context, close: () => void): Response {
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
    // Headers are sent with the first bytes, and a call may be silent for a long time.
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

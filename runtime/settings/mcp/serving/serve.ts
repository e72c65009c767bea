import type { Context } from '../../../context.ts'
import { Fault } from '../../../fault.ts'
import { whileOpen } from './stream.ts'

const codes: Record<number, string> = { 400: 'bad_request', 406: 'not_acceptable', 404: 'not_found' }

/**
 * Answers one message of the Model Context Protocol over Streamable HTTP. Every request stands alone: there are no
 * sessions to lose, and the caller's scopes are looked at each time.
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

/** The transport's own refusals in the shape of ours. */
async function refusal(response: Response): Promise<Fault> {
  const { error } = (await response.json()) as { error: { message: string } }
  return new Fault(response.status, codes[response.status] ?? 'bad_request', error.message)
}

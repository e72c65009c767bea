import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServerAdapter } from '@whatwg-node/server'
import { Fault } from '../../../runtime/fault.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import type { Routes } from '../../../runtime/http/routes.ts'
import { serve } from '../../../runtime/http/serve.ts'
import type { ProxyPolicy } from './peer.ts'
import { refuse } from './refusal.ts'
import { send } from './send.ts'

interface NodeContext {
  req: IncomingMessage
}

/** The program behind a Node server: turns its requests into web requests and sends the answers. */
export function programAnswer(areas: readonly Routes<Endpoint>[], host: Host, proxies: ProxyPolicy) {
  const program = serve(areas)
  const adapter = createServerAdapter<NodeContext>((request, { req }) =>
    program(request, host, proxies.peerOf(req)),
  )
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The adapter reads both from here when it makes the web request.
    Object.assign(request, { protocol: proxies.protocolOf(request), body: bodyOf(request) })
    try {
      const answer = await adapter.handleNodeRequestAndResponse(request, response, { req: request })
      await send(answer, response)
    } catch (thrown) {
      host.log.write('error', 'a request could not be answered', { cause: thrown })
      await refuse(response, new Fault(500, 'internal_error', 'Something went wrong here; the log says more'))
    }
  }
}

/**
 * The body as bytes that come, for a reader that may stop early: the connection must stay whole then, or the client
 * would never see why it was refused. What it still sends is dropped, within the time that a body has.
 */
function bodyOf(request: IncomingMessage): AsyncIterable<Uint8Array> & { readonly streamed: true } {
  const chunks = request.iterator({ destroyOnReturn: false })
  const stopped = { done: true, value: undefined } as const
  const drop = async () => {
    await chunks.return?.()
    request.resume()
    return stopped
  }
  return { streamed: true, [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: drop }) }
}

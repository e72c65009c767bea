import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServerAdapter } from '@whatwg-node/server'
import { Fault } from '../../../runtime/fault.ts'
import type { Host } from '../../../runtime/host.ts'
import type { Endpoint } from '../../../runtime/http/endpoint.ts'
import { serve } from '../../../runtime/http/serve.ts'
import type { ProxyPolicy } from './peer.ts'
import { refuse } from './refusal.ts'
import { send } from './send.ts'

interface NodeContext {
  req: IncomingMessage
}

/** The program behind a Node server: turns its requests into web requests and sends the answers. */
export function programAnswer(endpoints: readonly Endpoint[], host: Host, proxies: ProxyPolicy) {
  const program = serve(endpoints)
  const adapter = createServerAdapter<NodeContext>((request, { req }) => program(request, host, proxies.peerOf(req)))
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // The adapter reads it from here when it makes the URL.
    Object.assign(request, { protocol: proxies.protocolOf(request) })
    try {
      const answer = await adapter.handleNodeRequestAndResponse(request, response, { req: request })
      await send(answer, response)
    } catch (thrown) {
      host.log.write('error', 'a request could not be answered', { cause: thrown })
      await refuse(response, new Fault(500, 'internal_error', 'Something went wrong here; the log says more'))
    }
  }
}

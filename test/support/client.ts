import { areas } from '../../handlers/index.ts'
import type { Host } from '../../runtime/host.ts'
import type { Endpoint } from '../../runtime/http/endpoint.ts'
import { type Peer, serve } from '../../runtime/http/serve.ts'
import { type CallOptions, requestFor } from './call.ts'
import { peer } from './host.ts'

export interface SendOptions extends Omit<CallOptions, 'caller'> {
  /** Sent as `Authorization: Bearer`. */
  key?: string | undefined
  from?: Peer
}

const handle = serve(areas)

/** Sends requests the whole way: routes, headers, authentication, authorisation, handler. */
export const client =
  (host: Host) =>
  (endpoint: Endpoint, { key, from = peer, headers = {}, ...rest }: SendOptions = {}): Promise<Response> => {
    const credential: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` }
    return handle(requestFor(endpoint, { ...rest, headers: { ...credential, ...headers } }), host, from)
  }

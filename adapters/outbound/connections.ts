import type { LookupFunction } from 'node:net'
import { isIPv6 } from 'node:net'
import type { buildConnector as Build, Dispatcher } from 'undici'
import type { Target } from '../../runtime/outbound/targets.ts'
import { requireTarget } from './follow.ts'
import { connectLimit } from './locate.ts'

export interface Connections {
  /** For the `dispatcher` of Node's `fetch`. */
  dispatcher: Dispatcher
  close(): Promise<void>
}

/**
 * A pool whose sockets go to the addresses that `locate` answers and to no other. It is asked once per
 * connection, and what happens to the name afterwards does not matter. The pool knows no proxy variables.
 * `undici` is loaded with the first request, for starting up needs no client.
 */
export async function openConnections(locate: (target: Target) => Promise<string[]>): Promise<Connections> {
  const { Agent, Dispatcher1Wrapper, buildConnector } = await import('undici')

  async function connectorFor({ protocol, host }: Build.Options): Promise<Build.connector> {
    const addresses = await locate(requireTarget(`${protocol}//${host}`))
    return buildConnector({
      timeout: connectLimit,
      allowH2: false,
      maxCachedSessions: 0,
      lookup: pinned(addresses),
    })
  }

  const agent = new Agent({
    connect: (options, callback) => {
      connectorFor(options).then(
        (connect) => connect(options, callback),
        (error) => callback(error, null),
      )
    },
  })
  // Node's own `fetch` speaks to dispatchers of undici 7; the wrapper translates.
  return { dispatcher: new Dispatcher1Wrapper(agent), close: () => agent.close() }
}

/** In place of the resolver: whatever the socket asks for, these are the answers. */
function pinned(addresses: readonly string[]): LookupFunction {
  const answers = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
  const [first = { address: '', family: 4 }] = answers
  return (_hostname, options, callback) => {
    if (options.all) callback(null, answers)
    else callback(null, first.address, first.family)
  }
}

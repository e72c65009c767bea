import { authenticate } from '../auth/authenticate.ts'
import { anonymousCaller } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { committer } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { second } from '../time.ts'
import type { Endpoint } from './endpoint.ts'
import { answerFaults } from './errors.ts'
import { corsFor, requestId, securityHeaders } from './headers.ts'
import { RouteTable } from './router.ts'
import type { Routes } from './routes.ts'

/** Who is at the other end, as the host saw it on the socket, never as a header says. */
export interface Peer {
  address: string
  local: boolean
}

export type Serve = (request: Request, host: Host, peer: Peer) => Promise<Response>

/**
 * The program as one fetch-style function, in the specified order:
 * security headers, CORS, authentication, handler.
 */
export function serve(areas: readonly Routes<Endpoint>[]): Serve {
  const table = new RouteTable(areas)
  return async (request, host, peer) => {
    const context = contextOf(request, host, peer)
    const begun = host.clock.now()
    let route = 'unknown'
    const response = await answerFaults(context, async () => {
      if (request.method === 'OPTIONS') return new Response(null, { status: 204 })
      const match = await table.find(request.method, request.url)
      route = match.route.path
      context.caller = await authenticate(match.route, request, context)
      return match.route(request, context, match.params)
    })
    tell(context, { method: request.method, route, status: response.status })
    const method = methods.has(request.method) ? request.method : 'other'
    measure(host, { method, route, status: String(response.status) }, begun)
    return dress(request, response, context)
  }
}

/** Some hosts let any word through as a method; each would be a series of its own. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** A context for one request; the caller is anonymous until `authenticate` has said who it is. */
export function contextOf(request: Request, host: Host, peer: Peer): Context {
  const signal = AbortSignal.any([request.signal, host.process.stopping])
  const own = { caller: anonymousCaller(peer), request_id: requestId(request.headers), signal }
  return { ...host, ...own, commit: committer(host) }
}

/** Adds what every answer carries. Copying an answer costs more than all the rest here, so only those that must be are. */
function dress(request: Request, response: Response, context: Context): Response {
  const dressed = request.method === 'HEAD' || isFixed(response) ? copyOf(request, response) : response
  const { headers } = dressed
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
  for (const [name, value] of Object.entries(corsFor(request, context.config))) headers.set(name, value)
  headers.set('x-request-id', context.request_id)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  return dressed
}

/** The headers of an answer that was fetched cannot be changed. */
function isFixed(response: Response): boolean {
  try {
    response.headers.delete('x-powered-by')
    return false
  } catch {
    return true
  }
}

function copyOf(request: Request, response: Response): Response {
  const body = request.method === 'HEAD' ? null : response.body
  return new Response(body, { status: response.status, headers: response.headers })
}

/** The path stays out of the log: the route says enough, and a query may hold a token. */
function tell(context: Context, fields: { method: string; route: string; status: number }): void {
  const level = fields.status >= 500 ? 'warn' : 'debug'
  context.log.write(level, 'request', {
    ...fields,
    request_id: context.request_id,
    caller: context.caller.id,
  })
}

function measure(host: Host, labels: { method: string; route: string; status: string }, begun: number): void {
  host.metrics.observe('http_request_duration_seconds', labels, (host.clock.now() - begun) / second)
}

import { authenticate, refuseUnknown } from '../auth/authenticate.ts'
import { anonymousCaller } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { commitAsCaller } from '../events/commit.ts'
import type { Host } from '../host.ts'
import { measurements } from '../measurements.ts'
import { second } from '../time.ts'
import type { Endpoint } from './endpoint.ts'
import { answerFaults } from './errors.ts'
import { corsFor, requestId, securityHeaders } from './headers.ts'
import { type Match, RouteTable } from './router.ts'
import type { Routes } from './routes.ts'

/** The remote end of the socket as seen by the host, never taken from a header. */
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
    const started_at = host.clock.now()
    let route = 'unknown'
    let isProbe = false
    let origins: readonly string[] = []
    const response = await answerFaults(context, async () => {
      if (request.method === 'OPTIONS') {
        const method = request.headers.get('access-control-request-method') ?? ''
        const asked = await table.find(method, request.url).catch(() => null)
        origins = await furtherOrigins(asked, request, context)
        return new Response(null, { status: 204 })
      }
      const match = await table
        .find(request.method, request.url)
        .catch((refusal: unknown) => refuseUnknown(refusal, request, context))
      route = match.route.path
      isProbe = match.route.access === 'monitor' || route.startsWith('/health')
      origins = await furtherOrigins(match, request, context)
      context.caller = await authenticate(match.route, request, context)
      return match.route(request, context, match.params)
    })
    logRequest(context, { method: request.method, route, status: response.status })
    const method = methods.has(request.method) ? request.method : 'other'
    const took = host.clock.now() - started_at
    const labels = { method, route, status: String(response.status) }
    host.metrics.observe('http_request_duration_seconds', labels, took / second)
    // Probes do not reflect usage and would write a row every minute.
    if (!isProbe) measurements(host).request(started_at, `${method} ${route}`, { status: response.status, took })
    return finalizeResponse(request, response, { context, origins })
  }
}

const furtherOrigins = async (match: Match<Endpoint> | null, { headers }: Request, context: Context) =>
  (headers.has('origin') && (await match?.route.origins?.(match.params, context))) || []

/** Some hosts accept any string as a method. Unknown ones share a metrics label, to bound the number of series. */
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Builds the context of a request. The caller is anonymous until `authenticate` sets it. */
export function contextOf(request: Request, host: Host, peer: Peer): Context {
  const signal = AbortSignal.any([request.signal, host.process.stopping])
  const own = { caller: anonymousCaller(peer), request_id: requestId(request.headers), signal }
  return { ...host, ...own, commit: commitAsCaller }
}

/** Adds the common headers. Copying a response is expensive, so it is copied only if necessary. */
function finalizeResponse(
  request: Request,
  response: Response,
  { context, origins }: { context: Context; origins: readonly string[] },
): Response {
  const final = request.method === 'HEAD' || isImmutable(response) ? copyOf(request, response) : response
  const { headers } = final
  for (const [name, value] of Object.entries(securityHeaders)) headers.set(name, value)
  for (const [name, value] of Object.entries(corsFor(request, context.config, origins))) headers.set(name, value)
  headers.set('x-request-id', context.request_id)
  if (!headers.has('cache-control')) headers.set('cache-control', 'no-store')
  return final
}

/** The headers of a fetched response are immutable. */
function isImmutable(response: Response): boolean {
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

/** Logs the route, never the URL: a query may contain a token. */
function logRequest(context: Context, fields: { method: string; route: string; status: number }): void {
  const level = fields.status >= 500 ? 'warn' : 'debug'
  context.log.write(level, 'request', {
    ...fields,
    request_id: context.request_id,
    caller: context.caller.id,
  })
}

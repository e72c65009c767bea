import { Router } from 'itty-router'
import { badRequest, Fault, notFound } from '../fault.ts'
import type { Endpoint } from './endpoint.ts'
import type { SocketEndpoint } from './socket.ts'

export interface Match<Route> {
  route: Route
  params: Record<string, string>
}

interface Routed {
  method: string
  path: string
}

type Area = ReturnType<typeof Router>

/**
 * Finds the endpoint of a request: one itty router per area behind a map of first segments,
 * because a router matches linearly.
 */
export class RouteTable<Route extends Routed> {
  readonly #areas = new Map<string, Area>()

  constructor(routes: readonly Route[]) {
    for (const route of routes)
      this.#area(route.path)[route.method.toLowerCase()]?.(toPattern(route.path), () => route)
  }

  #area(path: string): Area {
    const segment = firstSegment(path)
    const known = this.#areas.get(segment)
    if (known) return known
    const router = Router()
    this.#areas.set(segment, router)
    return router
  }

  /** The route of a method and URL, or a 404 or 405 with `Allow`. */
  async find(method: string, url: string): Promise<Match<Route>> {
    const path = new URL(url).pathname
    const area = this.#areas.get(firstSegment(path))
    const found = await lookUp<Route>(area, method === 'HEAD' ? 'GET' : method, url)
    if (found) return found
    const allowed = await this.#allowed(area, url)
    if (allowed.length === 0) throw notFound(`The path ${path.slice(0, 200)}`)
    throw new Fault(405, 'method_not_allowed', `${method} is not allowed here`, {
      headers: { allow: allowed.join(', ') },
    })
  }

  /** Methods that the path of `url` takes; empty for an unknown path. */
  async #allowed(area: Area | undefined, url: string): Promise<string[]> {
    const allowed: string[] = []
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (await lookUp(area, method, url).catch(() => null)) allowed.push(method)
    }
    return allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
  }
}

async function lookUp<Route>(
  area: Area | undefined,
  method: string,
  url: string,
): Promise<Match<Route> | null> {
  if (!area) return null
  const probe: { method: string; url: string; params?: Record<string, string> } = { method, url }
  const route = (await area.fetch(probe as never)) as Route | undefined
  return route ? { route, params: decode(probe.params ?? {}) } : null
}

const toPattern = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** `/api/agents/x` → `agents`; `/health` → `health`; `/ws/events` → `ws`. */
function firstSegment(path: string): string {
  const [first = '', second = ''] = path.split('/').filter(Boolean)
  return first === 'api' ? `api/${second}` : first
}

/** Parameters arrive undecoded; they are decoded once, here, and must then be plain text. */
function decode(params: Record<string, string>): Record<string, string> {
  const decoded: Record<string, string> = {}
  for (const [name, value] of Object.entries(params)) decoded[name] = decodeOne(name, value)
  return decoded
}

function decodeOne(name: string, value: string): string {
  try {
    const text = decodeURIComponent(value)
    if (!text.includes('\u0000')) return text
  } catch {
    // answered below
  }
  throw badRequest(`The path parameter ${name} is not valid percent-encoded UTF-8`)
}

export type EndpointTable = RouteTable<Endpoint>
export type SocketTable = RouteTable<SocketEndpoint>

import { Router } from 'itty-router'
import { badRequest, Fault, notFound } from '../fault.ts'
import type { Endpoint } from './endpoint.ts'
import { firstSegment, type Routes } from './routes.ts'
import type { SocketEndpoint } from './socket.ts'

export interface Match<Route> {
  route: Route
  params: Record<string, string>
}

interface Routed {
  method: string
  path: string
}

/** Wrapped in an object: itty's router is a proxy with every property, so `await` would treat it as a thenable. */
interface AreaTable {
  router: ReturnType<typeof Router>
}

/**
 * Finds the endpoint of a request. Each area has its own itty router, selected by the first path segments,
 * because routers match linearly. A request for an unknown path loads no area.
 */
export class RouteTable<Route extends Routed> {
  readonly #areas: ReadonlyMap<string, Routes<Route>>
  readonly #tables = new Map<Routes<Route>, AreaTable>()

  constructor(areas: readonly Routes<Route>[]) {
    this.#areas = new Map(areas.flatMap((area) => area.under.map((segment) => [segment, area] as const)))
  }

  /** The route for a method and URL. Throws a 404, or a 405 with `Allow`. */
  async find(method: string, url: string): Promise<Match<Route>> {
    const path = new URL(url).pathname
    const table = await this.#tableOf(path)
    const found = await lookUp<Route>(table, method === 'HEAD' ? 'GET' : method, url)
    if (found) return found
    const allowed = await this.#allowed(table, url)
    if (allowed.length === 0) throw notFound(`The path ${path.slice(0, 200)}`)
    throw new Fault(405, 'method_not_allowed', `${method} is not allowed here`, {
      headers: { allow: allowed.join(', ') },
    })
  }

  async #tableOf(path: string): Promise<AreaTable | undefined> {
    const area = this.#areas.get(firstSegment(path))
    if (!area) return undefined
    const known = this.#tables.get(area)
    if (known) return known
    const table = { router: routerOf(await area.load()) }
    this.#tables.set(area, table)
    return table
  }

  /** Methods allowed for the path of `url`; empty for an unknown path. */
  async #allowed(table: AreaTable | undefined, url: string): Promise<string[]> {
    const allowed: string[] = []
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (await lookUp(table, method, url).catch(() => null)) allowed.push(method)
    }
    return allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
  }
}

/** A literal segment wins over a parameter, in whatever order a module lists its endpoints: `{` sorts after letters. */
function routerOf(routes: readonly Routed[]): AreaTable['router'] {
  const router = Router()
  for (const route of routes.toSorted((left, right) => (left.path < right.path ? -1 : 1)))
    router[route.method.toLowerCase()]?.(toPattern(route.path), () => route)
  return router
}

async function lookUp<Route>(
  table: AreaTable | undefined,
  method: string,
  url: string,
): Promise<Match<Route> | null> {
  if (!table) return null
  const probe: { method: string; url: string; params?: Record<string, string> } = { method, url }
  const route = (await table.router.fetch(probe as never)) as Route | undefined
  return route ? { route, params: decode(probe.params ?? {}) } : null
}

const toPattern = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/** Parameters are matched undecoded and decoded exactly once, here. */
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
    // Reported below.
  }
  throw badRequest(`The path parameter ${name} is not valid percent-encoded UTF-8`)
}

export type EndpointTable = RouteTable<Endpoint>
export type SocketTable = RouteTable<SocketEndpoint>

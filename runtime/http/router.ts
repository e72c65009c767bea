import { Router } from 'itty-router'
import { badRequest, Fault, notFound } from '../fault.ts'
import { firstSegment, type Routes } from './routes.ts'

export interface Match<Route> {
  route: Route
  params: Record<string, string>
}

interface Routed {
  method: string
  path: string
}

/** Wrapped in an object: itty's router is a proxy with every property, so `await` would treat it as a thenable. */
interface AreaTable<Route> {
  router: ReturnType<typeof Router>
  /** The routes without parameters, by method and path: most requests need no pattern. */
  literal: ReadonlyMap<string, Route>
}

/**
 * Finds the endpoint of a request. Each area has its own itty router, selected by the first path segments,
 * because routers match linearly. A request for an unknown path loads no area.
 */
export class RouteTable<Route extends Routed> {
  readonly #areas: ReadonlyMap<string, Routes<Route>>
  readonly #tables = new Map<Routes<Route>, AreaTable<Route>>()

  constructor(areas: readonly Routes<Route>[]) {
    this.#areas = new Map(areas.flatMap((area) => area.under.map((segment) => [segment, area] as const)))
  }

  async find(method: string, url: string): Promise<Match<Route>> {
    const path = new URL(url).pathname
    const table = await this.#tableOf(path)
    const verb = method === 'HEAD' ? 'GET' : method
    const literal = table?.literal.get(`${verb} ${path}`)
    if (literal) return { route: literal, params: {} }
    const route = await lookUp<Route>(table, verb, url)
    if (route) return route
    const allowed = await this.#allowed(table, url)
    if (allowed.length === 0) throw notFound(`The path ${path.slice(0, 200)}`)
    throw new Fault(405, 'method_not_allowed', `${method} is not allowed here`, {
      headers: { allow: allowed.join(', ') },
    })
  }

  async #tableOf(path: string): Promise<AreaTable<Route> | undefined> {
    const area = this.#areas.get(firstSegment(path))
    if (!area) return undefined
    const cached = this.#tables.get(area)
    if (cached) return cached
    const table = tableOf(await area.load())
    this.#tables.set(area, table)
    return table
  }

  /** Methods allowed for the path of `url`; empty for an unknown path. */
  async #allowed(table: AreaTable<Route> | undefined, url: string): Promise<string[]> {
    const allowed: string[] = []
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      if (await lookUp(table, method, url).catch(() => null)) allowed.push(method)
    }
    return allowed.includes('GET') ? ['HEAD', ...allowed] : allowed
  }
}

/** A literal segment wins over a parameter, in whatever order a module lists its endpoints: `{` sorts after letters. */
function tableOf<Route extends Routed>(routes: readonly Route[]): AreaTable<Route> {
  const router = Router()
  const literal = routes.filter(({ path }) => !path.includes('{'))
  for (const route of routes.toSorted((left, right) => (left.path < right.path ? -1 : 1)))
    router[route.method.toLowerCase()]?.(toPattern(route.path), () => route)
  return { router, literal: new Map(literal.map((route) => [`${route.method} ${route.path}`, route])) }
}

async function lookUp<Route>(
  table: AreaTable<Route> | undefined,
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

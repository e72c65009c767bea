import type { Endpoint } from '../../../../runtime/http/endpoint.ts'
import { toJsonSchema } from '../../../../runtime/http/openapi/json-schema.ts'
import { isFile, isStream } from '../../../../runtime/http/returns.ts'
import { places } from '../places.ts'

type Route = Pick<Endpoint, 'method' | 'path' | 'body' | 'returns'>

/** The words of an endpoint's command; `table` has all endpoints of its area. */
export function wordsOf(endpoint: Route, table: readonly Route[]): string[] {
  const segments = endpoint.path.split('/').filter(Boolean)
  if (segments[0] === 'api') segments.shift()
  else segments.unshift('root')
  const literals = segments.filter((segment) => !segment.startsWith('{'))
  const words = literals.length > 0 ? literals.map((word) => word.replaceAll('_', '-')) : ['endpoints']
  const verb = verbOf(endpoint, table)
  const [first = '', second = ''] = words
  return [...(places[second] === first ? words.slice(1) : words), ...(verb ? [verb] : [])]
}

/** Null if the last word of the path is the verb, as in `loops/{id}/start`. */
function verbOf({ method, path, body }: Route, table: readonly Route[]): string | null {
  const same = table.filter((other) => other.path === path)
  const has = (other: string) => same.some((one) => one.method === other)
  if (path.endsWith('}')) {
    if (method === 'GET') return 'show'
    if (method === 'POST') return null
    if (method === 'DELETE') return 'delete'
    return method === 'PATCH' && has('PUT') ? 'patch' : 'update'
  }
  const read = same.find((one) => one.method === 'GET')
  const holds = table.some((other) => other.path.startsWith(`${path}/{`))
  const lists = holds || (read !== undefined && has('POST') && listOf(read.returns) !== null)
  if (method === 'DELETE') return lists ? 'clear' : 'delete'
  if (method === 'GET') return lists ? 'list' : same.length > 1 ? 'show' : null
  if (method === 'POST') return lists ? 'create' : null
  return body || same.length > 1 ? 'update' : null
}

/** The argument names of an endpoint's path: `/loops/{id}/runs/{run_id}` → `loop`, `run`. */
export const argumentsOf = (path: string): { name: string; label: string }[] => {
  const parts = path.split('/')
  return parts.flatMap((part, at) => {
    if (!part.startsWith('{')) return []
    const name = part.slice(1, -1)
    const label = name === 'id' ? singular(parts[at - 1] ?? '') : name.replace(/_id$/, '').replaceAll('_', '-')
    return [{ name, label }]
  })
}

/** The path of the list of a thing that others refer to: `job_id` → `/api/scheduler/jobs`. */
export function listPathOf(reference: string): string {
  const things = `${reference.replace(/^.*\.|_id$/g, '').replaceAll('_', '-')}s`
  return ['', 'api', ...(places[things] ? [places[things]] : []), things].join('/')
}

export const singular = (word: string): string =>
  word.endsWith('ies') ? `${word.slice(0, -3)}y` : word.replace(/(?<!s)s$/, '')

/** The member of an answer that has the rows of a list; null if the answer is one thing. */
export function listOf(returns: Endpoint['returns']): { name: string; row: JsonShape } | null {
  if (isFile(returns) || isStream(returns)) return null
  const { properties = {} } = toJsonSchema(returns, 'output')
  const [rows, ...more] = Object.entries(properties).filter(([, { type, items }]) => type === 'array' && items)
  const paging = ['total', 'count', 'limit', 'offset']
  const others = Object.keys(properties).filter((name) => name !== rows?.[0] && !paging.includes(name))
  if (!rows?.[1].items || (more.length > 0 && !properties.total)) return null
  return others.length === 0 || properties.total !== undefined ? { name: rows[0], row: rows[1].items } : null
}

type JsonShape = ReturnType<typeof toJsonSchema>

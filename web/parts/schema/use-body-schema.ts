import { useEndpoint } from '../../api/query.ts'
import { plainOf, type Schema } from './schema.ts'

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** The schemas of the bodies that make and change the things at a path, and the path of one of them. */
export function useBodySchemas(path: string) {
  const once = Number.POSITIVE_INFINITY
  const query = useEndpoint('/api/openapi.json', { query: { path } }, { staleTime: once, gcTime: once })
  const paths = (query.data as { paths?: Record<string, Record<string, Operation>> } | undefined)?.paths
  const bodyOf = (at: string, method: string) => paths?.[at]?.[method]?.requestBody?.content['application/json']?.schema
  const one = Object.keys(paths ?? {}).find((at) => /^\/\{\w+\}$/.test(at.slice(path.length))) ?? `${path}/{id}`
  return {
    query,
    one,
    create: bodyOf(path, 'post'),
    change: bodyOf(one, 'put'),
    replace: bodyOf(path, 'put'),
  }
}

/** The labels of a field's values, which the schema of its collection has; `null` has one too. */
export function useLabels(path: string, field: string) {
  const member = useBodySchemas(path).create?.properties?.[field]
  const labels = member && plainOf(member).schema.labels
  return (value: string | null = null): string => labels?.[String(value)] ?? ''
}

/**
 * The fields of a new thing, or of a change: the latter have the defaults of the former, a text cannot be emptied unless an
 * empty one is valid, and a secret that is left out stays as it is.
 */
export function schemaFor(create: Schema = {}, change: Schema = {}, isNew = true): Schema {
  if (isNew) return create
  const { properties: news = {}, required = [] } = create
  const members = change.properties ?? {}
  return {
    ...create,
    required: Object.entries(members)
      .filter(([name, { format, minLength = 0 }]) => (required.includes(name) || minLength > 0) && format !== 'secret')
      .map(([name]) => name),
    properties: Object.fromEntries(
      Object.entries(members).map(([name, member]) => [
        name,
        news[name]?.default === undefined ? member : { ...member, default: news[name].default },
      ]),
    ),
  }
}

import { useEndpoint } from '../../api/query.ts'
import type { Schema } from './schema.ts'

interface Operation {
  requestBody?: { content: Record<string, { schema: Schema }> }
}

/** The schemas of the bodies that make and change the things at a path. */
export function useBodySchemas(path: string) {
  const once = Number.POSITIVE_INFINITY
  const query = useEndpoint('/api/openapi.json', { query: { path } }, { staleTime: once, gcTime: once })
  const paths = (query.data as { paths?: Record<string, Record<string, Operation>> } | undefined)?.paths
  const bodyOf = (at: string, method: string) =>
    paths?.[at]?.[method]?.requestBody?.content['application/json']?.schema
  return { query, create: bodyOf(path, 'post'), change: bodyOf(`${path}/{id}`, 'put') }
}

/** The fields of a new thing, or of a change: those that both have are as for a new one. */
export function schemaFor(create: Schema = {}, change: Schema = {}, isNew = true): Schema {
  if (isNew) return create
  const members = Object.entries(change.properties ?? {})
  return {
    ...create,
    properties: Object.fromEntries(
      members.map(([name, member]) => [name, create.properties?.[name] ?? member]),
    ),
  }
}

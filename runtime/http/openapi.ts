import type { Endpoint } from './endpoint.ts'
import { errorSchemas } from './openapi/answers.ts'
import { securitySchemes } from './openapi/names.ts'
import { type Definitions, describeEndpoint, describeSocket } from './openapi/operation.ts'
import type { OpenApi, PathItem } from './openapi/types.ts'
import type { SocketEndpoint } from './socket.ts'

export type { OpenApi } from './openapi/types.ts'

export interface RouteTables {
  endpoints: readonly Endpoint[]
  sockets: readonly SocketEndpoint[]
}

const description = [
  'Send an API key or a session as `Authorization: Bearer …`, or an API key as `X-API-Key`.',
  'A 401 is `{"error": message}`; every other error is `{"error": code, "message", "status"}`.',
  'A POST that accepts an `Idempotency-Key` runs once per caller and key within a day.',
  'Times are ISO 8601 in UTC. Unknown fields of a body are ignored.',
].join('\n\n')

/** The OpenAPI document, derived from the same values that route and validate requests. */
export function describeApi({ endpoints, sockets }: RouteTables, version: string): OpenApi {
  const paths: Record<string, PathItem> = {}
  const definitions: Definitions = {}
  for (const endpoint of endpoints) {
    const method = endpoint.method.toLowerCase()
    paths[endpoint.path] = { ...paths[endpoint.path], [method]: describeEndpoint(endpoint, definitions) }
  }
  for (const socket of sockets) paths[socket.path] = { ...paths[socket.path], get: describeSocket(socket) }
  const license = { name: 'Apache License 2.0', identifier: 'Apache-2.0' }
  return {
    openapi: '3.1.1',
    info: { title: 'hearthd', version, description, license },
    servers: [{ url: '/' }],
    tags: tagsOf(paths),
    paths,
    components: { schemas: { ...errorSchemas, ...definitions }, securitySchemes },
  }
}

function tagsOf(paths: Record<string, PathItem>): { name: string }[] {
  const names = Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags))
  return [...new Set(names)].map((name) => ({ name }))
}

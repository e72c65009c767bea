import { z } from 'zod'
import type { Endpoint } from '../endpoint.ts'
import type { EndpointInfo } from '../endpoint-info.ts'
import { isFile, isStream, type StreamReturns } from '../returns.ts'
import type { SocketEndpoint } from '../socket.ts'
import { refusalsOf } from './answers.ts'
import { hoist, type JsonSchema, type Side, toJsonSchema } from './json-schema.ts'
import { areaOf, operationId, securityOf } from './names.ts'
import type { Answer, Content, Operation, Parameter } from './types.ts'

/** Recursive schemas, by the names that operations refer to. */
export type Definitions = Record<string, JsonSchema>

export function describeEndpoint(info: Endpoint, definitions: Definitions): Operation {
  const id = operationId(info.method, info.path)
  const shapeOf: ShapeOf = (part, schema, side) => {
    const hoisted = hoist(toJsonSchema(schema, side), `${id}${part}`)
    Object.assign(definitions, hoisted.definitions)
    return hoisted.shape
  }
  const parameters = parametersOf(info, shapeOf)
  const content = bodyContent(info, shapeOf)
  return {
    operationId: id,
    summary: info.summary,
    tags: [areaOf(info.path)],
    security: securityOf(info.access),
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: !info.body_optional, content } }),
    responses: { [String(info.status ?? 200)]: successOf(info, shapeOf), ...refusalsOf(info) },
  }
}

type ShapeOf = (part: string, schema: z.ZodType, side: Side) => JsonSchema

function parametersOf(info: EndpointInfo, shapeOf: ShapeOf): Parameter[] {
  const paths = info.params ? shapeOf('Params', info.params, 'input') : {}
  const queries = info.query ? shapeOf('Query', info.query, 'input') : {}
  const names = [...info.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const inPath = names.map((name) => parameter('path', name, paths, true))
  const inQuery = Object.keys(queries.properties ?? {}).map((name) =>
    parameter('query', name, queries, queries.required?.includes(name) ?? false),
  )
  const repeatable = info.method === 'POST' && info.idempotent !== false
  const byOwner = info.owner === 'caller' ? [ownerParameter] : []
  return [...inPath, ...inQuery, ...byOwner, ...(repeatable ? [idempotencyKey] : [])]
}

function parameter(place: 'path' | 'query', name: string, shape: JsonSchema, required: boolean): Parameter {
  const { description, ...schema } = shape.properties?.[name] ?? { type: 'string' }
  return { name, in: place, required, ...(description !== undefined && { description }), schema }
}

const ownerParameter: Parameter = {
  name: 'owner',
  in: 'query',
  required: false,
  description: 'For administrators: the id of the user whose data it is, or `all` to read; recorded in the audit log',
  schema: { type: 'string' },
}

const idempotencyKey: Parameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A repeated key returns the first response',
  schema: { type: 'string' },
}

function bodyContent({ body, body_kind = 'json', method }: EndpointInfo, shapeOf: ShapeOf): Content | null {
  if (method === 'GET') return null
  if (body_kind === 'raw') return { 'application/octet-stream': { schema: {} } }
  if (body_kind === 'form') return { 'multipart/form-data': { schema: formOf(body, shapeOf) } }
  return body ? { 'application/json': { schema: shapeOf('Body', body, 'input') } } : null
}

const formOf = (body: z.ZodType | undefined, shapeOf: ShapeOf): JsonSchema =>
  body ? shapeOf('Body', body, 'input') : { type: 'object', properties: { file: { type: 'string', format: 'binary' } } }

function successOf({ returns }: EndpointInfo, shapeOf: ShapeOf): Answer {
  const description = isStream(returns) ? 'A stream of events' : 'Success'
  const schemas = isFile(returns)
    ? returns.content
    : isStream(returns)
      ? { 'text/event-stream': streamSchema(returns) }
      : { 'application/json': returns }
  const content = Object.entries(schemas).map(([type, schema], index) => [
    type,
    { schema: shapeOf(`Answer${index || ''}`, schema, 'output') },
  ])
  return { description, content: Object.fromEntries(content) }
}

/** Schemas of the stream's `data`, by event name. */
const streamSchema = ({ events }: StreamReturns) => z.object(events).partial()

/** OpenAPI does not cover WebSockets: the upgrade is described as a GET. */
export function describeSocket({ path, summary, access, max_frame_bytes }: SocketEndpoint): Operation {
  return {
    operationId: operationId('SOCKET', path),
    summary,
    description: `A WebSocket (RFC 6455). Frames are limited to ${max_frame_bytes} bytes.`,
    tags: [areaOf(path)],
    security: access === 'public' ? [] : [{ socket_token: [access] }],
    responses: {
      '101': { description: 'Switched to the WebSocket protocol' },
      ...refusalsOf({ method: 'GET', path, summary, access, owner: 'none', returns: z.never() }),
    },
    'x-websocket': true,
  }
}

import type { z } from 'zod'
import { authorise } from '../auth/authorise.ts'
import type { Scope } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { readBody } from './body.ts'
import { answerFaults } from './errors.ts'
import { once } from './idempotency.ts'
import { checkParams, checkQuery } from './validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `public` asks for no credential. `setup` is public while no key exists and 401 afterwards.
 * `monitor` is public unless the operator closed anonymous access.
 */
export type Access = Scope | 'public' | 'setup' | 'monitor'

/** `json` is checked against `body`; `form` is multipart, `raw` untouched bytes, both read by `run` itself. */
export type BodyKind = 'json' | 'form' | 'raw'

export interface Input<Params, Query, Body> {
  request: Request
  params: Params
  query: Query
  body: Body
}

type Out<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

export interface Definition<
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
> {
  method: Method
  /** Parameters as `{name}`, for example `/api/agents/{id}`. */
  path: string
  summary: string
  /** Default: `read` for GET, `write` for the rest. */
  access?: Access
  params?: Params
  query?: Query
  body?: Body
  /** A body that may be left out altogether counts as `{}`. */
  body_optional?: boolean
  body_kind?: BodyKind
  /** Bytes; default is the JSON limit of the configuration. */
  body_limit?: number
  /** Shape of the successful answer, for the documents and the typed client. */
  returns?: z.ZodType
  /** Status of the successful answer; default 200. */
  status?: number
  /** Media type of the successful answer; default `application/json`. */
  produces?: string
  /** False for a POST that may be repeated at will; default true. See `idempotency.ts`. */
  idempotent?: boolean
  run(input: Input<Out<Params>, Out<Query>, Out<Body>>, context: Context): Promise<Response> | Response
}

export interface EndpointInfo extends Omit<Definition, 'params' | 'query' | 'body' | 'run'> {
  access: Access
  params?: z.ZodType
  query?: z.ZodType
  body?: z.ZodType
}

/** One value: the route, its access, its schemas, and a function that anyone can call. */
export interface Endpoint extends EndpointInfo {
  (request: Request, context: Context, params?: Record<string, string>): Promise<Response>
}

/** Makes an endpoint of its definition. A refusal anywhere inside becomes one of the two error shapes. */
export function endpoint<
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(definition: Definition<Params, Query, Body>): Endpoint {
  const access = definition.access ?? (definition.method === 'GET' ? 'read' : 'write')
  const info = { ...definition, access } as EndpointInfo

  const handle = (request: Request, context: Context, raw: Record<string, string> = {}) =>
    answerFaults(context, async () => {
      await authorise(info, request, context)
      const params = checkParams(info.params, raw)
      const query = checkQuery(info.query, request.url)
      const body = await readBody(info, request, context)
      const input = { request, params, query, body } as Input<Out<Params>, Out<Query>, Out<Body>>
      return once(info, { request, body }, context, async () => definition.run(input, context))
    })
  return Object.assign(handle, info)
}

import type { z } from 'zod'
import { authorise, authoriseAutonomy, contextForOwner } from '../auth/authorise.ts'
import type { Scope } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import { checkReferences } from '../references.ts'
import { readBody } from './body.ts'
import { answerFaults } from './errors.ts'
import { type Answered, once } from './idempotency.ts'
import { Reply, type ReplyOptions, type Returns, toResponse } from './returns.ts'
import { checkParams, checkQuery } from './validate.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `public` needs no credential. `setup` is public until a key exists, then a 401.
 * `monitor` is public unless the operator disables anonymous access.
 */
export type Access = Scope | 'public' | 'setup' | 'monitor'

/**
 * Whose data an endpoint works on. `caller`: what the caller owns; an administrator may name another owner with
 * `?owner=`. `house`: everyone reads it, administrators change it. `none`: nothing of it belongs to anyone.
 */
export type Ownership = 'caller' | 'house' | 'none'

/** `json` is validated against `body`; `run` reads `form` (multipart) and `raw` (bytes) itself. */
export type BodyKind = 'json' | 'form' | 'raw'

export interface Input<Params, Query, Body, Answer> {
  request: Request
  params: Params
  query: Query
  body: Body
  /** Builds a response whose status or headers differ from the definition. */
  reply(answer: Answer, options: ReplyOptions): Reply<Answer>
  /** Applies the `Idempotency-Key` where `idempotent` is false. `body` identifies identical requests. */
  once<Value>(body: unknown, run: () => Promise<Value>): Promise<Value>
}

/** `/api/agents/{id}` → `{ id: string }` */
export type PathParams<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { [Key in Name]: string } & PathParams<Rest>
  : unknown

type Schema = z.ZodType | undefined
type Parsed<S extends Schema, Otherwise = undefined> = S extends z.ZodType ? z.output<S> : Otherwise
type Sent<S extends Schema> = S extends z.ZodType ? z.input<S> : undefined

export interface Definition<
  Verb extends Method = Method,
  Path extends string = string,
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Answer = unknown,
> {
  method: Verb
  /** Parameters as `{name}`, for example `/api/agents/{id}`. */
  path: Path
  summary: string
  /** Default: `read` for GET, `write` for the rest. */
  access?: Access
  /** Default: `caller` for the scopes read, write and approve, `none` for the rest. */
  owner?: Ownership
  /** Needed only for parameters that are not plain strings. */
  params?: Params
  query?: Query
  body?: Body
  /** An absent body counts as `{}`. */
  body_optional?: boolean
  body_kind?: BodyKind
  /** Bytes. Default: the configured JSON limit. */
  body_limit?: number
  /** Success response: a schema for JSON, or `stream(…)` or `file(…)`. */
  returns: Returns<Answer>
  /** Success status. Default: 200. */
  status?: number
  /**
   * False for a POST that ignores `Idempotency-Key`, or applies it with `once` because it reads the body itself or
   * streams. Default: true. See `idempotency.ts`.
   */
  idempotent?: boolean
  run(
    input: Input<Parsed<Params, PathParams<Path>>, Parsed<Query>, Parsed<Body>, Answer>,
    context: Context,
  ): Promise<NoInfer<Answer> | Reply<NoInfer<Answer>>> | NoInfer<Answer> | Reply<NoInfer<Answer>>
  /** The effect is outside of the database, so a key counts as used before it: after a crash its repeat is a 409. */
  acts_outside?: boolean
  /**
   * Reads the thing that a change is made to. References that it already has are not checked again; see
   * `references.ts`.
   */
  before?(
    input: Input<Parsed<Params, PathParams<Path>>, Parsed<Query>, Parsed<Body>, Answer>,
    context: Context,
  ): Promise<unknown>
  /**
   * Reads the state that a POST has set. It answers a repeat of the `Idempotency-Key` if the daemon died after the effect,
   * unless the answer was committed with it.
   */
  recover?(
    input: Input<Parsed<Params, PathParams<Path>>, Parsed<Query>, Parsed<Body>, Answer>,
    context: Context,
  ): Promise<NoInfer<Answer>>
}

export interface EndpointInfo extends Omit<Definition, 'run' | 'recover' | 'before'> {
  access: Access
  owner: Ownership
  /** Whether references that a changed thing already has are accepted as they are. */
  keeps_references?: boolean
}

/** Input and result of a call. Types only, for the clients of the UI and the command line. */
export interface CallTypes {
  query: unknown
  body: unknown
  answer: unknown
}

/** A callable endpoint with its route, access and schemas. */
export interface Endpoint<
  Verb extends Method = Method,
  Path extends string = string,
  Types extends CallTypes = CallTypes,
> extends EndpointInfo {
  (request: Request, context: Context, params?: Record<string, string>): Promise<Response>
  method: Verb
  path: Path
  /** Exists only in the type; never set. */
  readonly types?: Types
}

const reply = <Answer>(answer: Answer, options: ConstructorParameters<typeof Reply>[1]) =>
  new Reply(answer, options)

const textOf = async (response: Response) => ({ status: response.status, text: await response.text() })

const jsonResponse = ({ status, text }: Answered) =>
  new Response(text, { status, headers: { 'content-type': 'application/json' } })

/** Builds an endpoint from its definition. Errors thrown inside become one of the two error shapes. */
export function endpoint<
  const Verb extends Method,
  const Path extends string,
  const Answer,
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
>(
  definition: Definition<Verb, Path, Params, Query, Body, Answer>,
): Endpoint<Verb, Path, { query: Sent<Query>; body: Sent<Body>; answer: Answer }> {
  const access = definition.access ?? (definition.method === 'GET' ? 'read' : 'write')
  const owner = definition.owner ?? (['read', 'write', 'approve'].includes(access) ? 'caller' : 'none')
  const info = { ...definition, access, owner, keeps_references: definition.before !== undefined }

  const handle = (request: Request, called: Context, raw: Record<string, string> = {}) =>
    answerFaults(called, async () => {
      await authorise(info, request, called)
      const context = await contextForOwner(info, request, called)
      const params = checkParams(info.params, raw) as Parsed<Params, PathParams<Path>>
      const query = checkQuery(info.query, request.url) as Parsed<Query>
      const body = (await readBody(info, request, context)) as Parsed<Body>
      authoriseAutonomy(body, context)
      const { status = 200 } = info
      const answered: Answered[] = []
      const answerOnce = async (own: unknown, run: () => Promise<Answered>) => {
        const { returns, acts_outside } = info
        const keyed = { ...{ request, body: own, returns, status }, acts_outside, recover }
        const answer = await once(context, keyed, run)
        answered.push(answer)
        return answer
      }
      const input = {
        ...{ request, params, query, body, reply },
        once: async <Value>(own: unknown, run: () => Promise<Value>): Promise<Value> => {
          const { text } = await answerOnce(own, async () => ({ status, text: JSON.stringify(await run()) }))
          return JSON.parse(text)
        },
      }
      const { before } = definition
      const respond = async () => {
        if (info.query) await checkReferences(context, info.query, query)
        if (info.body)
          await checkReferences(context, info.body, body, before && (() => before(input, context)))
        return toResponse(info, await definition.run(input, context), context)
      }
      const recover =
        definition.recover &&
        (async () => textOf(toResponse(info, await definition.recover?.(input, context), context)))
      const response =
        info.method === 'POST' && info.idempotent !== false
          ? jsonResponse(await answerOnce(body, async () => textOf(await respond())))
          : await respond()
      if (answered.some(({ replayed }) => replayed)) response.headers.set('idempotency-replayed', 'true')
      return response
    })
  return Object.assign(handle, info)
}

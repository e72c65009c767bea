import type { z } from 'zod'
import type { Scope } from '../auth/caller.ts'
import type { Context } from '../context.ts'
import type { Reply, ReplyOptions, Returns } from './returns.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * `public` needs no credential. `setup` is public until a key exists, then a 401.
 * `monitor` is public unless the operator disables anonymous access.
 */
export type Access = Scope | 'public' | 'setup' | 'monitor'

/**
 * Whose data an endpoint works on. `caller`: what the caller owns; an administrator may name another owner with
 * `?owner=`. `shared`: everyone reads it, administrators change it. `none`: nothing of it belongs to anyone.
 */
export type Ownership = 'caller' | 'shared' | 'none'

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

export type Schema = z.ZodType | undefined
export type Parsed<S extends Schema, Otherwise = undefined> = S extends z.ZodType ? z.output<S> : Otherwise
export type Sent<S extends Schema> = S extends z.ZodType ? z.input<S> : undefined

export interface Definition<
  Path extends string = string,
  Params extends Schema = Schema,
  Query extends Schema = Schema,
  Body extends Schema = Schema,
  Answer = unknown,
> {
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
  /** Further origins whose pages may call it, such as those that a webhook names; `*` is every origin. */
  origins?(params: Record<string, string>, context: Context): Promise<readonly string[]>
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
  method: Method
  /** Parameters as `{name}`, for example `/api/agents/{id}`. */
  path: string
  access: Access
  owner: Ownership
  /** Whether references that a changed thing already has are accepted as they are. */
  keeps_references?: boolean
}

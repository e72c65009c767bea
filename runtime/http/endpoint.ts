import { authorise, authoriseAutonomy, contextForOwner } from '../auth/authorise.ts'
import type { Context } from '../context.ts'
import { checkReferences } from '../reference-check.ts'
import { readBody } from './body.ts'
import type { Definition, EndpointInfo, Method, Parsed, PathParams, Schema, Sent } from './endpoint-info.ts'
import { answerFaults } from './errors.ts'
import { type Answered, once } from './idempotency.ts'
import { jsonResponse, Reply, textOf, toResponse } from './returns.ts'
import { checkParams, checkQuery } from './validate.ts'

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

const reply = <Answer>(answer: Answer, options: ConstructorParameters<typeof Reply>[1]) => new Reply(answer, options)

const answerOf = async (response: Response): Promise<Answered> => ({
  status: response.status,
  text: await textOf(response),
})

/**
 * Builds an endpoint from its route, for example `GET /api/agents/{id}`, and its definition. Errors thrown inside become
 * one of the two error shapes.
 */
export function endpoint<
  const Verb extends Method,
  const Path extends string,
  const Answer,
  Params extends Schema = undefined,
  Query extends Schema = undefined,
  Body extends Schema = undefined,
>(
  route: `${Verb} ${Path}`,
  definition: Definition<Path, Params, Query, Body, Answer>,
): Endpoint<Verb, Path, { query: Sent<Query>; body: Sent<Body>; answer: Answer }> {
  const [method, path] = route.split(' ') as [Verb, Path]
  const access = definition.access ?? (method === 'GET' ? 'read' : 'write')
  const owner = definition.owner ?? (['read', 'write', 'approve'].includes(access) ? 'caller' : 'none')
  const info = {
    ...definition,
    method,
    path,
    access,
    owner,
    keeps_references: definition.before !== undefined,
  }

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
        request,
        params,
        query,
        body,
        reply,
        once: async <Value>(own: unknown, run: () => Promise<Value>): Promise<Value> => {
          const { text } = await answerOnce(own, async () => ({ status, text: JSON.stringify(await run()) }))
          return JSON.parse(text)
        },
      }
      const { before } = definition
      const respond = async () => {
        if (info.query) await checkReferences(context, info.query, query)
        if (info.body) await checkReferences(context, info.body, body, before && (() => before(input, context)))
        return toResponse(info, await definition.run(input, context), context)
      }
      const recover =
        definition.recover &&
        (async () => answerOf(toResponse(info, await definition.recover?.(input, context), context)))
      const respondOnce = async () => {
        const { status, text } = await answerOnce(body, async () => answerOf(await respond()))
        return jsonResponse(text, { status })
      }
      const response = info.method === 'POST' && info.idempotent !== false ? await respondOnce() : await respond()
      if (answered.some(({ replayed }) => replayed)) response.headers.set('idempotency-replayed', 'true')
      return response
    })
  return Object.assign(handle, info)
}

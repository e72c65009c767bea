import { z } from 'zod'
import type { Context } from '../context.ts'
import { checkShape } from '../shape.ts'
import { type EventSource, type ServerEvent, sse } from './sse.ts'

/** The success response of an endpoint: JSON of a schema, `file(…)` or `stream(…)`. */
export type Returns<Answer = unknown> = z.ZodType<Answer>

/** Bytes or text; `run` returns the `Response`. */
export interface FileReturns extends z.ZodType<Response> {
  /** Schema by media type, for the API documentation. */
  content: Record<string, z.ZodType>
}

/** Server-sent events; `run` returns their source, or null if there is nothing to stream (204). */
export interface StreamReturns<Events extends EventSchemas = EventSchemas> extends z.ZodType<EventSource | null> {
  /** Payload schemas by event name. */
  events: Events
}

export type EventSchemas = Record<string, z.ZodType>

export function file(...media_types: (string | Record<string, z.ZodType>)[]): FileReturns {
  const content = media_types.map((type) => (typeof type === 'string' ? { [type]: z.unknown() } : type))
  return Object.assign(z.custom<Response>(), { content: Object.assign({}, ...content) })
}

export const stream = <Events extends EventSchemas>(events: Events): StreamReturns<Events> =>
  Object.assign(z.custom<EventSource | null>(), { events })

/** The texts of JSON responses, so that whoever needs one does not read a stream. */
const texts = new WeakMap<Response, string>()

export function jsonResponse(text: string, { headers, ...init }: ReplyOptions = {}): Response {
  const response = new Response(text, {
    ...init,
    headers: { 'content-type': 'application/json', ...headers },
  })
  texts.set(response, text)
  return response
}

export const textOf = async (response: Response): Promise<string> => texts.get(response) ?? (await response.text())

export interface ReplyOptions {
  status?: number
  headers?: Record<string, string>
}

export class Reply<Answer> {
  readonly #answer: Answer
  readonly #options: ReplyOptions

  constructor(answer: Answer, options: ReplyOptions) {
    this.#answer = answer
    this.#options = options
  }

  toResponse(returns: Returns, status: number, context: Context): Response {
    if (context.config.check_answers) checkShape(returns, this.#answer, 'the response')
    return jsonResponse(JSON.stringify(this.#answer), { status, ...this.#options })
  }
}

/** Builds the response from the return value of `run`. */
export function toResponse(
  { returns, status = 200 }: { returns: Returns; status?: number },
  returned: unknown,
  context: Context,
): Response {
  if (returned instanceof Response) return returned
  if (isStream(returns)) {
    if (returned === null) return new Response(null, { status: 204 })
    const check = (event: ServerEvent) => checkEvent(returns.events, event)
    return sse(context, returned as EventSource, context.config.check_answers ? check : undefined)
  }
  const reply = returned instanceof Reply ? returned : new Reply(returned, {})
  return reply.toResponse(returns, status, context)
}

export const isFile = (returns: Returns): returns is FileReturns => 'content' in returns
export const isStream = (returns: Returns): returns is StreamReturns => 'events' in returns

/** Throws if the endpoint does not declare the event or its payload does not match the schema. */
function checkEvent(schemas: EventSchemas, { event, data }: ServerEvent): void {
  const schema = schemas[event]
  if (!schema) throw new Error(`The stream has an undeclared event: ${event}`)
  checkShape(schema, data, event)
}

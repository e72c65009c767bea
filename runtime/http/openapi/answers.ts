import type { EndpointInfo } from '../endpoint-info.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Answer, Content } from './types.ts'

const text: JsonSchema = { type: 'string' }

/** Schemas of the two error shapes, by name. */
export const errorSchemas: Record<string, JsonSchema> = {
  Unauthorized: {
    type: 'object',
    description: 'The shape of a 401.',
    properties: { error: { ...text, description: 'Human-readable message' } },
    required: ['error'],
  },
  Refusal: {
    type: 'object',
    description: 'The shape of all other errors. Some codes add fields.',
    properties: {
      error: { ...text, description: 'Machine-readable code' },
      message: { ...text, description: 'Human-readable message' },
      status: { type: 'integer', description: 'HTTP status' },
      issues: {
        type: 'array',
        description: 'All invalid fields; present with `validation_error`',
        items: { type: 'object', properties: { path: text, message: text }, required: ['path', 'message'] },
      },
    },
    required: ['error', 'message', 'status'],
  },
}

const shapedAs = (name: string): Content => ({
  'application/json': { schema: { $ref: `#/components/schemas/${name}` } },
})

const refusal = (description: string): Answer => ({ description, content: shapedAs('Refusal') })

/** The errors that a request to this endpoint can get, by status. */
export function refusalsOf(info: EndpointInfo): Record<string, Answer> {
  const changes = info.method !== 'GET'
  const json = info.body !== undefined && (info.body_kind ?? 'json') === 'json'
  const open = info.access === 'public'
  const scoped = !open && info.access !== 'setup'
  const possible: [boolean, string, Answer][] = [
    [json || info.query !== undefined, '400', refusal('A parameter is invalid, or the body is not valid JSON')],
    [!open, '401', { description: 'No valid credential', content: shapedAs('Unauthorized') }],
    [scoped, '403', refusal('The credential lacks the required scope')],
    [info.path.includes('{'), '404', refusal('The resource does not exist')],
    [changes, '409', refusal('The resource has changed, or another request was first')],
    [info.body_kind !== undefined || json, '413', refusal('The body is too large')],
    [info.body_kind !== undefined || json, '415', refusal('The media type of the body is not supported')],
    [changes, '422', refusal('Fields of the body are invalid; `issues` lists them')],
    [!open, '429', refusal('Too many failed authentications from this address; see `Retry-After`')],
  ]
  const refusals = possible.filter(([applies]) => applies).map(([, status, answer]) => [status, answer])
  return { ...Object.fromEntries(refusals), default: refusal('Any other error') }
}

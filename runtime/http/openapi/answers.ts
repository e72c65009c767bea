import type { EndpointInfo } from '../endpoint.ts'
import type { JsonSchema } from './json-schema.ts'
import type { Answer, Content } from './types.ts'

const text: JsonSchema = { type: 'string' }

/** The two error shapes, by their names in the document. */
export const errorSchemas: Record<string, JsonSchema> = {
  Unauthorized: {
    type: 'object',
    description: 'The shape of a 401.',
    properties: { error: { ...text, description: 'What is missing or wrong, for people' } },
    required: ['error'],
  },
  Refusal: {
    type: 'object',
    description: 'The shape of every other refusal. Some codes add members.',
    properties: {
      error: { ...text, description: 'The code, for programs' },
      message: { ...text, description: 'For people' },
      status: { type: 'integer', description: 'The status of the answer' },
      issues: {
        type: 'array',
        description: 'Every wrong field, with `validation_error`',
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

/** The refusals that the way of a request to this endpoint can meet, by status. */
export function refusalsOf(info: EndpointInfo): Record<string, Answer> {
  const changes = info.method !== 'GET'
  const json = info.body !== undefined && (info.body_kind ?? 'json') === 'json'
  const open = info.access === 'public'
  const scoped = !open && info.access !== 'setup'
  const possible: [boolean, string, Answer][] = [
    [json || info.query !== undefined, '400', refusal('A parameter is wrong, or the body is not JSON')],
    [!open, '401', { description: 'No valid credential', content: shapedAs('Unauthorized') }],
    [scoped, '403', refusal('The credential lacks the scope')],
    [info.path.includes('{'), '404', refusal('It does not exist')],
    [changes, '409', refusal('It has moved on, or somebody was first')],
    [info.body_kind !== undefined || json, '413', refusal('The body is too large')],
    [info.body_kind !== undefined || json, '415', refusal('The body has another media type')],
    [changes, '422', refusal('Fields of the body are wrong; `issues` names each')],
    [!open, '429', refusal('Too many wrong credentials from this address; `Retry-After` says how long')],
  ]
  const refusals = possible.filter(([applies]) => applies).map(([, status, answer]) => [status, answer])
  return { ...Object.fromEntries(refusals), default: refusal('Any other refusal') }
}

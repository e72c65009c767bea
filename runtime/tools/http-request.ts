import { z } from 'zod'
import { absoluteUrl, decode, isText, mediaType, type Received, receive } from './receive.ts'
import { clipped, cut } from './text.ts'
import { ToolError, tool } from './tool.ts'

const Input = z.object({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: z.string().min(1).max(4_096),
  headers: z.record(z.string().max(200), z.string().max(8_192)).optional(),
  body: z.unknown().optional().describe('Text as it is; an object or list is sent as JSON'),
})
type Input = z.infer<typeof Input>

/** Characters of a response that go into the model's context. */
const maxCharacters = 50_000

const reads = (method: Input['method']): boolean => method === 'GET' || method === 'HEAD'

export const httpRequest = tool({
  name: 'http_request',
  description:
    'Sends one HTTP request to an API and returns status, headers and body as they come. Use it for APIs that need a ' +
    'method, headers or a body; to read a page use web_fetch.',
  input: Input,
  effect: ({ method }) => (reads(method) ? 'read' : 'write'),
  risk: ({ method }) => (reads(method) ? 'medium' : 'high'),
  untrusted: () => true,
  summary: ({ method, url }) => `Send a ${method} request to ${clipped(url, 200)}`,
  async run(input, { context, signal }) {
    const received = await receive(context, absoluteUrl(input.url), { ...requestOf(input), signal })
    const { status, headers } = received.response
    return { status, headers: Object.fromEntries(headers), ...bodyOf(received) }
  },
})

function requestOf({ method, headers: fields = {}, body }: Input): RequestInit {
  const headers = checkHeaders(fields)
  if (body === undefined || body === null || body === '') return { method, headers }
  if (reads(method)) throw new ToolError(`${method} takes no body; put it into the URL's query, or use POST`)
  if (typeof body === 'string') return { method, headers, body }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return { method, headers, body: JSON.stringify(body) }
}

/** These describe the connection, which the model does not control. */
const connectionHeaders = new Set([
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'upgrade',
  'te',
  'expect',
])

function checkHeaders(fields: Record<string, string>): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields)) {
    if (connectionHeaders.has(name.toLowerCase()))
      throw new ToolError(`The header ${name} is set for you; leave it out`)
    try {
      headers.set(name, value)
    } catch {
      throw new ToolError(`The header ${clipped(name, 60)} has a name or value that HTTP does not allow`)
    }
  }
  return headers
}

function bodyOf({ response, bytes, partial }: Received): { body: string; truncated: boolean } {
  const type = mediaType(response.headers)
  if (!isText(type, bytes)) return { body: `[${type || 'binary'}, ${bytes.byteLength} bytes]`, truncated: partial }
  const { text, truncated } = cut(decode(bytes, response.headers), maxCharacters)
  return { body: text, truncated: truncated || partial }
}

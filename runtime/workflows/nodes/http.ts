import { z } from 'zod'
import { isUnsent } from '../../outbound/unsent.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { decode, isText, mediaType } from '../../tools/receive.ts'
import { NodeError, nodeType } from '../node-type.ts'
import { maxOutput } from '../output.ts'

const Params = z.object({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: z.string().trim().min(1).max(8_192).meta({ description: 'For example https://api.example.com/items' }),
  query: z.record(z.string().max(200), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
  headers: z.record(z.string().max(200), z.string().max(16_384)).default({}),
  body: z.unknown().optional().meta({ description: 'Text as it is; everything else as JSON' }),
  response: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .meta({ description: 'auto: JSON if the answer says that it is JSON' }),
  fail_on_error: z
    .boolean()
    .default(true)
    .meta({ description: 'An answer of 400 or above is an error of the node' }),
  only_body: z.boolean().default(false).meta({ description: 'The output is the body alone' }),
})
type Params = z.output<typeof Params>

const reads = (method: string): boolean => method === 'GET' || method === 'HEAD'

export const http = nodeType<Params>({
  type: 'http',
  title: 'HTTP request',
  description: 'Sends a request. Its output is {status, headers, body}.',
  category: 'action',
  params: Params,
  risk: 'medium',
  side_effects: true,
  effect: ({ method }) => !reads(method),
  async run(params, { context }) {
    try {
      return { output: await send(params, context.outbound, context.signal) }
    } catch (thrown) {
      if (context.signal.aborted) throw context.signal.reason
      if (thrown instanceof OutboundBlocked)
        throw new NodeError('blocked', `The guard for outgoing requests refused it: ${thrown.message}`, {
          permanent: true,
        })
      if (!(thrown instanceof TypeError)) throw thrown
      const reason = thrown.cause instanceof Error ? thrown.cause.message : thrown.message
      throw new NodeError('no_answer', `No answer from ${hostOf(params.url)}: ${reason}`, {
        definite: isUnsent(thrown),
      })
    }
  },
})

async function send(
  params: Params,
  outbound: { fetch(url: URL, init: RequestInit): Promise<Response> },
  signal: AbortSignal,
) {
  const url = URL.parse(params.url)
  if (!url) throw new NodeError('invalid_url', `${params.url} is not a URL`, { permanent: true })
  for (const [name, value] of Object.entries(params.query))
    if (value !== null) url.searchParams.set(name, String(value))
  const response = await outbound.fetch(url, { ...requestOf(params), signal })
  const { status } = response
  const text = params.method === 'HEAD' ? '' : await readText(response)
  const body = bodyOf(params, response, text)
  if (params.fail_on_error && status >= 400)
    throw new NodeError(`http_${status}`, `${url.host} answered ${status}: ${text.slice(0, 500)}`, {
      permanent: status < 500 && status !== 408 && status !== 429,
      // A gateway that gave up does not know what the server has done.
      definite: status !== 504,
    })
  return params.only_body ? body : { status, headers: Object.fromEntries(response.headers), body }
}

function requestOf({ method, headers: given, body }: Params): RequestInit {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given))
    try {
      headers.set(name, value)
    } catch {
      throw new NodeError(
        'invalid_header',
        `The header ${name} has a name or value that HTTP does not allow`,
        {
          permanent: true,
        },
      )
    }
  if (body === undefined || body === null || reads(method)) return { method, headers }
  if (typeof body === 'string') return { method, headers, body }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return { method, headers, body: JSON.stringify(body) }
}

/** Reads at most as much as an output may have. */
async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
    if (done) break
    size += value.byteLength
    if (size > maxOutput) {
      await reader?.cancel()
      throw new NodeError('too_large', `The answer has more than ${maxOutput} bytes`, { permanent: true })
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  const type = mediaType(response.headers)
  return isText(type, bytes) ? decode(bytes, response.headers) : `[${type || 'binary'}, ${size} bytes]`
}

function bodyOf({ response: wanted }: Params, response: Response, text: string): unknown {
  const says = /[/+]json$/.test(mediaType(response.headers))
  if (wanted === 'text' || (wanted === 'auto' && !says)) return text
  try {
    return text === '' ? null : (JSON.parse(text) as unknown)
  } catch {
    if (wanted === 'auto') return text
    throw new NodeError('invalid_json', `The answer is not JSON: ${text.slice(0, 200)}`, { permanent: true })
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

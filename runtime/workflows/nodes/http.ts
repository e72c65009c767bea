import { z } from 'zod'
import type { Context } from '../../context.ts'
import { fetchWith, withoutSecrets } from '../../credentials/index.ts'
import { isUnsent } from '../../outbound/unsent.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { reference } from '../../references.ts'
import { decode, isText, mediaType } from '../../tools/receive.ts'
import { NodeError, nodeType, permanentError, refusal } from '../node-type.ts'
import { maxOutput } from '../values.ts'

const Params = z.object({
  method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']).default('GET'),
  url: z.string().trim().min(1).max(8_192).meta({ description: 'For example https://api.example.com/items' }),
  query: z.record(z.string().max(200), z.union([z.string(), z.number(), z.boolean(), z.null()])).default({}),
  headers: z.record(z.string().max(200), z.string().max(16_384)).default({}),
  credential: reference('credential', 64)
    .default('')
    .meta({
      title: 'Credential',
      description: 'Sent to the hosts that it allows only',
      labels: { null: 'None' },
    }),
  body: z.unknown().optional().meta({ description: 'Text as it is; everything else as body_type says' }),
  body_type: z.enum(['json', 'form', 'multipart']).default('json'),
  response: z
    .enum(['auto', 'json', 'text'])
    .default('auto')
    .meta({ title: 'Response format', description: 'auto: JSON if the answer says that it is JSON' }),
  fail_on_error: z.boolean().default(true).meta({ description: 'An answer of 400 or above is an error of the node' }),
  only_body: z.boolean().default(false).meta({ description: 'The output is the body alone' }),
  transform: z.string().max(20_000).default('').meta({
    description: 'Code that makes the output of the answer, for example return input.items',
    'x-language': 'javascript',
  }),
  body_field: z.string().max(200).default('').meta({
    description: 'A body alone that is no object or list becomes this field; empty: it is the output',
  }),
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
  usual_input: 'item',
  effect: ({ method }) => !reads(method),
  code: { transform: 'javascript' },
  async run(params, { context, runScript }) {
    try {
      const output = await send(params, context)
      if (params.transform === '') return { output }
      return { output: await runScript({ code: params.transform, input: output, output_chars: 4_000_000 }) }
    } catch (thrown) {
      if (context.signal.aborted) throw context.signal.reason
      if (thrown instanceof OutboundBlocked)
        throw permanentError('blocked', `The guard for outgoing requests refused it: ${thrown.message}`)
      if (!(thrown instanceof TypeError)) throw refusal(thrown, 'credential')
      const reason = thrown.cause instanceof Error ? thrown.cause.message : thrown.message
      throw new NodeError('no_answer', `No answer from ${hostOf(params.url)}: ${reason}`, {
        definite: isUnsent(thrown),
      })
    }
  },
})

async function send(params: Params, context: Context) {
  const url = URL.parse(params.url)
  if (!url) throw permanentError('invalid_url', `${params.url} is not a URL`)
  for (const [name, value] of Object.entries(params.query))
    if (value !== null) url.searchParams.set(name, String(value))
  const { credential } = params
  const init = { ...requestOf(params), signal: context.signal }
  const response = await (credential === ''
    ? context.outbound.fetch(url, init)
    : fetchWith(context, credential, url, init))
  const { status } = response
  const received = params.method === 'HEAD' ? '' : await readText(response)
  // A server may repeat what it was sent.
  const clean = <Value>(value: Value) => (credential === '' ? value : withoutSecrets(context, value))
  const text = clean(received)
  const body = bodyOf(params, response, text)
  if (params.fail_on_error && status >= 400)
    throw new NodeError(`http_${status}`, `${url.host} answered ${status}: ${text.slice(0, 500)}`, {
      permanent: status < 500 && status !== 408 && status !== 429,
      // A gateway that gave up does not know what the server has done.
      definite: status !== 504,
    })
  if (!params.only_body) return { status, headers: clean(Object.fromEntries(response.headers)), body }
  const isWrapped = params.body_field !== '' && (typeof body !== 'object' || body === null)
  return isWrapped ? { [params.body_field]: body } : body
}

function requestOf({ method, headers: fields, body, body_type }: Params): RequestInit {
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields))
    try {
      headers.set(name, value)
    } catch {
      throw permanentError('invalid_header', `The header ${name} has a name or value that HTTP does not allow`)
    }
  if (body === undefined || body === null || reads(method)) return { method, headers }
  if (typeof body === 'string') return { method, headers, body }
  if (body_type !== 'json' && typeof body === 'object') {
    const form = body_type === 'form' ? new URLSearchParams() : new FormData()
    for (const [name, value] of Object.entries(body))
      form.append(name, typeof value === 'object' ? JSON.stringify(value) : String(value))
    headers.delete('content-type')
    return { method, headers, body: form }
  }
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
      throw permanentError('too_large', `The answer has more than ${maxOutput} bytes`)
    }
    chunks.push(value)
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  const type = mediaType(response.headers)
  return isText(type, bytes) ? decode(bytes, response.headers) : `[${type || 'binary'}, ${size} bytes]`
}

function bodyOf({ response: format }: Params, response: Response, text: string): unknown {
  const says = /[/+]json$/.test(mediaType(response.headers))
  if (format === 'text' || (format === 'auto' && !says)) return text
  try {
    return text === '' ? null : (JSON.parse(text) as unknown)
  } catch {
    if (format === 'auto') return text
    throw permanentError('invalid_json', 'Response body is not valid JSON. Change "Response Format" to "Text"')
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url

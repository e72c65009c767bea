import { z } from 'zod'
import { fetchWith, withoutSecrets } from '../../credentials/index.ts'
import { reference } from '../../references.ts'
import { decode, isText, mediaType } from '../../tools/receive.ts'
import { withField } from '../field-path.ts'
import { isFile } from '../file-value.ts'
import { openFile, requireFileIn, storeFile } from '../item-files.ts'
import { fieldText, multipart } from '../multipart.ts'
import { type NodeScope, nodeType, permanentError } from '../node-type.ts'
import { maxOutput } from '../values.ts'
import { allPages, type PageAnswer, Pages, pageCode } from './pages.ts'
import { failRequest, statusError } from './requests.ts'

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
  body: z
    .unknown()
    .optional()
    .meta({ description: 'Text as it is; everything else as body_type says. Fields of multipart may be files' }),
  body_type: z
    .enum(['json', 'form', 'multipart', 'file'])
    .default('json')
    .meta({ description: 'file: the file that the body names, or the first one of the input' }),
  response: z.enum(['auto', 'json', 'text', 'file']).default('auto').meta({
    title: 'Response format',
    description: 'auto: JSON if the answer says that it is JSON, and a file if it is no text',
  }),
  fail_on_error: z.boolean().default(true).meta({ description: 'An answer of 400 or above is an error of the node' }),
  only_body: z.boolean().default(false).meta({ description: 'The output is the body alone' }),
  transform: z.string().max(20_000).default('').meta({
    description: 'Code that makes the output of the answer, for example return input.items',
    'x-language': 'javascript',
  }),
  body_field: z.string().max(200).default('').meta({
    description: 'A body alone that is no object or list becomes this field. Leave blank to make it the output',
  }),
  file_field: z
    .string()
    .max(200)
    .default('')
    .meta({ description: 'A file becomes this field. Leave blank to make it the body' }),
  pages: Pages.nullable()
    .default(null)
    .meta({
      title: 'Page after page',
      description: 'The output is the list of all answers; lists that are bodies are joined',
      labels: { null: 'One request' },
    }),
})
type Params = z.output<typeof Params>

const reads = (method: string): boolean => method === 'GET' || method === 'HEAD'

export const http = nodeType<Params>({
  type: 'http',
  title: 'HTTP request',
  description: 'Fetches or sends data over HTTP. Its output is {status, status_text, headers, body}.',
  category: 'action',
  params: Params,
  risk: 'medium',
  side_effects: true,
  usual_input: 'item',
  effect: ({ method }) => !reads(method),
  code: { transform: 'javascript', ...pageCode },
  async run(params, scope) {
    const { context, runScript } = scope
    try {
      const send = (request: Params) => answerTo(request, scope)
      const { pages } = params
      if (pages) {
        const outputs: unknown[] = []
        for (const answer of await allPages({ params, pages, scope }, send))
          outputs.push(await outputOf(params, answer, runScript))
        return { output: outputs.flat() }
      }
      const answer = await send(params)
      if (isFailure(params, answer.status)) throw statusError(answer.status, answer.host, answer.text)
      return { output: await outputOf(params, answer, runScript) }
    } catch (thrown) {
      failRequest(thrown, { signal: context.signal, host: hostOf(params.url) })
    }
  },
})

const isFailure = ({ fail_on_error }: Params, status: number): boolean => fail_on_error && status >= 400

interface Answer extends PageAnswer {
  status_text: string
}

async function answerTo(params: Params, scope: NodeScope): Promise<Answer> {
  const { context } = scope
  const url = URL.parse(params.url)
  if (!url) throw permanentError('invalid_url', `${params.url} is not a URL`)
  for (const [name, value] of Object.entries(params.query))
    if (value !== null) url.searchParams.set(name, String(value))
  const { credential } = params
  const init = { ...(await requestOf(params, scope)), signal: context.signal }
  const response = await (credential === ''
    ? context.outbound.fetch(url, init)
    : fetchWith(context, credential, url, init))
  const { status, statusText: status_text } = response
  // A server may repeat what it was sent.
  const clean = <Value>(value: Value) => (credential === '' ? value : withoutSecrets(context, value))
  const received = await receive(params, response)
  const headers = clean(Object.fromEntries(response.headers))
  const head = { status, status_text, headers, host: url.host }
  if ('pieces' in received) {
    const file = await storeFile(scope, { ...received, ...describedFile(response, url) })
    return { ...head, text: '', body: () => file }
  }
  const text = clean(received.text)
  return { ...head, text, body: () => bodyOf(params, response, text) }
}

async function outputOf(
  { only_body, body_field, file_field, transform }: Params,
  { status, status_text, headers, body }: Answer,
  runScript: NodeScope['runScript'],
): Promise<unknown> {
  const own = body()
  const head = { status, status_text, headers }
  const isWrapped = body_field !== '' && (typeof own !== 'object' || own === null)
  const output =
    file_field !== '' && isFile(own)
      ? withField(only_body ? {} : head, file_field, own)
      : !only_body
        ? { ...head, body: own }
        : isWrapped
          ? { [body_field]: own }
          : own
  return transform === '' ? output : runScript({ code: transform, input: output, output_chars: 4_000_000 })
}

/** The name and media type of a file that a server has sent. */
function describedFile({ headers }: Response, url: URL) {
  const mime_type = mediaType(headers)
  const disposition = headers.get('content-disposition') ?? ''
  const [, encoded] = /filename\*\s*=\s*utf-8''([^;\s]+)/i.exec(disposition) ?? []
  const [, quoted, plain] = /filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(disposition) ?? []
  const last = decodedName(encoded ?? '') || quoted || plain || decodedName(url.pathname.split('/').at(-1) ?? '')
  return { name: last || 'file', mime_type }
}

function decodedName(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

async function requestOf(params: Params, { context, input }: NodeScope): Promise<RequestInit> {
  const { method, headers: fields, body, body_type } = params
  const headers = new Headers()
  for (const [name, value] of Object.entries(fields))
    try {
      headers.set(name, value)
    } catch {
      throw permanentError('invalid_header', `The header ${name} has a name or value that HTTP does not allow`)
    }
  if (reads(method)) return { method, headers }
  if (body_type === 'file') {
    const file = requireFileIn(body, input)
    const { content, size_bytes } = await openFile(context, file)
    if (!headers.has('content-type')) headers.set('content-type', file.mime_type)
    headers.set('content-length', String(size_bytes))
    return { method, headers, body: content }
  }
  if (body === undefined || body === null) return { method, headers }
  if (typeof body === 'string') return { method, headers, body }
  if (body_type !== 'json' && typeof body === 'object') {
    headers.delete('content-type')
    if (body_type === 'multipart' && Object.values(body).some(isFile)) {
      const { type, size_bytes, content } = await multipart(context, body)
      headers.set('content-type', type)
      headers.set('content-length', String(size_bytes))
      return { method, headers, body: content }
    }
    const form = body_type === 'form' ? new URLSearchParams() : new FormData()
    for (const [name, value] of Object.entries(body)) form.append(name, fieldText(value))
    return { method, headers, body: form }
  }
  if (!headers.has('content-type')) headers.set('content-type', 'application/json')
  return { method, headers, body: JSON.stringify(body) }
}

/** Reads a body as text, at most as much as an output may have, or returns the pieces of a file. */
async function receive(
  params: Params,
  { body, headers, status }: Response,
): Promise<{ text: string } | { pieces: AsyncIterable<Uint8Array> }> {
  const { method, response: format } = params
  if (method === 'HEAD') return { text: '' }
  const reader = body?.getReader()
  const first = await reader?.read()
  const type = mediaType(headers)
  const pieces = piecesOf(reader, first?.value)
  const start = first?.value ?? new Uint8Array()
  const isBinary = first?.value !== undefined && !isText(type, start)
  if (!isFailure(params, status) && (format === 'file' || (format === 'auto' && isBinary))) return { pieces }
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const piece of pieces) {
    size += piece.byteLength
    if (size > maxOutput)
      throw permanentError('too_large', `The answer has more than ${maxOutput} bytes; receive it as a file`)
    chunks.push(piece)
  }
  const bytes = new Uint8Array(await new Blob(chunks).arrayBuffer())
  return { text: isText(type, bytes) ? decode(bytes, headers) : `[${type || 'binary'}, ${size} bytes]` }
}

type Piece = Uint8Array<ArrayBuffer>

async function* piecesOf(reader: ReadableStreamDefaultReader<Piece> | undefined, first: Piece | undefined) {
  try {
    for (let piece = first; piece; piece = (await reader?.read())?.value) yield piece
  } finally {
    await reader?.cancel()
  }
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

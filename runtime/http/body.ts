import type { Context } from '../context.ts'
import { badRequest, Fault, payloadTooLarge } from '../fault.ts'
import { joined } from '../streams.ts'
import type { EndpointInfo } from './endpoint-info.ts'
import { checkBody } from './validate.ts'

/** The validated JSON body; undefined if the endpoint takes none or reads the request itself. */
export async function readBody(info: EndpointInfo, request: Request, context: Context): Promise<unknown> {
  if (!info.body || (info.body_kind ?? 'json') !== 'json') return undefined
  const text = new TextDecoder().decode(await readBytes(request, info.body_limit ?? context.config.json_limit))
  if (text.trim() === '' && info.body_optional) return checkBody(info.body, {})
  requireJsonType(request)
  return checkBody(info.body, parseBody(text))
}

function requireJsonType(request: Request): void {
  const type = request.headers.get('content-type') ?? ''
  if (/^application\/(json|[\w.+-]+\+json)\s*(;|$)/i.test(type)) return
  throw new Fault(415, 'unsupported_media_type', 'Send the body as application/json')
}

/** Parses a JSON body. Throws a 400 if it is not valid JSON. */
export function parseBody(text: string): unknown {
  if (text.trim() === '') throw badRequest('A JSON body is required')
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('The body is not valid JSON')
  }
}

/** Reads at most `limit` bytes. */
export const readBytes = (request: Pick<Request, 'headers' | 'body'>, limit: number): Promise<Uint8Array> =>
  joined(piecesWithin(request, limit))

/** At most `limit` bytes in pieces. Refuses while reading, so an endless body is never buffered. */
export async function* piecesWithin(
  { headers, body }: Pick<Request, 'headers' | 'body'>,
  limit: number,
  tooLarge: (limit: number) => Fault = payloadTooLarge,
): AsyncGenerator<Uint8Array> {
  if (Number(headers.get('content-length') ?? 0) > limit) throw tooLarge(limit)
  if (!body) return
  let size = 0
  for await (const chunk of chunksOf(body)) {
    size += chunk.byteLength
    if (size > limit) throw tooLarge(limit)
    yield chunk
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(() => {
        throw badRequest('The body ended before it was complete')
      })
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

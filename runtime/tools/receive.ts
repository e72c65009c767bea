import type { Context } from '../context.ts'
import { documentKind, maxDocumentBytes } from '../documents/document.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { ToolError } from './tool.ts'

/** Bytes of a response that are read, unless it is a document; the rest is never fetched. */
const maxTextBytes = 2 * 1024 * 1024

export interface Received {
  response: Response
  bytes: Uint8Array
  /** The response was longer than what was read. */
  partial: boolean
}

/**
 * Sends a request through the outbound guard and reads the response. Errors that a model can correct become a
 * `ToolError`.
 */
export async function receive(context: Pick<Context, 'outbound'>, url: string, init: RequestInit): Promise<Received> {
  try {
    const response = await context.outbound.fetch(url, init)
    return { response, ...(await readStart(response)) }
  } catch (thrown) {
    init.signal?.throwIfAborted()
    throw toToolError(thrown, url)
  }
}

async function readStart(response: Response): Promise<{ bytes: Uint8Array; partial: boolean }> {
  const isDocument = documentKind(mediaType(response.headers), '') !== null
  const maxBytes = isDocument ? maxDocumentBytes : maxTextBytes
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > maxBytes) break
  }
  const bytes = new Uint8Array(await new Blob(chunks).slice(0, maxBytes).arrayBuffer())
  return { bytes, partial: size > maxBytes }
}

function toToolError(thrown: unknown, url: string): unknown {
  if (thrown instanceof OutboundBlocked)
    return new ToolError(`The guard for outgoing requests refused ${url}: ${thrown.message}. Use another address`)
  if (!(thrown instanceof TypeError)) return thrown
  const reason = thrown.cause instanceof Error ? thrown.cause.message : thrown.message
  return new ToolError(
    `No answer from ${url}: ${reason || 'the connection failed'}. Check the address, or try again later`,
  )
}

/** Null when the text is not a URL; a bare `example.com/page` means https. */
export const parseUrl = (text: string): URL | null =>
  URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`)

export function absoluteUrl(text: string): string {
  const url = parseUrl(text)
  if (!url) throw new ToolError(`${text} is not a URL; give one such as https://example.com/page`)
  return url.href
}

/** Media type of a response, lower case, without its parameters. */
export const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

const textTypes =
  /^(text\/.*|application\/(.*\+)?(json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|x-www-form-urlencoded|x-ndjson|graphql|sql|rtf)|image\/svg\+xml)$/

/** Whether the bytes are text: by their media type, or without one by the bytes themselves. */
export function isText(type: string, bytes: Uint8Array): boolean {
  if (type !== '' && type !== 'application/octet-stream') return textTypes.test(type)
  return !bytes.subarray(0, 1024).includes(0)
}

export const isHtml = (type: string, text: string): boolean =>
  type === 'text/html' || type === 'application/xhtml+xml' || (type === '' && /^\s*<(!doctype html|html)\b/i.test(text))

/**
 * Text in the charset of its byte order mark, its header or its own declaration, in this order; else UTF-8.
 */
export function decode(bytes: Uint8Array, headers: Headers): string {
  const declared = markOf(bytes) ?? parameterOf(headers.get('content-type') ?? '') ?? metaOf(bytes)
  return decoderFor(declared ?? 'utf-8').decode(bytes)
}

function markOf(bytes: Uint8Array): string | undefined {
  if (bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf) return 'utf-8'
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : undefined
}

const parameterOf = (type: string): string | undefined => /;\s*charset\s*=\s*"?([\w:.-]+)/i.exec(type)?.[1]

/** HTML declares it within its first 1024 bytes, XML in its first line. */
function metaOf(bytes: Uint8Array): string | undefined {
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024))
  return (
    /<meta[^>]+charset\s*=\s*["']?\s*([\w:.-]+)/i.exec(head)?.[1] ??
    /^<\?xml[^>]+encoding\s*=\s*["']([\w:.-]+)/i.exec(head)?.[1]
  )
}

function decoderFor(label: string): TextDecoder {
  try {
    return new TextDecoder(label)
  } catch {
    return new TextDecoder()
  }
}

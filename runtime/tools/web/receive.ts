import type { Context } from '../../context.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { ToolError } from '../tool.ts'

/** Bytes of an answer that are read; what comes after is never fetched. */
export const mostBytes = 2 * 1024 * 1024

export interface Received {
  response: Response
  bytes: Uint8Array
  /** The answer was longer than what was read. */
  partial: boolean
}

/** Sends a request through the guard and reads the answer. What a model can mend becomes a `ToolError`. */
export async function receive(
  context: Pick<Context, 'outbound'>,
  url: string,
  init: RequestInit,
): Promise<Received> {
  try {
    const response = await context.outbound.fetch(url, init)
    return { response, ...(await readSome(response)) }
  } catch (thrown) {
    init.signal?.throwIfAborted()
    throw toToolError(thrown, url)
  }
}

async function readSome(response: Response): Promise<{ bytes: Uint8Array; partial: boolean }> {
  const reader = response.body?.getReader()
  const chunks: Uint8Array<ArrayBuffer>[] = []
  let size = 0
  while (reader && size <= mostBytes) {
    const { done, value } = await reader.read()
    if (done) break
    chunks.push(value)
    size += value.byteLength
  }
  if (size > mostBytes) await reader?.cancel()
  const bytes = new Uint8Array(await new Blob(chunks).slice(0, mostBytes).arrayBuffer())
  return { bytes, partial: size > mostBytes }
}

function toToolError(thrown: unknown, url: string): unknown {
  if (thrown instanceof OutboundBlocked) {
    return new ToolError(
      `The guard for outgoing requests refused ${url}: ${thrown.message}. Use another address`,
    )
  }
  if (!(thrown instanceof TypeError)) return thrown
  const reason = thrown.cause instanceof Error ? thrown.cause.message : thrown.message
  return new ToolError(
    `No answer from ${url}: ${reason || 'the connection failed'}. Check the address, or try again later`,
  )
}

/** An absolute URL; a bare `example.com/page` is taken as https. */
export function absoluteUrl(text: string): string {
  const url = URL.parse(/^[a-z][a-z0-9+.-]*:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`)
  if (!url) throw new ToolError(`${text} is not a URL; give one such as https://example.com/page`)
  return url.href
}

/** Media type of an answer, lower case, without its parameters. */
export const mediaType = (headers: Headers): string =>
  (headers.get('content-type') ?? '').split(';')[0]?.trim().toLowerCase() ?? ''

const textTypes =
  /^(text\/.*|application\/(.*\+)?(json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-javascript|x-www-form-urlencoded|x-ndjson|graphql|sql|rtf)|image\/svg\+xml)$/

/** Whether the bytes are text: by their media type, and without one by the bytes themselves. */
export function isText(type: string, bytes: Uint8Array): boolean {
  if (type !== '' && type !== 'application/octet-stream') return textTypes.test(type)
  return !bytes.subarray(0, 1024).includes(0)
}

export const isHtml = (type: string, text: string): boolean =>
  type === 'text/html' ||
  type === 'application/xhtml+xml' ||
  (type === '' && /^\s*<(!doctype html|html)\b/i.test(text))

/** Text in the charset of its byte order mark, its header or its own declaration, in this order; else UTF-8. */
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

/** HTML says it within its first 1024 bytes, XML in its first line. */
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

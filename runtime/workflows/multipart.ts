import type { Context } from '../context.ts'
import { streamOf } from '../streams.ts'
import { type FileValue, isFile } from './file-value.ts'
import { findFile, openFile } from './item-files.ts'

/** A value as a field of a form. */
export const fieldText = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value))

/** Fields and files as `multipart/form-data` (RFC 7578), whose files are read while it is sent. */
export async function multipart(context: Context, fields: object) {
  const boundary = `hearthd-${context.secrets.random(16)}`
  const encoder = new TextEncoder()
  const parts: { head: Uint8Array; size: number; value: FileValue | Uint8Array }[] = []
  for (const [name, value] of Object.entries(fields)) {
    const disposition = `--${boundary}\r\ncontent-disposition: form-data; name="${quoted(name)}"`
    if (isFile(value)) {
      const { size_bytes } = await findFile(context, value)
      const type = /^[\w.+-]+\/[\w.+-]+$/.test(value.mime_type) ? value.mime_type : 'application/octet-stream'
      const head = `${disposition}; filename="${quoted(value.name)}"\r\ncontent-type: ${type}\r\n\r\n`
      parts.push({ head: encoder.encode(head), size: size_bytes, value })
    } else {
      const text = encoder.encode(fieldText(value))
      const type = typeof value === 'object' && value !== null ? '\r\ncontent-type: application/json' : ''
      parts.push({ head: encoder.encode(`${disposition}${type}\r\n\r\n`), size: text.byteLength, value: text })
    }
  }
  const lineEnd = encoder.encode('\r\n')
  const end = encoder.encode(`--${boundary}--\r\n`)
  async function* pieces() {
    for (const { head, value } of parts) {
      yield head
      if (value instanceof Uint8Array) yield value
      else yield* (await openFile(context, value)).content
      yield lineEnd
    }
    yield end
  }
  const size_bytes = parts.reduce((sum, { head, size }) => sum + head.byteLength + size + 2, end.byteLength)
  return { type: `multipart/form-data; boundary=${boundary}`, size_bytes, content: streamOf(pieces()) }
}

/** Browsers and RFC 7578 write quotes and line ends in this way. */
const quoted = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')

import type { Context } from '../context.ts'
import { Fault, notFound } from '../fault.ts'
import { blobPath, root } from './blobs.ts'
import { attachment } from './name.ts'
import { namesTag, type Range, rangeCounts, readRange } from './range.ts'
import type { StoredFile } from './schema.ts'

/** Whatever the bytes are, a browser that is sent there saves them and runs nothing. */
export const inert = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  'accept-ranges': 'bytes',
}

/** The content of a file, whole or the range that was asked for, unless the caller has it already. */
export async function contentResponse(
  context: Context,
  file: StoredFile,
  request: Request,
): Promise<Response> {
  const { headers } = request
  const etag = `"${file.sha256}"`
  const own = { ...inert, etag, 'content-disposition': attachment(file.name) }
  if (namesTag(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: own })
  const asked = rangeCounts(headers.get('if-range'), etag) ? headers.get('range') : null
  const range = readRange(asked, file.size_bytes)
  if (range === 'unsatisfiable') throw beyond(file.size_bytes)
  const { start, end } = range ?? { start: 0, end: file.size_bytes }
  const body = request.method === 'HEAD' ? null : await open(context, file, { start, end })
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...own,
      'content-type': file.mime_type.startsWith('text/')
        ? `${file.mime_type}; charset=utf-8`
        : file.mime_type,
      'content-length': String(end - start),
      ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${file.size_bytes}` } : {}),
    },
  })
}

async function open(context: Context, file: StoredFile, range: Range): Promise<ReadableStream<Uint8Array>> {
  const stream = await context.files.readStream(root, blobPath(file.sha256), range)
  if (!stream) throw notFound(`The content of the file ${file.id}`)
  return stream
}

const beyond = (size: number) =>
  new Fault(416, 'range_not_satisfiable', `The file has ${size} bytes, and the range lies beyond them`, {
    headers: { 'content-range': `bytes */${size}` },
  })

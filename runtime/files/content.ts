import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { blobPath, root } from './blobs.ts'
import type { StoredFile } from './schema.ts'

/** Headers that make a browser save the content and never run it. */
export const inert = {
  'content-security-policy': "default-src 'none'; sandbox",
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  'accept-ranges': 'bytes',
}

interface Downloaded {
  name: string
  /** Default: bytes of any kind. */
  type?: string
  size_bytes?: number | null
}

/** A whole file as a download that a browser never runs. */
export const download = (body: BodyInit, { name, type, size_bytes }: Downloaded): Response =>
  new Response(body, {
    headers: {
      ...inert,
      'accept-ranges': 'none',
      'content-type': type ?? 'application/octet-stream',
      'content-disposition': attachment(name),
      ...(size_bytes != null && { 'content-length': String(size_bytes) }),
    },
  })

/** The content of a file, whole or the requested range; 304 if the caller already has it. */
export async function contentResponse(context: Context, file: StoredFile, request: Request): Promise<Response> {
  const { headers } = request
  const etag = `"${file.sha256}"`
  const own = { ...inert, etag, 'content-disposition': attachment(file.name) }
  if (namesTag(headers.get('if-none-match'), etag)) return new Response(null, { status: 304, headers: own })
  const requested = rangeCounts(headers.get('if-range'), etag) ? headers.get('range') : null
  const range = readRange(requested, file.size_bytes)
  if (range === 'unsatisfiable') throw beyond(file.size_bytes)
  const { start, end } = range ?? { start: 0, end: file.size_bytes }
  const body = await open(context, file, request.method === 'HEAD' ? null : { start, end })
  return new Response(body, {
    status: range ? 206 : 200,
    headers: {
      ...own,
      'content-type': file.mime_type.startsWith('text/') ? `${file.mime_type}; charset=utf-8` : file.mime_type,
      'content-length': String(end - start),
      ...(range ? { 'content-range': `bytes ${start}-${end - 1}/${file.size_bytes}` } : {}),
    },
  })
}

/** The range of a content; null without one. Throws if the content is missing. */
async function open(context: Context, file: StoredFile, range: Range | null) {
  const path = blobPath(file.sha256)
  const content = await (range ? context.files.readStream(root, path, range) : context.files.stat(root, path))
  if (!content) throw contentMissing(context, file)
  return content instanceof ReadableStream ? content : null
}

/** A file that was deleted while a backup was made is listed in the restored data, without its content. */
function contentMissing({ process }: Context, { name }: StoredFile): Fault {
  const reason = process.shared
    ? 'it was deleted, or it is in the data folder of another daemon: mount one shared volume as the folder `files` of all'
    : 'it was deleted, or it is not in the backup that was restored'
  return new Fault(404, 'not_found', `The content of ${name} is missing: ${reason}`)
}

const beyond = (size: number) =>
  new Fault(416, 'range_not_satisfiable', `The range is beyond the end of the file, which has ${size} bytes`, {
    headers: { 'content-range': `bytes */${size}` },
  })

/** The first byte, and the byte after the last. */
interface Range {
  start: number
  end: number
}

/**
 * Parses a `Range` header for `size` bytes: the first satisfiable range, `unsatisfiable` if there is none,
 * null if the header must be ignored. RFC 9110, section 14: a server may answer several ranges with one.
 */
function readRange(header: string | null, size: number): Range | 'unsatisfiable' | null {
  const list = header?.match(/^\s*bytes\s*=(.*)$/i)?.[1]
  if (list === undefined) return null
  const parts = list.split(',').map((one) => one.trim().match(/^(\d*)\s*-\s*(\d*)$/))
  if (parts.some((match) => !match || (match[1] === '' && match[2] === ''))) return null
  const ranges = parts.map((match) => toRange(match?.[1] ?? '', match?.[2] ?? '', size))
  if (ranges.includes(null)) return null
  return ranges.find((range) => range !== null && range.start < range.end) ?? 'unsatisfiable'
}

/** Null if the last byte is before the first. Unsatisfiable ranges are empty. */
function toRange(first: string, last: string, size: number): Range | null {
  if (first === '') return { start: Math.max(0, size - Number(last)), end: size }
  if (last !== '' && Number(last) < Number(first)) return null
  return { start: Number(first), end: last === '' ? size : Math.min(Number(last) + 1, size) }
}

/** Whether `If-None-Match` contains this tag, by the weak comparison of RFC 9110, section 13.1.2. */
function namesTag(header: string | null, tag: string): boolean {
  if (header === null) return false
  return header.split(',').some((one) => ['*', tag].includes(one.trim().replace(/^W\//, '')))
}

/** A range is used if `If-Range` is absent or exactly this tag. Dates are too weak. */
const rangeCounts = (ifRange: string | null, tag: string): boolean => ifRange === null || ifRange.trim() === tag

/**
 * `Content-Disposition` of a download: an ASCII name for old clients, and the actual one.
 * RFC 6266, section 4.1, and RFC 8187 (which replaced RFC 5987).
 */
export function attachment(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]/g, '_').replace(/["\\%]/g, '_')
  const encoded = encodeURIComponent(name).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

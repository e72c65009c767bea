import { badRequest, Fault, payloadTooLarge } from '../fault.ts'
import { FrontReader } from './front-reader.ts'

/** One part of a form as it arrives. Its bytes are taken whole before the next part is asked for, or passed over. */
export interface FormPart {
  name: string
  /** Absent for a plain field. */
  filename?: string
  bytes: AsyncIterable<Uint8Array>
}

/** Bytes. */
const longestHead = 8 * 1024
const mostParts = 100

/**
 * The parts of a `multipart/form-data` body (RFC 7578), none of it ever held whole: a file is seen piece by piece
 * while it comes in. Refuses more than `limit` bytes while reading, and a body that ends before its last boundary.
 */
export async function* readForm(request: Request, limit: number): AsyncGenerator<FormPart> {
  const boundary = boundaryOf(request)
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw payloadTooLarge(limit)
  const reader = new FrontReader(request.body, limit)
  try {
    await passOver(reader.until(boundary))
    for (let count = 0; !(await reader.begins('--')); count += 1) {
      if (count === mostParts) throw badRequest(`The form has more than ${mostParts} parts`)
      const part = await readHead(reader)
      const bytes = reader.until(boundary)
      yield { ...part, bytes }
      await passOver(bytes)
    }
    await reader.end()
  } finally {
    reader.close()
  }
}

function boundaryOf(request: Request): Uint8Array {
  const type = request.headers.get('content-type') ?? ''
  if (!/^multipart\/form-data\s*(;|$)/i.test(type))
    throw new Fault(415, 'unsupported_media_type', 'Send the file as multipart/form-data')
  const [, quoted, plain] = type.match(/;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i) ?? []
  const boundary = quoted ?? plain
  if (!boundary) throw badRequest('The content type names no boundary')
  return new TextEncoder().encode(`\r\n--${boundary}`)
}

/** The lines before a part's bytes, behind the end of the boundary's own line. */
async function readHead(reader: FrontReader): Promise<Omit<FormPart, 'bytes'>> {
  if ((await reader.line(longestHead)).trim() !== '')
    throw badRequest('A boundary of the form is followed by something else')
  let disposition = ''
  let left = longestHead
  for (let text = await reader.line(left); text !== ''; text = await reader.line(left)) {
    left -= text.length
    if (/^content-disposition\s*:/i.test(text)) disposition = text
  }
  const filename = parameter(disposition, 'filename')
  return { name: parameter(disposition, 'name') ?? '', ...(filename === undefined ? {} : { filename }) }
}

/** Browsers write a quote and the ends of lines as `%22`, `%0D` and `%0A` (WHATWG); others put a backslash before it. */
function parameter(disposition: string, name: string): string | undefined {
  const found = disposition.match(new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i'))
  const value = found?.[1]?.replace(/\\(["\\])/g, '$1') ?? found?.[2]
  return value?.replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

async function passOver(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

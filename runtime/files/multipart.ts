import { badRequest, Fault, payloadTooLarge } from '../fault.ts'

/** One part of a form. Its bytes are read, or skipped, before the next part. */
export interface FormPart {
  name: string
  /** Absent for a plain field. */
  filename?: string
  bytes: AsyncIterable<Uint8Array>
}

/** Bytes of the header of a part. */
const maxHeader = 8 * 1024
const maxParts = 100

/**
 * Streams the parts of a `multipart/form-data` body (RFC 7578) without buffering them. Refuses more than
 * `limit` bytes while reading, and a body that ends before its last boundary.
 */
export async function* readForm(request: Request, limit: number): AsyncGenerator<FormPart> {
  const boundary = boundaryOf(request)
  if (Number(request.headers.get('content-length') ?? 0) > limit) throw payloadTooLarge(limit)
  const reader = new BodyReader(request.body, limit)
  try {
    await skip(reader.until(boundary))
    for (let count = 0; !(await reader.startsWith('--')); count += 1) {
      if (count === maxParts) throw badRequest(`The form has more than ${maxParts} parts`)
      const part = await readHeader(reader)
      const bytes = reader.until(boundary)
      yield { ...part, bytes }
      await skip(bytes)
    }
    await reader.drain()
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
  if (!boundary) throw badRequest('The content type has no boundary')
  return new TextEncoder().encode(`\r\n--${boundary}`)
}

/** The header of a part, from the end of its boundary line. */
async function readHeader(reader: BodyReader): Promise<Omit<FormPart, 'bytes'>> {
  if ((await reader.line(maxHeader)).trim() !== '') throw badRequest('A boundary of the form is followed by other text')
  let disposition = ''
  let left = maxHeader
  for (let text = await reader.line(left); text !== ''; text = await reader.line(left)) {
    left -= text.length
    if (/^content-disposition\s*:/i.test(text)) disposition = text
  }
  const filename = parameter(disposition, 'filename')
  return { name: parameter(disposition, 'name') ?? '', ...(filename === undefined ? {} : { filename }) }
}

/** Browsers encode quotes and line breaks as `%22`, `%0D` and `%0A` (WHATWG); others use a backslash. */
function parameter(disposition: string, name: string): string | undefined {
  const match = disposition.match(new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]*))`, 'i'))
  const value = match?.[1]?.replace(/\\(["\\])/g, '$1') ?? match?.[2]
  return value?.replace(/%(22|0D|0A)/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
}

async function skip(bytes: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const _ of bytes);
}

/** Reads a body in lines and up to boundaries. */
class BodyReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #limit: number
  /**
   * Bytes that were read and not used yet. It starts with a line end, so that the first boundary has one
   * before it.
   */
  #buffer: Uint8Array = Uint8Array.from(endOfLine)
  #read = 0

  /** Refuses more than `limit` bytes. */
  constructor(body: ReadableStream<Uint8Array> | null, limit: number) {
    this.#reader = body?.getReader()
    this.#limit = limit
  }

  /** Everything before the next `mark`, which is consumed. */
  async *until(mark: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#buffer, mark)
      const piece = this.#take(at === -1 ? Math.max(0, this.#buffer.length - mark.length + 1) : at)
      if (at !== -1) this.#take(mark.length)
      if (piece.length > 0) yield piece
      if (at !== -1) return
      await this.#more()
    }
  }

  /** The next line without its end. */
  async line(max: number): Promise<string> {
    for (;;) {
      const at = indexOf(this.#buffer, endOfLine)
      if (Math.max(at, at === -1 ? this.#buffer.length : 0) > max)
        throw badRequest('The header of a part of the form is too long')
      if (at === -1) await this.#more()
      else return new TextDecoder().decode(this.#take(at + endOfLine.length).subarray(0, at))
    }
  }

  /** Whether the next bytes are this text; does not consume them. */
  async startsWith(text: string): Promise<boolean> {
    while (this.#buffer.length < text.length) await this.#more()
    return new TextDecoder().decode(this.#buffer.subarray(0, text.length)) === text
  }

  /** Reads and ignores the rest, so that the connection can be reused. */
  async drain(): Promise<void> {
    while ((await this.#next()) !== null);
  }

  close(): void {
    this.#reader?.cancel().catch(() => undefined)
  }

  #take(count: number): Uint8Array {
    const taken = this.#buffer.subarray(0, count)
    this.#buffer = this.#buffer.subarray(count)
    return taken
  }

  async #more(): Promise<void> {
    const piece = await this.#next()
    if (piece === null) throw badRequest('The body ended before it was complete')
    this.#buffer = join(this.#buffer, piece)
  }

  async #next(): Promise<Uint8Array | null> {
    const result = await this.#reader?.read().catch(() => {
      throw badRequest('The body ended before it was complete')
    })
    if (!result || result.done) return null
    this.#read += result.value.byteLength
    if (this.#read > this.#limit) throw payloadTooLarge(this.#limit)
    return result.value
  }
}

const endOfLine = Uint8Array.of(13, 10)

function join(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === 0) return right
  const joined = new Uint8Array(left.length + right.length)
  joined.set(left)
  joined.set(right, left.length)
  return joined
}

function indexOf(bytes: Uint8Array, mark: Uint8Array): number {
  const [first = 0] = mark
  for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (at + mark.length > bytes.length) return -1
    if (mark.every((byte, offset) => bytes[at + offset] === byte)) return at
  }
  return -1
}

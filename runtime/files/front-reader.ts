import { badRequest, payloadTooLarge } from '../fault.ts'

/** A body that is read from the front; what came with it and is not asked for yet is kept. */
export class FrontReader {
  readonly #reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  readonly #limit: number
  /** The first line of a form has no line before it: it is given one, so that every boundary begins with its end. */
  #kept: Uint8Array = Uint8Array.from(endOfLine)
  #read = 0

  /** Refuses more than `limit` bytes. */
  constructor(body: ReadableStream<Uint8Array> | null, limit: number) {
    this.#reader = body?.getReader()
    this.#limit = limit
  }

  /** Everything before the next `mark`, which is taken as well. */
  async *until(mark: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) {
      const at = indexOf(this.#kept, mark)
      const piece = this.#take(at === -1 ? Math.max(0, this.#kept.length - mark.length + 1) : at)
      if (at !== -1) this.#take(mark.length)
      if (piece.length > 0) yield piece
      if (at !== -1) return
      await this.#more()
    }
  }

  /** The next line without its end. */
  async line(longest: number): Promise<string> {
    for (;;) {
      const at = indexOf(this.#kept, endOfLine)
      if (Math.max(at, at === -1 ? this.#kept.length : 0) > longest)
        throw badRequest('The head of a part of the form is too long')
      if (at === -1) await this.#more()
      else return new TextDecoder().decode(this.#take(at + endOfLine.length).subarray(0, at))
    }
  }

  /** Whether the next bytes are this text; they stay. */
  async begins(text: string): Promise<boolean> {
    while (this.#kept.length < text.length) await this.#more()
    return new TextDecoder().decode(this.#kept.subarray(0, text.length)) === text
  }

  /** What follows the end of a form means nothing, but is read, so that the connection can be used again. */
  async end(): Promise<void> {
    while ((await this.#next()) !== null);
  }

  close(): void {
    this.#reader?.cancel().catch(() => undefined)
  }

  #take(count: number): Uint8Array {
    const taken = this.#kept.subarray(0, count)
    this.#kept = this.#kept.subarray(count)
    return taken
  }

  async #more(): Promise<void> {
    const piece = await this.#next()
    if (piece === null) throw badRequest('The body ended before it was complete')
    this.#kept = join(this.#kept, piece)
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

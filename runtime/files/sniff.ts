/** Bytes from which the type is detected; archives list their contents within them. */
const headBytes = 16 * 1024

/** Types that a browser might run or a parser might follow; as plain text they are harmless. */
const active = /\b(?:xml|x?html|svg|javascript|ecmascript)\b|x-shockwave/

const textTypes: Record<string, string> = {
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
}

/** Whether a file of this type can be read as text. */
export const isTextType = (mimeType: string): boolean => mimeType.startsWith('text/') || mimeType === 'application/json'

/** Detects the type of a file from its bytes as they are streamed. */
export class Sniffer {
  readonly #head = new Uint8Array(headBytes)
  readonly #decoder = new TextDecoder('utf-8', { fatal: true })
  #filled = 0
  #text = true

  take(piece: Uint8Array): void {
    const taken = Math.min(piece.length, headBytes - this.#filled)
    this.#head.set(piece.subarray(0, taken), this.#filled)
    this.#filled += taken
    if (this.#text) this.#text = this.#isPlain(piece)
  }

  /** The type of the bytes so far. The name only distinguishes kinds of text. */
  async type(name: string): Promise<string> {
    const isText = this.#text && this.#isPlain()
    const type = await detect(this.#head.subarray(0, this.#filled))
    if (type && !active.test(type) && !type.startsWith('text/')) return type
    if (!isText) return 'application/octet-stream'
    return textTypes[name.slice(name.lastIndexOf('.') + 1).toLowerCase()] ?? 'text/plain'
  }

  /** UTF-8 without control characters except tabs, line ends and page breaks. No argument at the end. */
  #isPlain(piece?: Uint8Array): boolean {
    try {
      const text = piece ? this.#decoder.decode(piece, { stream: true }) : this.#decoder.decode()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for control characters
      return !/[\u0000-\u0008\u000b\u000e-\u001f\u007f-\u009f]/.test(text)
    } catch {
      return false
    }
  }
}

/** Loads the signatures with the first file. */
async function detect(head: Uint8Array): Promise<string | null> {
  const { fileTypeFromBuffer } = await import('file-type')
  const type = await fileTypeFromBuffer(head).catch(() => undefined)
  return type?.mime ?? null
}

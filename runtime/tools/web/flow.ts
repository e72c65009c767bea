type Gap = '' | ' ' | '\n' | '\n\n'

/**
 * Running text with the white space of a page: blanks fall together, blocks stand apart.
 * Every piece is appended once, so that a page of any size costs time in proportion.
 */
export class Flow {
  readonly #parts: string[] = []
  #gap: Gap = ''
  /** Characters so far, gaps not counted. */
  length = 0

  get empty(): boolean {
    return this.#parts.length === 0
  }

  /** Asks for at least this much space before whatever comes next. */
  gap(gap: Gap): void {
    if (gap.length > this.#gap.length || (gap === '\n' && this.#gap === ' ')) this.#gap = gap
  }

  /** Text of a page: white space in it is a blank. */
  text(text: string): void {
    const words = text.replace(/\s+/g, ' ')
    if (words.startsWith(' ')) this.gap(' ')
    const bare = words.trim()
    if (bare !== '') this.raw(bare)
    if (bare !== '' && words.endsWith(' ')) this.gap(' ')
  }

  /** Text that stays as it is. */
  raw(text: string): void {
    if (this.#gap !== '' && !this.empty) this.#parts.push(this.#gap)
    this.#gap = ''
    this.#parts.push(text)
    this.length += text.length
  }

  toString(): string {
    return this.#parts.join('').trim()
  }
}

/**
 * Yields the items of one list of a JSON object, so that a large file is never in memory as objects and the caller can
 * yield to the event loop. Other members are skipped. Throws `SyntaxError` if the text is not a JSON object with such a
 * list.
 */
export function* itemsOf(text: string, list: string): Generator<unknown, void> {
  const reader = new Reader(text)
  let isEmpty = false
  reader.expect('{')
  for (let more = !reader.accept('}'); more; more = reader.accept(',')) {
    const key = reader.value()
    if (typeof key !== 'string') throw reader.error()
    reader.expect(':')
    if (key !== list) reader.skip()
    else {
      isEmpty = true
      yield* listItems(reader)
    }
  }
  if (!reader.closed()) throw reader.error()
  if (!isEmpty) throw new SyntaxError(`There is no list of ${list}`)
}

/** The member `name` if it precedes the list; otherwise undefined. */
export function memberBefore(text: string, list: string, name: string): unknown {
  const reader = new Reader(text)
  reader.expect('{')
  for (let more = !reader.accept('}'); more; more = reader.accept(',')) {
    const key = reader.value()
    if (key === list) return undefined
    reader.expect(':')
    if (key === name) return reader.value()
    reader.skip()
  }
  return undefined
}

function* listItems(reader: Reader): Generator<unknown, void> {
  reader.expect('[')
  if (reader.accept(']')) return
  do yield reader.value()
  while (reader.accept(','))
  reader.expect(']')
}

const blank = /[\t\n\r ]*/y
/** A number, a word, or the beginning of a text up to an escape: a pattern for whole texts overflows the stack at megabytes. */
const scalar = /"[^"\\]*|[^\s,:[\]{}"]+/y
const restOfText = /\\.[^"\\]*/sy

class Reader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
    this.#skipBlank()
  }

  error(): SyntaxError {
    return new SyntaxError(`Unexpected text at character ${this.#at}`)
  }

  /** Whether the whole object has been read and nothing follows. */
  closed(): boolean {
    return (this.#depth === 0 || this.accept('}')) && this.#at === this.#text.length
  }

  /** Consumes a punctuation mark if it comes next. */
  accept(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false
    this.#depth += mark === '{' || mark === '[' ? 1 : mark === '}' || mark === ']' ? -1 : 0
    this.#at += 1
    this.#skipBlank()
    return true
  }

  expect(mark: string): void {
    if (!this.accept(mark)) throw this.error()
  }

  value(): unknown {
    const begin = this.#at
    this.skip()
    return JSON.parse(this.#text.slice(begin, this.#at))
  }

  /** Skips one value. Only its nesting is checked. */
  skip(): void {
    let depth = 0
    do {
      const mark = this.#text[this.#at]
      if (mark === '{' || mark === '[') depth += 1
      else if (mark === '}' || mark === ']') depth -= 1
      else if (mark !== ',' && mark !== ':') {
        this.#skipScalar()
        continue
      }
      if (depth < 0 || (depth === 0 && (mark === ',' || mark === ':'))) throw this.error()
      this.#at += 1
      this.#skipBlank()
    } while (depth > 0)
  }

  #skipScalar(): void {
    const isText = this.#text[this.#at] === '"'
    if (!this.#skipOne(scalar)) throw this.error()
    if (isText) {
      while (this.#skipOne(restOfText));
      this.expect('"')
    } else this.#skipBlank()
  }

  #skipBlank(): void {
    this.#skipOne(blank)
  }

  /** Whether what follows matches. */
  #skipOne(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at
    const matches = pattern.test(this.#text)
    if (matches) this.#at = pattern.lastIndex
    return matches
  }
}

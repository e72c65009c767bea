/**
 * The items of one list of a JSON object, one after the other, so that a large file never stands in memory as objects and
 * others get their turn in between. The other members are passed over. Throws `SyntaxError` where the text is no JSON
 * object, or has no such list.
 */
export function* itemsOf(text: string, member: string): Generator<unknown, void> {
  const reader = new Reader(text)
  let found = false
  reader.take('{')
  for (let more = !reader.takes('}'); more; more = reader.takes(',')) {
    const key = reader.value()
    if (typeof key !== 'string') throw reader.wrong()
    reader.take(':')
    if (key !== member) reader.skip()
    else {
      found = true
      yield* listItems(reader)
    }
  }
  if (!reader.closed()) throw reader.wrong()
  if (!found) throw new SyntaxError(`There is no list of ${member}`)
}

/** The member of that name, where it stands before the list; undefined where it does not. */
export function memberBefore(text: string, list: string, name: string): unknown {
  const reader = new Reader(text)
  reader.take('{')
  for (let more = !reader.takes('}'); more; more = reader.takes(',')) {
    const key = reader.value()
    if (key === list) return undefined
    reader.take(':')
    if (key === name) return reader.value()
    reader.skip()
  }
  return undefined
}

function* listItems(reader: Reader): Generator<unknown, void> {
  reader.take('[')
  if (reader.takes(']')) return
  do yield reader.value()
  while (reader.takes(','))
  reader.take(']')
}

const blank = /[\t\n\r ]*/y
const scalar = /"(?:[^"\\]|\\.)*"|[^\s,:[\]{}"]+/sy

class Reader {
  readonly #text: string
  #at = 0
  #depth = 0

  constructor(text: string) {
    this.#text = text
    this.#skipBlank()
  }

  wrong(): SyntaxError {
    return new SyntaxError(`Unexpected text at character ${this.#at}`)
  }

  /** The whole object has been read, and nothing stands behind it. */
  closed(): boolean {
    return (this.#depth === 0 || this.takes('}')) && this.#at === this.#text.length
  }

  takes(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false
    this.#depth += mark === '{' || mark === '[' ? 1 : mark === '}' || mark === ']' ? -1 : 0
    this.#at += 1
    this.#skipBlank()
    return true
  }

  take(mark: string): void {
    if (!this.takes(mark)) throw this.wrong()
  }

  value(): unknown {
    const begin = this.#at
    this.skip()
    return JSON.parse(this.#text.slice(begin, this.#at))
  }

  /** Passes over one value. What stands in it is looked at only where it begins and ends. */
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
      if (depth < 0 || (depth === 0 && (mark === ',' || mark === ':'))) throw this.wrong()
      this.#at += 1
      this.#skipBlank()
    } while (depth > 0)
  }

  #skipScalar(): void {
    scalar.lastIndex = this.#at
    if (!scalar.test(this.#text)) throw this.wrong()
    this.#at = scalar.lastIndex
    this.#skipBlank()
  }

  #skipBlank(): void {
    blank.lastIndex = this.#at
    blank.test(this.#text)
    this.#at = blank.lastIndex
  }
}

import type { DatabaseStatement } from '../ports/databases.ts'
import { type Dialect, inList, quotedName, SqlProblem } from './dialect.ts'

/** A text of SQL in parts: texts, and at odd positions values, which are bound and never become part of the text. */
export type SqlParts = readonly unknown[]

const jsonText = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

/**
 * The statements of a text, with a placeholder for each value and for each `$1`, which means one of `numbered`. Within quotes,
 * what a value is part of is bound as a whole; within the quotes of a name, a value is quoted like the rest of it.
 */
export function statementsOf(parts: SqlParts, numbered: readonly unknown[], dialect: Dialect): DatabaseStatement[] {
  return new Reader(parts, numbered, dialect).statements()
}

/** What encloses a part of a text, and where it ends. */
interface Quotes {
  open: RegExp
  close(open: string): string
  kind: 'text' | 'name' | 'opaque' | 'comment'
}

/** For each dialect, the first that matches counts. */
const quotesOf: Readonly<Record<Dialect, readonly Quotes[]>> = {
  postgres: [
    { open: /'/y, close: () => "'", kind: 'text' },
    { open: /"/y, close: () => '"', kind: 'name' },
    { open: /\$(?:[A-Za-z_]\w*)?\$/y, close: (open) => open, kind: 'opaque' },
    { open: /--/y, close: () => '\n', kind: 'comment' },
    { open: /\/\*/y, close: () => '*/', kind: 'comment' },
  ],
  mysql: [
    { open: /'/y, close: () => "'", kind: 'text' },
    { open: /"/y, close: () => '"', kind: 'text' },
    { open: /`/y, close: () => '`', kind: 'name' },
    { open: /--(?=\s)|#/y, close: () => '\n', kind: 'comment' },
    { open: /\/\*/y, close: () => '*/', kind: 'comment' },
  ],
  sqlite: [
    { open: /'/y, close: () => "'", kind: 'text' },
    { open: /"/y, close: () => '"', kind: 'name' },
    { open: /`/y, close: () => '`', kind: 'name' },
    { open: /--/y, close: () => '\n', kind: 'comment' },
    { open: /\/\*/y, close: () => '*/', kind: 'comment' },
  ],
}

const reference = /\$(\d{1,3})(?::(name|alias|csv|list|json|raw|value)\b|([~^#]))?/y

/** What is between quotes: as it stands, and without them, in case it has to be bound. */
interface Content {
  raw: string
  bare: string[]
  hasValue: boolean
}

function addValue(content: Content, value: unknown, { end, kind }: { end: string; kind: Quotes['kind'] }): void {
  const text = jsonText(value)
  if (kind === 'opaque') throw new SqlProblem('an expression cannot stand between dollar quotes')
  if (kind === 'name') content.raw += doubled(text, end)
  if (kind === 'text') content.hasValue = true
  content.bare.push(text)
}

class Reader {
  readonly #parts: SqlParts
  readonly #numbered: readonly unknown[]
  readonly #dialect: Dialect
  readonly #done: DatabaseStatement[] = []
  #text = ''
  #values: unknown[] = []
  /** Position: the part, and the character in it. */
  #part = 0
  #at = 0

  constructor(parts: SqlParts, numbered: readonly unknown[], dialect: Dialect) {
    this.#parts = parts
    this.#numbered = numbered
    this.#dialect = dialect
  }

  statements(): DatabaseStatement[] {
    for (; this.#part < this.#parts.length; this.#part += 1, this.#at = 0) {
      if (this.#part % 2 === 1) this.#bind(this.#parts[this.#part])
      else while (this.#at < this.#current.length) this.#step()
    }
    this.#end()
    return this.#done
  }

  get #current(): string {
    return this.#part % 2 === 0 ? String(this.#parts[this.#part] ?? '') : ''
  }

  /** The end of what was read, which says where a value stands. */
  get #tail(): string {
    return this.#text.slice(-40)
  }

  #step(): void {
    const text = this.#current
    for (const quotes of quotesOf[this.#dialect]) {
      quotes.open.lastIndex = this.#at
      const [open] = quotes.open.exec(text) ?? []
      if (open === undefined) continue
      this.#quoted(open, quotes)
      return
    }
    reference.lastIndex = this.#at
    const match = reference.exec(text)
    if (match && !/[\w$]/.test(text[this.#at - 1] ?? ' ')) {
      this.#at += match[0].length
      this.#numberedValue(match)
      return
    }
    const character = text[this.#at] ?? ''
    this.#at += 1
    if (character === ';') this.#end()
    else this.#text += character
  }

  #end(): void {
    const text = this.#text.trim()
    if (text !== '') this.#done.push({ text, values: this.#values })
    this.#text = ''
    this.#values = []
  }

  #numberedValue([, digits, word, sign]: RegExpExecArray): void {
    const number = Number(digits)
    if (number < 1 || number > this.#numbered.length)
      throw new SqlProblem(`$${number} has no value: ${this.#numbered.length} were given`)
    const value = this.#numbered[number - 1]
    const how = word ?? (sign === '~' ? 'name' : sign === '^' ? 'raw' : sign === '#' ? 'value' : '')
    if (how === 'raw' || how === 'value') throw new SqlProblem(`$${number}:${how} would make a value part of the text`)
    if (how === 'name' || how === 'alias') this.#text += quotedName(jsonText(value), this.#dialect)
    else if (how === 'csv' || how === 'list') this.#bindAll([value].flat())
    else this.#bind(how === 'json' ? JSON.stringify(value) : value)
  }

  #bindAll(values: readonly unknown[]): void {
    for (const [index, value] of values.entries()) {
      if (index > 0) this.#text += ', '
      this.#bind(value)
    }
    if (values.length === 0) this.#text += 'NULL'
  }

  #bind(value: unknown): void {
    if (Array.isArray(value) && inList.test(this.#tail)) {
      this.#bindAll(value)
      return
    }
    // Prepared statements of MySQL take no number there that is not an integer.
    if (/\b(?:limit|offset)\s+$/i.test(this.#tail) && /^\d{1,15}$/.test(jsonText(value))) {
      this.#text += jsonText(value)
      return
    }
    this.#values.push(value ?? null)
    this.#text += this.#dialect === 'postgres' ? `$${this.#values.length}` : '?'
  }

  /** Reads on until the quotes end, over values. */
  #quoted(open: string, quotes: Quotes): void {
    this.#at += open.length
    const content: Content = { raw: open, bare: [], hasValue: false }
    const end = quotes.close(open)
    while (!this.#readUntil(end, quotes.kind, content)) {
      this.#part += 1
      this.#at = 0
      if (this.#part >= this.#parts.length) break
      if (this.#part % 2 === 1) addValue(content, this.#parts[this.#part], { end, kind: quotes.kind })
    }
    this.#close(content.raw, content.hasValue ? content.bare : null)
  }

  /** Reads what is left of a part, or up to the end of the quotes. */
  #readUntil(end: string, kind: Quotes['kind'], content: Content): boolean {
    const text = this.#current
    const isDoubled = kind === 'text' || kind === 'name'
    const hasEscapes = kind === 'text' && (this.#dialect === 'mysql' || /(?<![\w$])[eE]$/.test(this.#tail))
    while (this.#at < text.length) {
      const isEnd = text.startsWith(end, this.#at)
      if (isEnd && !(isDoubled && text.startsWith(end, this.#at + end.length))) {
        content.raw += end
        this.#at += end.length
        return true
      }
      const isEscape = hasEscapes && text[this.#at] === '\\'
      const piece = isEnd ? end + end : text.slice(this.#at, this.#at + (isEscape ? 2 : 1))
      content.raw += piece
      content.bare.push(isEnd ? end : isEscape ? unescaped(piece[1] ?? '') : piece)
      this.#at += piece.length
    }
    return false
  }

  #close(raw: string, bare: readonly string[] | null): void {
    // `/*+ hints */` and what MySQL executes in `/*! … */` are no comments.
    const isComment = /^(?:--|#|\/\*(?![+!]))/.test(raw)
    if (isComment || bare === null) {
      this.#text += isComment ? ' ' : raw
      return
    }
    // `interval '…'` takes no placeholder, `$1::interval` is the same.
    const [typed, type] = /\b(interval|date|time|timestamp|timestamptz)\s*$/i.exec(this.#tail) ?? []
    if (typed !== undefined && this.#dialect === 'postgres') {
      this.#text = this.#text.slice(0, -typed.length)
      this.#bind(bare.join(''))
      this.#text += `::${type}`
      return
    }
    if (/(?<![\w$])[eEnN]$/.test(this.#tail)) this.#text = this.#text.slice(0, -1)
    if (/\w$/.test(this.#tail)) this.#text += ' '
    this.#bind(bare.join(''))
  }
}

const doubled = (text: string, quote: string): string => {
  if (text.includes('\0')) throw new SqlProblem('a name must not contain NUL')
  return text.replaceAll(quote, quote + quote)
}

const escapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', b: '\b', 0: '\0' }

const unescaped = (character: string): string => escapes[character] ?? character

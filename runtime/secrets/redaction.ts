import type { Log } from '../ports/log.ts'
import { redacted } from './redact.ts'

/** Longest piece of text that a person's pattern is tried on at once: it bounds the time of a slow pattern. */
const piece = 2_000

function readPatterns(sources: readonly string[]): RegExp[] {
  return sources
    .filter((source) => patternProblem(source) === null)
    .map((source) => new RegExp(source, 'giu'))
}

function redactWith(text: string, patterns: readonly RegExp[]): string {
  if (patterns.length === 0 || text === '') return text
  return text
    .split('\n')
    .map((line) => redactLine(line, patterns))
    .join('\n')
}

function redactLine(line: string, patterns: readonly RegExp[]): string {
  const pieces = line.length <= piece ? [line] : (line.match(new RegExp(`.{1,${piece}}`, 'gs')) ?? [])
  return pieces
    .map((part) => patterns.reduce((left, pattern) => left.replace(pattern, redacted), part))
    .join('')
}

/**
 * Why a pattern is refused, or null. It must be a regular expression, must not match the empty text (it would redact
 * between all letters), and must not have a form that can take exponential time, such as nested repetition.
 */
export function patternProblem(source: string): string | null {
  const pattern = compile(source)
  if (!pattern) return 'is not a regular expression'
  if (pattern.test('')) return 'must not match the empty text'
  if (/\\[1-9]|\\k</.test(source)) return 'must not refer back to a group'
  return repeats(source)
}

function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, 'iu')
  } catch {
    return null
  }
}

const maxOpen = 3
const openEnded = /^(?:[*+]|\{\d+,\})/
const repetition = /^(?:[*+?]|\{\d+(?:,\d*)?\})/

/** Reads a pattern that compiles: character by character, sets and escapes as one. */
function repeats(source: string): string | null {
  const groups: boolean[] = []
  let open = 0
  let closed: boolean | null = null
  for (let rest = source; rest !== ''; ) {
    const atom = rest.match(/^(?:\\.|\[(?:\\.|[^\]\\])*\])/su)?.[0] ?? ''
    const repeat = atom === '' && rest.match(repetition)?.[0]
    if (repeat) {
      if (closed && repeat !== '?') return 'must not repeat what repeats or chooses'
      if (openEnded.test(repeat)) open += 1
      if (groups.length > 0) groups.fill(true)
    } else if (rest.startsWith('(')) groups.push(false)
    else if (rest.startsWith('|')) groups.fill(true)
    closed = atom === '' && rest.startsWith(')') ? (groups.pop() ?? false) : null
    rest = rest.slice(atom.length || (repeat ? repeat.length : 1))
  }
  return open > maxOpen ? `must not have more than ${maxOpen} parts of any length` : null
}

/** The redaction patterns of the security settings, as loaded by this process. */
export class Redaction {
  #sources = '[]'
  #patterns: readonly RegExp[] = []

  use(sources: readonly string[]): void {
    const key = JSON.stringify(sources)
    if (key === this.#sources) return
    this.#sources = key
    this.#patterns = readPatterns(sources)
  }

  text(text: string): string {
    return redactWith(text, this.#patterns)
  }

  /** A copy of a plain value with every text in it redacted; the value itself when there is nothing to look for. */
  value<Value>(value: Value): Value {
    return this.#patterns.length === 0 ? value : (this.#copy(value) as Value)
  }

  #copy(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value)
    if (typeof value !== 'object' || value === null) return value
    if (value instanceof Error) return this.text(value.stack ?? value.message)
    if (Array.isArray(value)) return value.map((item) => this.#copy(item))
    if (Object.getPrototypeOf(value) !== Object.prototype) return value
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, this.#copy(member)]))
  }
}

/** The host's log, redacted by the security settings. */
export const redactingLog = (log: Log, redaction: Redaction): Log => ({
  write: (level, message, fields = {}) => log.write(level, redaction.text(message), redaction.value(fields)),
})

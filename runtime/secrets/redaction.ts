import type { LinearPattern } from '../linear-pattern.ts'
import type { Log } from '../ports/log.ts'
import { redacted } from './redact.ts'

/**
 * Why a pattern is refused, or null. It must be a regular expression, must not match the empty text (it would
 * redact between all letters), and must use only constructs that take linear time.
 */
export function patternProblem(source: string): string | null {
  const pattern = compile(source)
  if (!pattern) return 'is not a regular expression'
  if (pattern.test('')) return 'must not match the empty text'
  if (/\\[1-9]|\\k</.test(source)) return 'must not refer back to a group'
  if (/\(\?<?[=!]/.test(source)) return 'must not look ahead or behind'
  if (/\{(?:\d{4,}|\d+,\d{4,})/.test(source)) return 'must not repeat anything more than 999 times'
  return null
}

function compile(source: string): RegExp | null {
  try {
    return new RegExp(source, 'iu')
  } catch {
    return null
  }
}

/** The redaction patterns of the security settings, as loaded by this process. */
export class Redaction {
  #sources = '[]'
  #patterns: readonly LinearPattern[] = []

  async use(sources: readonly string[]): Promise<void> {
    const key = JSON.stringify(sources)
    if (key === this.#sources) return
    const patterns = sources.length === 0 ? [] : await readPatterns(sources)
    this.#sources = key
    this.#patterns = patterns
  }

  text(text: string): string {
    return this.#patterns.reduce((left, pattern) => pattern.replaceAll(left, redacted), text)
  }

  /** A copy of a plain value with every text in it redacted; the value itself if there are no rules. */
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

async function readPatterns(sources: readonly string[]): Promise<LinearPattern[]> {
  const { LinearPattern } = await import('../linear-pattern.ts')
  return sources.flatMap((source) => {
    const pattern = patternProblem(source) === null && compile(source)
    return pattern ? [new LinearPattern(pattern)] : []
  })
}

/** The host's log, redacted by the security settings. */
export const redactingLog = (log: Log, redaction: Redaction): Log => ({
  write: (level, message, fields = {}) => log.write(level, redaction.text(message), redaction.value(fields)),
  // Lines of before the rules were changed are redacted as well.
  recent: async () => (await log.recent()).map((line) => redaction.value(line)),
  follow: (listener) => log.follow(listener),
  ...(log.files && { files: log.files }),
})

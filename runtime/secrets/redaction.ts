import type { LinearPattern } from '../linear-pattern.ts'
import type { Log } from '../ports/log.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Attributes, Span, Tracer } from '../ports/tracer.ts'
import { redacted, redactForms, redactIssued, secretName } from './redact.ts'

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

/** Stored credentials that are remembered; beyond this, the oldest are forgotten. */
const maxStored = 1_000
const maxLength = 8_192

/**
 * The redaction of a process. Everything that leaves the daemon passes `text` or `value`: webhooks, hooks, channels, email,
 * notifications, logs, traces, the audit log and exported files. Three parts: credentials that the daemon stores or
 * issues, credentials that are recognised by their form, and matches of the patterns in the security settings.
 */
export class Redaction {
  #sources = '[]'
  #patterns: readonly LinearPattern[] = []
  #remembered: readonly string[] = []
  #stored: readonly string[] = []

  /**
   * Remembers a credential that was sealed or opened. Of an object, such as the headers of a tool server, those members
   * whose names are those of credentials.
   */
  remember(plain: string): void {
    if (plain.length > maxLength) return
    const added = credentialsIn(plain).filter(
      (text) =>
        isDistinctive(text) && !this.#stored.includes(text) && !redactForms(text).startsWith(redacted),
    )
    if (added.length === 0) return
    this.#remembered = [...this.#remembered, ...added].slice(-maxStored)
    // The longest first: a credential may contain another.
    this.#stored = this.#remembered.toSorted((a, b) => b.length - a.length)
  }

  async use(sources: readonly string[]): Promise<void> {
    const key = JSON.stringify(sources)
    if (key === this.#sources) return
    const patterns = sources.length === 0 ? [] : await readPatterns(sources)
    this.#sources = key
    this.#patterns = patterns
  }

  /** A text without secrets, for a receiver outside of the daemon. */
  text = (text: string): string => this.customText(redactForms(this.#withoutStored(text)))

  /** A copy of a plain value with every text in it redacted, names of members included. */
  value = <Value>(value: Value): Value => copy(value, this.text) as Value

  /** A text without the credentials that the daemon stores or issues: for a person's export of their own words. */
  ownText = (text: string): string => redactIssued(this.#withoutStored(text))

  ownValue = <Value>(value: Value): Value => copy(value, this.ownText) as Value

  /** A text without matches of the patterns in the security settings: for tool results, which agents write back to files. */
  customText = (text: string): string =>
    this.#patterns.reduce((left, pattern) => pattern.replaceAll(left, redacted), text)

  customValue = <Value>(value: Value): Value =>
    this.#patterns.length === 0 ? value : (copy(value, this.customText) as Value)

  #withoutStored(text: string): string {
    let rest = text
    for (const secret of this.#stored) if (rest.includes(secret)) rest = rest.replaceAll(secret, redacted)
    return rest
  }
}

function copy(value: unknown, clean: (text: string) => string): unknown {
  if (typeof value === 'string') return clean(value)
  if (typeof value !== 'object' || value === null) return value
  if (value instanceof Error) return clean(value.stack ?? value.message)
  if (Array.isArray(value)) return value.map((item) => copy(item, clean))
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [clean(name), copy(member, clean)]))
}

function credentialsIn(plain: string): string[] {
  if (!plain.startsWith('{')) return [plain]
  try {
    return Object.entries(JSON.parse(plain) as Record<string, unknown>).flatMap(([name, value]) =>
      typeof value === 'string' && secretName.test(name)
        ? [value.replace(/^(?:bearer|basic|token)\s+/i, '')]
        : [],
    )
  } catch {
    return [plain]
  }
}

/** Not a word that texts contain anyway, such as a weak password. */
const isDistinctive = (text: string): boolean =>
  text.length >= 16 || (text.length >= 8 && /[^a-z]/i.test(text))

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

/** The host's cryptography; what passes through it is a credential that must not leave the daemon. */
export const rememberingSecrets = (secrets: Secrets, redaction: Redaction): Secrets => ({
  ...secrets,
  async seal(plain, purpose) {
    redaction.remember(plain)
    return secrets.seal(plain, purpose)
  },
  async open(sealed, purpose) {
    const plain = await secrets.open(sealed, purpose)
    redaction.remember(plain)
    return plain
  },
})

class RedactedSpan implements Span {
  readonly span: Span
  readonly #redaction: Redaction

  constructor(span: Span, redaction: Redaction) {
    this.span = span
    this.#redaction = redaction
  }

  set = (attributes: Attributes) => this.span.set(this.#redaction.value(attributes))
  fail = (error: string) => this.span.fail(this.#redaction.text(error))
  end = (error?: string) => this.span.end(error && this.#redaction.text(error))
}

/** The host's tracer, redacted. */
export const redactingTracer = (tracer: Tracer, redaction: Redaction): Tracer => ({
  start(name, parent, attributes) {
    const above = parent instanceof RedactedSpan ? parent.span : parent
    const span = tracer.start(redaction.text(name), above, redaction.value(attributes))
    return new RedactedSpan(span, redaction)
  },
})

import type { LinearPattern } from '../linear-pattern.ts'
import type { Log } from '../ports/log.ts'
import type { Secrets } from '../ports/secrets.ts'
import type { Attributes, Span, Tracer } from '../ports/tracer.ts'
import { toBase64, toBase64Url } from './base64.ts'
import { redacted, redactForms, redactIssued, secretName } from './redact.ts'
import { TextSearch } from './text-search.ts'

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
export const maxStored = 1_000
const maxLength = 8_192

/**
 * The redaction of a process. Everything that leaves the daemon passes `text` or `value`: webhooks, hooks, channels, email,
 * notifications, logs, traces, the audit log and exported files. Three parts: credentials that the daemon stores or
 * issues, credentials that are recognised by their form, and matches of the patterns in the security settings.
 */
export class Redaction {
  #sources = '[]'
  #patterns: readonly LinearPattern[] = []
  readonly #remembered = new Set<string>()
  #search = new TextSearch()

  /**
   * Remembers a credential that was sealed or opened. Of an object, such as the headers of a tool server, those members
   * whose names are those of credentials.
   */
  remember(plain: string): void {
    if (plain.length > maxLength) return
    for (const text of credentialsIn(plain))
      if (isDistinctive(text) && !this.#remembered.has(text) && !redactIssued(text).startsWith(redacted))
        this.#add(text)
  }

  #add(text: string): void {
    this.#remembered.add(text)
    const [oldest] = this.#remembered
    const isFull = this.#remembered.size > maxStored
    if (isFull) {
      this.#remembered.delete(oldest ?? '')
      this.#search = new TextSearch()
    }
    for (const one of isFull ? this.#remembered : [text]) addForms(this.#search, one)
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

  #withoutStored = (text: string): string => this.#search.replaceAll(text, redacted)
}

/** A credential and its encoded forms, as headers, addresses and JSON contain it. */
function addForms(search: TextSearch, text: string): void {
  const forms = [text, JSON.stringify(text).slice(1, -1), ...urlForms(text.toWellFormed()), ...base64Forms(text)]
  for (const form of new Set(forms)) search.add(form)
}

/** Percent-encoded (RFC 3986), with digits of either case, and as a form (application/x-www-form-urlencoded). */
function urlForms(text: string): string[] {
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  return [encodeURI(text), encodeURIComponent(text), form].flatMap((encoded) => [
    encoded,
    encoded.replace(/%../g, (byte) => byte.toLowerCase()),
  ])
}

/** Base64 and base64url of the bytes at each of the three places that they can have in a group. */
function base64Forms(text: string): string[] {
  const bytes = new TextEncoder().encode(text)
  return [0, 1, 2].flatMap((place) => {
    const placed = new Uint8Array(place + bytes.length)
    placed.set(bytes, place)
    // The first and the last character may share bits with what is next to the credential.
    const [start, end] = [Math.ceil((place * 4) / 3), Math.floor((placed.length * 4) / 3)]
    return [toBase64(placed).slice(start, end), toBase64Url(placed).slice(start, end)]
  })
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
      typeof value === 'string' && secretName.test(name) ? [value.replace(/^(?:bearer|basic|token)\s+/i, '')] : [],
    )
  } catch {
    return [plain]
  }
}

/** Not a word that texts contain anyway, such as a weak password. */
const isDistinctive = (text: string): boolean => text.length >= 16 || (text.length >= 8 && /[^a-z]/i.test(text))

async function readPatterns(sources: readonly string[]): Promise<LinearPattern[]> {
  const { LinearPattern } = await import('../linear-pattern.ts')
  return sources.flatMap((source) => {
    const pattern = patternProblem(source) === null && compile(source)
    return pattern ? [new LinearPattern(pattern)] : []
  })
}

/** The host's log, redacted by the security settings. */
export const redactingLog = (log: Log, redaction: Redaction): Log => ({
  write(level, message, fields = {}) {
    if (log.keeps?.(level) !== false) log.write(level, redaction.text(message), redaction.value(fields))
  },
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

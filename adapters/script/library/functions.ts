import { hmac } from '@noble/hashes/hmac.js'
import type { DateTime as LuxonDateTime } from 'luxon'
import { parsedDate } from './dates.ts'
import { digest, hashes, hashName, utf8 } from './digest.ts'
import { ExpressionError } from './extensions.ts'
import { native } from './host.ts'

/** Functions of expressions for dates and bytes. */

interface DateOptions {
  /** Default: that of the workflow. */
  zone?: string
  /** Tokens of luxon. Default: any usual form. */
  format?: string
  /** A number is a timestamp, whatever the format. */
  numbers?: boolean
}

/** Below it, a number counts seconds. */
const firstMilliseconds = 100_000_000_000

/** The date that a value says, in a zone. */
export function $date(value: unknown, { zone, format, numbers }: DateOptions = {}): LuxonDateTime {
  const own = zone ?? DateTime.now().zoneName
  const number = typeof value === 'string' && value.trim() === '' ? Number.NaN : Number(value)
  const date = DateTime.isDateTime(value)
    ? value
    : typeof value !== 'object' && !Number.isNaN(number) && (numbers || format === undefined)
      ? DateTime.fromMillis(number < firstMilliseconds ? number * 1_000 : number)
      : format === undefined
        ? parsedDate(value, own, zone === undefined)
        : DateTime.fromFormat(String(value), format, { zone: own })
  if (!date?.isValid) throw new ExpressionError(`"${String(value)}" is not a date`)
  return date.setZone(own)
}

type Encoding = 'hex' | 'base64'

const encoded = (bytes: Uint8Array, encoding: Encoding = 'hex') => Buffer.from(bytes).toString(encoding)

export function $hash(value: unknown, algorithm: string, encoding?: Encoding): string {
  const hash = digest(algorithm, String(value))
  if (!hash) throw new ExpressionError(`There is no hash ${algorithm}`)
  return encoded(hash, encoding)
}

export function $hmac(
  value: unknown,
  { algorithm, secret, encoding }: { algorithm: string; secret: unknown; encoding?: Encoding },
): string {
  const hash = hashes[hashName(algorithm) as keyof typeof hashes]
  if (!hash) throw new ExpressionError(`There is no hash ${algorithm}`)
  return encoded(hmac(hash, utf8(String(secret)), utf8(String(value))), encoding)
}

/** The signature of a text. `key` is a private key in PEM. */
export function $sign(
  value: unknown,
  { algorithm, key, encoding = 'hex' }: { algorithm: string; key: unknown; encoding?: Encoding },
): string {
  try {
    return Buffer.from(String(native('sign', algorithm, String(key), String(value))), 'base64').toString(encoding)
  } catch (thrown) {
    throw new ExpressionError(`It cannot be signed: ${thrown instanceof Error ? thrown.message : String(thrown)}`)
  }
}

interface Xml {
  parse(text: string): unknown
  build(value: unknown, options?: object): string
}

/** Errors of the parser are errors of the node. */
export function $xml(make: (xml: Xml) => unknown): unknown {
  try {
    return make((globalThis as unknown as { xml: Xml }).xml)
  } catch (thrown) {
    throw new ExpressionError(thrown instanceof Error ? thrown.message : String(thrown))
  }
}

/** Random characters, or a UUID. */
export function $random(kind: 'uuid' | 'ascii' | Encoding, length = 32): string {
  if (kind === 'uuid') return crypto.randomUUID()
  const bytes = Uint8Array.from(native('random', length) as number[])
  if (kind === 'ascii') return String.fromCharCode(...bytes.map((byte) => byte & 127))
  return encoded(bytes, kind).replace(/\W/g, '').slice(0, length)
}

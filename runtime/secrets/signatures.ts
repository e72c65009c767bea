import { second } from '../time.ts'
import { fromBase64, toBase64 } from './base64.ts'

// Signatures of messages between this daemon and others. Every check refuses an empty or missing secret.

const encoder = new TextEncoder()

const bytesOf = (value: string | Uint8Array): Uint8Array<ArrayBuffer> =>
  typeof value === 'string' ? encoder.encode(value) : new Uint8Array(value)

/** HMAC-SHA256. Throws if the key is empty, so that nobody signs or checks with no secret. */
export async function hmacSha256(
  key: string | Uint8Array,
  message: string | Uint8Array,
): Promise<Uint8Array<ArrayBuffer>> {
  const raw = bytesOf(key)
  if (raw.length === 0) throw new Error('The secret is empty')
  const imported = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, bytesOf(message)))
}

/**
 * Compares in constant time: the work depends on the length of `given` only. Two empty values are unequal, so that a
 * missing secret never matches a missing header.
 */
export function equalConstantTime(actual: string | Uint8Array, expected: string | Uint8Array): boolean {
  const left = bytesOf(actual)
  const right = bytesOf(expected)
  let difference = left.length ^ right.length
  for (let index = 0; index < left.length; index += 1)
    difference |= (left[index] ?? 0) ^ (right[index % (right.length || 1)] ?? 0)
  return difference === 0 && right.length > 0
}

/** Lower-case hex of bytes. */
export const toHex = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** The bytes of lower-case hex; null unless every character is part of it. */
export function fromHex(text: string): Uint8Array<ArrayBuffer> | null {
  if (text.length % 2 === 1 || /[^0-9a-f]/.test(text)) return null
  return Uint8Array.from({ length: text.length / 2 }, (_, at) => parseInt(text.slice(2 * at, 2 * at + 2), 16))
}

/** Base64 with padding, as most platforms write it. */
export function toPaddedBase64(bytes: Uint8Array): string {
  const text = toBase64(bytes)
  return text.padEnd(Math.ceil(text.length / 4) * 4, '=')
}

/** Whether a time in Unix seconds is at most `tolerance_seconds` from `now`, in milliseconds. */
export function isRecent(timestamp: string, now: number, tolerance_seconds = 300): boolean {
  if (!/^\d{1,12}$/.test(timestamp)) return false
  return Math.abs(now - Number(timestamp) * second) <= tolerance_seconds * second
}

/** A message of Standard Webhooks: `timestamp` in Unix seconds. */
export interface StandardMessage {
  id: string
  timestamp: number
  body: string | Uint8Array
}

/**
 * The headers of Standard Webhooks, with a signature `v1,<base64>` per secret; none if there is no secret.
 * https://www.standardwebhooks.com (specification 1.0.0, symmetric signatures)
 */
export async function signStandard(
  secrets: readonly string[],
  message: StandardMessage,
): Promise<Record<string, string>> {
  const signed = withHead(`${message.id}.${message.timestamp}.`, bytesOf(message.body))
  const signatures = await Promise.all(
    secrets.map(async (secret) => `v1,${toPaddedBase64(await hmacSha256(standardKey(secret), signed))}`),
  )
  return {
    'webhook-id': message.id,
    'webhook-timestamp': String(message.timestamp),
    ...(signatures.length > 0 && { 'webhook-signature': signatures.join(' ') }),
  }
}

/** Svix, where the standard comes from, has other names for the same headers. */
export const standardHeader = (headers: Headers, name: string): string =>
  headers.get(`webhook-${name}`) ?? headers.get(`svix-${name}`) ?? ''

/** Whether a message of Standard Webhooks or Svix is signed with the secret and at most five minutes old. */
export async function verifyStandard(
  secret: string,
  { headers, body, now }: { headers: Headers; body: Uint8Array; now: number },
): Promise<boolean> {
  const id = standardHeader(headers, 'id')
  const timestamp = standardHeader(headers, 'timestamp')
  const key = standardKey(secret)
  if (key.length === 0 || id === '' || !isRecent(timestamp, now)) return false
  const expected = `v1,${toPaddedBase64(await hmacSha256(key, withHead(`${id}.${timestamp}.`, body)))}`
  const signatures = standardHeader(headers, 'signature').split(' ').slice(0, 10)
  // A header that was sent twice.
  if (signatures.some((one) => one.endsWith(','))) return false
  return signatures.filter((one) => equalConstantTime(one, expected)).length > 0
}

/** What is signed: a text such as the time, and the body after it. */
export function withHead(text: string, body: Uint8Array): Uint8Array<ArrayBuffer> {
  const head = encoder.encode(text)
  const content = new Uint8Array(head.length + body.length)
  content.set(head)
  content.set(body, head.length)
  return content
}

/** The key of a secret: base64 after `whsec_`, any other secret is used as text. */
export function standardKey(secret: string): Uint8Array<ArrayBuffer> {
  if (!secret.startsWith('whsec_')) return encoder.encode(secret)
  const encoded = secret.slice('whsec_'.length)
  return fromBase64(encoded.replace(/={1,2}$/, '')) ?? encoder.encode(encoded === '' ? '' : secret)
}

import { fromBase64Url, toBase64Url } from './base64.ts'

export const masterKeyBytes = 32

/** HKDF-SHA-256 (RFC 5869) turns any other text into a key; changing these makes sealed texts unreadable. */
export const derivation = { salt: 'hearthd', info: 'hearthd master key v1' }

const shortestText = 16

export type KeySource = { kind: 'raw'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'derive'; text: string }

/** 64 hex digits are the key itself; other text must be long enough for a strong key. */
export function readKeyText(text: string): KeySource {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return { kind: 'raw', bytes: hexBytes(trimmed) }
  if (trimmed.length >= shortestText) return { kind: 'derive', text: trimmed }
  throw new WrongMasterKey(`SERVICE_SECRET_KEY needs 64 hex digits or at least ${shortestText} characters`)
}

function hexBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

/** The master key cannot be used; the message says what to do. */
export class WrongMasterKey extends Error {
  override name = 'WrongMasterKey'
}

/** The sealed text was modified, or was sealed for another purpose or with another key. */
export class SealBroken extends Error {
  override name = 'SealBroken'
}

/** AES-256-GCM: 12 bytes of initialisation vector, 16 bytes of tag (NIST SP 800-38D). */
export const ivBytes = 12
export const tagBytes = 16

export interface Sealed {
  key_id: string
  iv: Uint8Array<ArrayBuffer>
  tag: Uint8Array<ArrayBuffer>
  cipher: Uint8Array<ArrayBuffer>
}

/** `v1.<key id>.<iv>.<tag and ciphertext>`, the same on every host. */
export function writeSealed({ key_id, iv, tag, cipher }: Sealed): string {
  return ['v1', key_id, toBase64Url(iv), toBase64Url(joinBytes(tag, cipher))].join('.')
}

/** The parts of a text that was sealed by the key with `key_id`; throws `SealBroken` for any other. */
export function readSealed(text: string, key_id: string): Sealed {
  const [version, sealedBy, ivText, payload, ...rest] = text.split('.')
  const iv = fromBase64Url(ivText ?? '')
  const bytes = fromBase64Url(payload ?? '')
  const whole = version === 'v1' && rest.length === 0 && iv?.length === ivBytes && bytes && bytes.length >= tagBytes
  if (!whole) throw new SealBroken('This is not a sealed text')
  if (sealedBy !== key_id) throw new SealBroken('The text was sealed under another master key')
  return { key_id, iv, tag: bytes.slice(0, tagBytes), cipher: bytes.slice(tagBytes) }
}

/** What the seal authenticates in addition to the text. */
export function associatedData(key_id: string, purpose: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`hearthd.v1.${key_id}.${purpose}`)
}

/**
 * The id of a master key, from the SHA-256 of `keyIdLabel` and the key: distinguishes keys without revealing
 * them.
 */
export const keyIdLabel = 'hearthd key id'
export const keyIdOf = (digest: Uint8Array): string => toBase64Url(digest.subarray(0, 6))

export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

import { fromBase64Url, toBase64Url } from './base64.ts'

/** The sealed text was changed, or was sealed for another purpose or under another key. */
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

/** `v1.<key id>.<iv>.<tag and ciphertext>`, so that every host reads what another host sealed. */
export function writeSealed({ key_id, iv, tag, cipher }: Sealed): string {
  return ['v1', key_id, toBase64Url(iv), toBase64Url(joinBytes(tag, cipher))].join('.')
}

/** The parts, once it is certain that the key with `key_id` sealed them. */
export function readSealed(text: string, key_id: string): Sealed {
  const [version, sealedBy, ivText, payload, ...rest] = text.split('.')
  const iv = fromBase64Url(ivText ?? '')
  const bytes = fromBase64Url(payload ?? '')
  const whole =
    version === 'v1' && rest.length === 0 && iv?.length === ivBytes && bytes && bytes.length >= tagBytes
  if (!whole) throw new SealBroken('This is not a sealed text')
  if (sealedBy !== key_id) throw new SealBroken('The text was sealed under another master key')
  return { key_id, iv, tag: bytes.slice(0, tagBytes), cipher: bytes.slice(tagBytes) }
}

/** What the seal binds beside the text itself. */
export function associatedData(key_id: string, purpose: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`hearthd.v1.${key_id}.${purpose}`)
}

/** The id of a master key, from the SHA-256 of `keyIdLabel` and the key: tells keys apart, gives none away. */
export const keyIdLabel = 'hearthd key id'
export const keyIdOf = (digest: Uint8Array): string => toBase64Url(digest.subarray(0, 6))

export function joinBytes(first: Uint8Array, second: Uint8Array): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(first.length + second.length)
  joined.set(first)
  joined.set(second, first.length)
  return joined
}

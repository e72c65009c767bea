/** Base64url without padding (RFC 4648, section 5). */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_')
}

/** Null unless `text` is the canonical encoding of its bytes. */
export function fromBase64Url(text: string): Uint8Array<ArrayBuffer> | null {
  if (/[^\w-]/.test(text)) return null
  return fromBase64(text.replaceAll('-', '+').replaceAll('_', '/'))
}

/** Bytes encoded at once: a multiple of three, so that only the last part is padded. */
const part = 12_288

/** Base64 without padding, as password hashes are written. */
export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += part) text += btoa(String.fromCharCode(...bytes.subarray(at, at + part)))
  return text.replace(/={1,2}$/, '')
}

/** Null unless canonical, as above. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> | null {
  if (/[^A-Za-z0-9+/]/.test(text) || text.length % 4 === 1) return null
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  return toBase64(bytes) === text ? bytes : null
}

export const masterKeyBytes = 32

/** HKDF-SHA-256 (RFC 5869) turns any other text into a key; changing these loses what was sealed. */
export const derivation = { salt: 'hearthd', info: 'hearthd master key v1' }

const shortestText = 16

export type KeySource = { kind: 'raw'; bytes: Uint8Array<ArrayBuffer> } | { kind: 'derive'; text: string }

/** 64 hex digits are the key itself; other text must be long enough to be worth deriving from. */
export function readKeyText(text: string): KeySource {
  const trimmed = text.trim()
  if (/^[0-9a-f]{64}$/i.test(trimmed)) return { kind: 'raw', bytes: hexBytes(trimmed) }
  if (trimmed.length >= shortestText) return { kind: 'derive', text: trimmed }
  throw new Error(`SERVICE_SECRET_KEY needs 64 hex digits or at least ${shortestText} characters`)
}

function hexBytes(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}

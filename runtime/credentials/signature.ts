import { toHex, toPaddedBase64, withHead } from '../secrets/signatures.ts'
import type { FieldsOf } from './kinds.ts'

/** The value of the header that signs a body; with a timestamp, it and a dot precede the body. */
export async function signature(
  { algorithm, secret = '', encoding, prefix }: FieldsOf<'hmac'>,
  body: Uint8Array,
  timestamp: string,
): Promise<string> {
  const content = withHead(timestamp && `${timestamp}.`, body)
  const raw = new TextEncoder().encode(secret)
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: algorithm }, false, ['sign'])
  const bytes = new Uint8Array(await crypto.subtle.sign('HMAC', key, content))
  return prefix + (encoding === 'hex' ? toHex(bytes) : toPaddedBase64(bytes))
}

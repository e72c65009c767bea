import { toBase64 } from '../../secrets/base64.ts'

/**
 * `v1,<base64 of HMAC-SHA256>` over `id.timestamp.body`. A secret that begins with `whsec_` is base64 behind that, any
 * other its own bytes. https://www.standardwebhooks.com (specification 1.0.0, symmetric signatures)
 */
export async function signatureOf(
  secret: string,
  message: { id: string; timestamp: number; body: string },
): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', bytesOf(secret), algorithm, false, ['sign'])
  const text = new TextEncoder().encode(`${message.id}.${message.timestamp}.${message.body}`)
  const signature = toBase64(new Uint8Array(await crypto.subtle.sign('HMAC', key, text)))
  return `v1,${signature.padEnd(Math.ceil(signature.length / 4) * 4, '=')}`
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  const encoded = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret)?.[1]
  if (encoded === undefined) return new TextEncoder().encode(secret)
  return Uint8Array.from(atob(encoded), (letter) => letter.charCodeAt(0))
}

const encoder = new TextEncoder()

/** HMAC-SHA256. Null for an empty key: a missing secret can never make a signature valid. */
export async function hmacSha256(key: string, ...parts: (string | Uint8Array)[]): Promise<Uint8Array | null> {
  if (key === '') return null
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', encoder.encode(key), algorithm, false, ['sign'])
  const bytes = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part))
  const whole = new Uint8Array(await new Blob(bytes as BlobPart[]).arrayBuffer())
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, whole))
}

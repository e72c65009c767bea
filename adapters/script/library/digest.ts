import { md5, sha1 } from '@noble/hashes/legacy.js'
import { sha224, sha256, sha384, sha512 } from '@noble/hashes/sha2.js'
import { sha3_256, sha3_384, sha3_512 } from '@noble/hashes/sha3.js'

/** `Buffer` is loaded when it is first used. */
export const utf8 = (text: string): Uint8Array => Buffer.from(text, 'utf8')

export const hashes = {
  md5,
  sha1,
  sha224,
  sha256,
  sha384,
  sha512,
  sha3: sha3_512,
  sha3_256,
  sha3_384,
  sha3_512,
}

export const algorithms = Object.keys(hashes)

/** `SHA-256` and `SHA3-256` as the names here. */
export const hashName = (name: string) => name.toLowerCase().replace(/^sha-/, 'sha').replace('-', '_')

/** The hash of a text or of bytes; null for an algorithm that is not known. */
export function digest(algorithm: string, data: string | Uint8Array): Uint8Array | null {
  const name = hashName(algorithm)
  const hash = Object.hasOwn(hashes, name) ? hashes[name as keyof typeof hashes] : null
  return hash?.(typeof data === 'string' ? utf8(data) : data) ?? null
}

/** `crypto.subtle`, as far as it needs no keys. */
export const subtle = {
  async digest(algorithm: string | { name: string }, data: ArrayBuffer | ArrayBufferView): Promise<ArrayBuffer> {
    const name = typeof algorithm === 'string' ? algorithm : algorithm.name
    const bytes = ArrayBuffer.isView(data)
      ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
      : new Uint8Array(data)
    const hash = digest(name, bytes)
    if (!hash) throw new Error(`The algorithm ${name} is not supported`)
    return hash.slice().buffer
  },
}

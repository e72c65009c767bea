import { argon2, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import {
  digestBytes,
  owaspArgon2id,
  type PasswordHash,
  passwordBytes,
  readPasswordHash,
  saltBytes,
  writePasswordHash,
} from '../../runtime/secrets/password-hash.ts'

const argon2Async = promisify(argon2)
const scryptAsync = promisify<Uint8Array, Uint8Array, number, object, Uint8Array>(scrypt)

/** Argon2id at OWASP's parameters, on libuv's threads. */
export async function hashPassword(password: string): Promise<string> {
  const salt = Uint8Array.from(randomBytes(saltBytes))
  const blank: PasswordHash = { cost: owaspArgon2id, salt, digest: new Uint8Array(digestBytes) }
  const digest = await derive(password, blank)
  return writePasswordHash({ ...blank, digest: Uint8Array.from(digest) })
}

/** False for a wrong password and for text that is not a hash. */
export async function verifyPassword(password: string, text: string): Promise<boolean> {
  const hash = readPasswordHash(text)
  return hash !== null && timingSafeEqual(await derive(password, hash), hash.digest)
}

function derive(password: string, { cost, salt, digest }: PasswordHash): Promise<Uint8Array> {
  const message = passwordBytes(password)
  if (cost.kind === 'argon2id') {
    const { memory_kib: memory, passes, lanes: parallelism } = cost
    return argon2Async('argon2id', {
      message,
      nonce: salt,
      memory,
      passes,
      parallelism,
      tagLength: digest.length,
    })
  }
  const options = { N: 2 ** cost.log_n, r: cost.block, p: cost.lanes, maxmem: 2 ** 29 }
  return scryptAsync(message, salt, digest.length, options)
}

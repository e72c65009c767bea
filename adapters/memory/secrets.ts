import { argon2idAsync } from '@noble/hashes/argon2.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { scryptAsync } from '@noble/hashes/scrypt.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Secrets } from '../../runtime/ports/secrets.ts'
import {
  digestBytes,
  owaspScrypt,
  type PasswordHash,
  passwordBytes,
  readPasswordHash,
  type Scrypt,
  saltBytes,
  writePasswordHash,
} from '../../runtime/secrets/password-hash.ts'
import {
  associatedData,
  derivation,
  ivBytes,
  joinBytes,
  keyIdLabel,
  keyIdOf,
  masterKeyBytes,
  readKeyText,
  readSealed,
  SealBroken,
  tagBytes,
  writeSealed,
} from '../../runtime/secrets/sealed-text.ts'

export interface MemorySecretsOptions {
  /**
   * As `SERVICE_SECRET_KEY`. Without it the key is random, and everything sealed is lost with the process.
   */
  master_key?: string
  /** New password hashes cost microseconds instead of a second: for tests, never for passwords of people. */
  cheap?: boolean
  /** Of new password hashes; default is OWASP's first choice, which takes 128 MiB. */
  cost?: Scrypt
}

const cheapScrypt: Scrypt = { kind: 'scrypt', log_n: 1, block: 8, lanes: 1 }

/**
 * Cryptography for any web-standard runtime. Compatible with Node's: each reads what the other has sealed and
 * hashed.
 */
export function createMemorySecrets(options: MemorySecretsOptions = {}): Secrets {
  const { master_key, cheap = false, cost = owaspScrypt } = options
  const sealing = createSealing(master_key ? keyFromText(master_key) : randomBytes(masterKeyBytes))

  return {
    sha256: (text) => bytesToHex(digestOf(text)),
    equal: (left, right) => sameBytes(digestOf(left), digestOf(right)),
    random: (bytes) => bytesToHex(randomBytes(bytes)),
    ...sealing,

    async hashPassword(password) {
      const blank = {
        cost: cheap ? cheapScrypt : cost,
        salt: randomBytes(saltBytes),
        digest: new Uint8Array(digestBytes),
      }
      return writePasswordHash({ ...blank, digest: await derive(password, blank) })
    },

    async verifyPassword(password, text) {
      const hash = readPasswordHash(text)
      return hash !== null && sameBytes(await derive(password, hash), hash.digest)
    },
  }
}

function createSealing(key: Uint8Array<ArrayBuffer>): Pick<Secrets, 'seal' | 'open'> {
  const key_id = keyIdOf(sha256(joinBytes(encode(keyIdLabel), key)))
  const imported = crypto.subtle.importKey('raw', key, 'AES-GCM', false, ['encrypt', 'decrypt'])
  const parameters = (iv: Uint8Array<ArrayBuffer>, purpose: string) => ({
    name: 'AES-GCM',
    iv,
    additionalData: associatedData(key_id, purpose),
  })

  return {
    async seal(plain, purpose) {
      const iv = randomBytes(ivBytes)
      const result = await crypto.subtle.encrypt(parameters(iv, purpose), await imported, encode(plain))
      const bytes = new Uint8Array(result)
      const end = bytes.length - tagBytes
      return writeSealed({ key_id, iv, tag: bytes.slice(end), cipher: bytes.slice(0, end) })
    },

    async open(sealed, purpose) {
      const { iv, tag, cipher } = readSealed(sealed, key_id)
      const plain = crypto.subtle.decrypt(parameters(iv, purpose), await imported, joinBytes(cipher, tag))
      return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
        await plain.catch(() => {
          throw new SealBroken('The sealed text was modified or was sealed for another purpose')
        }),
      )
    },
  }
}

function keyFromText(text: string): Uint8Array<ArrayBuffer> {
  const source = readKeyText(text)
  if (source.kind === 'raw') return source.bytes
  const { salt, info } = derivation
  return Uint8Array.from(hkdf(sha256, encode(source.text), encode(salt), encode(info), masterKeyBytes))
}

async function derive(password: string, { cost, salt, digest }: PasswordHash): Promise<Uint8Array<ArrayBuffer>> {
  const message = passwordBytes(password)
  const dkLen = digest.length
  const bytes =
    cost.kind === 'scrypt'
      ? await scryptAsync(message, salt, { N: 2 ** cost.log_n, r: cost.block, p: cost.lanes, dkLen })
      : await argon2idAsync(message, salt, { m: cost.memory_kib, t: cost.passes, p: cost.lanes, dkLen })
  return Uint8Array.from(bytes)
}

/** Compares every byte, even after a mismatch. */
function sameBytes(left: Uint8Array, right: Uint8Array): boolean {
  let difference = left.length ^ right.length
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0)
  return difference === 0
}

const encode = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)
const digestOf = (text: string): Uint8Array => sha256(encode(text))
const randomBytes = (count: number): Uint8Array<ArrayBuffer> => crypto.getRandomValues(new Uint8Array(count))

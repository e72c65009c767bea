import { hash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Secrets } from '../../runtime/ports/secrets.ts'
import { keyFromFile, keyFromText } from './master-key.ts'
import { hashPassword, verifyPassword } from './passwords.ts'
import { createSealing } from './sealing.ts'
import { createTurnstile } from './turnstile.ts'

export interface SecretsOptions {
  /** Folder of `master.key`, which the first start creates. */
  data_dir?: string
  /** Value of `SERVICE_SECRET_KEY`: 64 hex digits, or at least 16 characters. Wins over `data_dir`. */
  master_key?: string
}

/** Two hashes use 38 MiB and two of libuv's four threads; 64 logins in line wait about a second. */
const hashesAtOnce = 2
const hashesWaiting = 64

/** Cryptography of Node. Throws when the master key cannot be read; a wrong key is never replaced. */
export function openSecrets({ data_dir, master_key }: SecretsOptions): Secrets {
  const sealing = createSealing(findKey(data_dir, master_key))
  const turnstile = createTurnstile(hashesAtOnce, hashesWaiting)

  return {
    sha256: (text) => hash('sha256', text),
    equal: (left, right) => timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer')),
    random: (bytes) => randomBytes(bytes).toString('hex'),
    seal: async (plain, purpose) => sealing.seal(plain, purpose),
    open: async (sealed, purpose) => sealing.open(sealed, purpose),
    hashPassword: (password) => turnstile(() => hashPassword(password)),
    verifyPassword: (password, hashed) => turnstile(() => verifyPassword(password, hashed)),
  }
}

function findKey(data_dir?: string, master_key?: string): Uint8Array {
  if (master_key) return keyFromText(master_key)
  if (data_dir) return keyFromFile(data_dir)
  throw new Error('A master key is needed: give a data folder or SERVICE_SECRET_KEY')
}

import { createCipheriv, createDecipheriv, hash, randomBytes, timingSafeEqual } from 'node:crypto'
import { rateLimited } from '../../runtime/fault.ts'
import type { Secrets } from '../../runtime/ports/secrets.ts'
import {
  associatedData,
  ivBytes,
  joinBytes,
  keyIdLabel,
  keyIdOf,
  readSealed,
  SealBroken,
  writeSealed,
} from '../../runtime/secrets/sealed-text.ts'
import { hasKeyFile, keyFromFile, keyFromText } from './master-key.ts'
import { hashPassword, verifyPassword } from './passwords.ts'

interface SecretsOptions {
  /** Folder of `master.key`, which the first start creates. */
  data_dir?: string
  /** Value of `SERVICE_SECRET_KEY`: 64 hex digits, or at least 16 characters. Overrides `data_dir`. */
  master_key?: string
}

/** Two hashes use 38 MiB and two of libuv's four threads; 64 queued sign-ins wait about a second. */
const hashesAtOnce = 2
const hashesWaiting = 64

/**
 * The `Secrets` port with Node's cryptography. Throws if the master key cannot be read; it is never replaced.
 */
export function openSecrets({ data_dir, master_key }: SecretsOptions): Secrets {
  const sealing = createSealing(findKey(data_dir, master_key))
  const limited = createLimiter(hashesAtOnce, hashesWaiting)

  return {
    sha256: (text) => hash('sha256', text),
    equal: (left, right) => timingSafeEqual(hash('sha256', left, 'buffer'), hash('sha256', right, 'buffer')),
    random: (bytes) => randomBytes(bytes).toString('hex'),
    seal: async (plain, purpose) => sealing.seal(plain, purpose),
    open: async (sealed, purpose) => sealing.open(sealed, purpose),
    hashPassword: (password) => limited(() => hashPassword(password)),
    verifyPassword: (password, hashed) => limited(() => verifyPassword(password, hashed)),
  }
}

/** The id of the master key in use; null if the first start has yet to create it. */
export function masterKeyId({ data_dir, master_key }: SecretsOptions): string | null {
  if (!master_key && data_dir && !hasKeyFile(data_dir)) return null
  return idOf(findKey(data_dir, master_key))
}

const idOf = (key: Uint8Array): string =>
  keyIdOf(hash('sha256', joinBytes(new TextEncoder().encode(keyIdLabel), key), 'buffer'))

function findKey(data_dir?: string, master_key?: string): Uint8Array {
  if (master_key) return keyFromText(master_key)
  if (data_dir) return keyFromFile(data_dir)
  throw new Error('A master key is required: set a data folder or SERVICE_SECRET_KEY')
}

interface Sealing {
  seal(plain: string, purpose: string): string
  open(sealed: string, purpose: string): string
}

/** AES-256-GCM under one master key. */
function createSealing(key: Uint8Array): Sealing {
  const key_id = idOf(key)

  return {
    seal(plain, purpose) {
      const iv = Uint8Array.from(randomBytes(ivBytes))
      const gcm = createCipheriv('aes-256-gcm', key, iv).setAAD(associatedData(key_id, purpose))
      const cipher = joinBytes(gcm.update(plain, 'utf8'), gcm.final())
      return writeSealed({ key_id, iv, tag: Uint8Array.from(gcm.getAuthTag()), cipher })
    },

    open(sealed, purpose) {
      const { iv, tag, cipher } = readSealed(sealed, key_id)
      const gcm = createDecipheriv('aes-256-gcm', key, iv).setAAD(associatedData(key_id, purpose)).setAuthTag(tag)
      try {
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(joinBytes(gcm.update(cipher), gcm.final()))
      } catch {
        throw new SealBroken('The sealed text was modified or was sealed for another purpose')
      }
    },
  }
}

/** Runs at most `parallel` jobs at once and queues `waiting` more; any further one is refused with a 429. */
export function createLimiter(
  parallel: number,
  waiting: number,
): <Result>(job: () => Promise<Result>) => Promise<Result> {
  const queue: (() => void)[] = []
  let running = 0

  async function enter(): Promise<void> {
    if (running < parallel) {
      running += 1
      return
    }
    if (queue.length >= waiting) throw rateLimited(1, 'Too many passwords are being checked; try again in a moment')
    await new Promise<void>((resolve) => queue.push(resolve))
  }

  /** Passes the slot to the next job in the queue, so that no newcomer gets it. */
  function leave(): void {
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }

  return async (job) => {
    await enter()
    try {
      return await job()
    } finally {
      leave()
    }
  }
}

import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
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

export interface Sealing {
  seal(plain: string, purpose: string): string
  open(sealed: string, purpose: string): string
}

/** AES-256-GCM under one master key. */
export function createSealing(key: Uint8Array): Sealing {
  const label = new TextEncoder().encode(keyIdLabel)
  const key_id = keyIdOf(hash('sha256', joinBytes(label, key), 'buffer'))

  return {
    seal(plain, purpose) {
      const iv = Uint8Array.from(randomBytes(ivBytes))
      const gcm = createCipheriv('aes-256-gcm', key, iv).setAAD(associatedData(key_id, purpose))
      const cipher = joinBytes(gcm.update(plain, 'utf8'), gcm.final())
      return writeSealed({ key_id, iv, tag: Uint8Array.from(gcm.getAuthTag()), cipher })
    },

    open(sealed, purpose) {
      const { iv, tag, cipher } = readSealed(sealed, key_id)
      const gcm = createDecipheriv('aes-256-gcm', key, iv)
        .setAAD(associatedData(key_id, purpose))
        .setAuthTag(tag)
      try {
        return new TextDecoder('utf-8', { ignoreBOM: true }).decode(
          joinBytes(gcm.update(cipher), gcm.final()),
        )
      } catch {
        throw new SealBroken('The sealed text was changed or belongs to another purpose')
      }
    },
  }
}

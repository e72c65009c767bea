import { fromBase64, toBase64 } from './base64.ts'

export interface Argon2id {
  kind: 'argon2id'
  memory_kib: number
  passes: number
  lanes: number
}

export interface Scrypt {
  kind: 'scrypt'
  log_n: number
  block: number
  lanes: number
}

/** OWASP Password Storage Cheat Sheet, the minimum configuration of each. */
export const owaspArgon2id: Argon2id = { kind: 'argon2id', memory_kib: 19_456, passes: 2, lanes: 1 }
export const owaspScrypt: Scrypt = { kind: 'scrypt', log_n: 17, block: 8, lanes: 1 }
/** From the same sheet, equally strong in 16 MiB instead of 128: for hosts with little memory. */
export const owaspScryptSmall: Scrypt = { kind: 'scrypt', log_n: 14, block: 8, lanes: 5 }

export const saltBytes = 16
export const digestBytes = 32

export interface PasswordHash {
  cost: Argon2id | Scrypt
  salt: Uint8Array<ArrayBuffer>
  digest: Uint8Array<ArrayBuffer>
}

/** PHC string: `$argon2id$v=19$m=…,t=…,p=…$salt$digest` or `$scrypt$ln=…,r=…,p=…$salt$digest`. */
export function writePasswordHash({ cost, salt, digest }: PasswordHash): string {
  return `${prefix(cost)}$${toBase64(salt)}$${toBase64(digest)}`
}

function prefix(cost: Argon2id | Scrypt): string {
  if (cost.kind === 'scrypt') return `$scrypt$ln=${cost.log_n},r=${cost.block},p=${cost.lanes}`
  return `$argon2id$v=19$m=${cost.memory_kib},t=${cost.passes},p=${cost.lanes}`
}

const shape =
  /^(?:\$argon2id\$v=19\$m=(\d{1,6}),t=(\d{1,2}),p=(\d{1,2})|\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2}))\$([^$]+)\$([^$]+)$/

/** Null for anything else, and for costs that could stall the host. */
export function readPasswordHash(text: string): PasswordHash | null {
  const [match, m, t, p, ln, r, lanes, saltText = '', digestText = ''] = shape.exec(text) ?? []
  if (match === undefined) return null
  const cost: Argon2id | Scrypt =
    ln === undefined
      ? { kind: 'argon2id', memory_kib: Number(m), passes: Number(t), lanes: Number(p) }
      : { kind: 'scrypt', log_n: Number(ln), block: Number(r), lanes: Number(lanes) }
  const salt = fromBase64(saltText)
  const digest = fromBase64(digestText)
  if (!salt || !digest || !affordable(cost)) return null
  return salt.length >= 8 && digest.length >= 16 && digest.length <= 64 ? { cost, salt, digest } : null
}

/** At most 256 MiB and a few seconds. */
function affordable(cost: Argon2id | Scrypt): boolean {
  if (cost.lanes < 1 || cost.lanes > 16) return false
  if (cost.kind === 'scrypt') {
    return cost.log_n >= 1 && cost.block >= 1 && 128 * cost.block * 2 ** cost.log_n <= 2 ** 28
  }
  return cost.passes >= 1 && cost.passes <= 16 && cost.memory_kib >= 8 * cost.lanes && cost.memory_kib <= 2 ** 18
}

/** One password typed on two keyboards is one password (NIST SP 800-63B, section 5.1.1.2). */
export function passwordBytes(password: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(password.normalize('NFKC'))
}

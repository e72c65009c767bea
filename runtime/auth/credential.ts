import { badRequest } from '../fault.ts'
import type { Secrets } from '../ports/secrets.ts'

/** `svc_`: a long-lived API key. `sess_`: a session. `tkt_`: a ticket for one WebSocket. */
export type CredentialPrefix = 'svc' | 'sess' | 'tkt'

const randomBytes = 32
const shape = /^(svc|sess|tkt)_[0-9a-f]{64}$/

/** Generates a secret in plaintext. Only its hash is stored. */
export const newCredential = (prefix: CredentialPrefix, secrets: Secrets) => `${prefix}_${secrets.random(randomBytes)}`

/** The kind of a secret by its prefix; null if the format is unknown. */
export function credentialPrefix(credential: string): CredentialPrefix | null {
  return (shape.exec(credential)?.[1] as CredentialPrefix | undefined) ?? null
}

/** The columns that look up and verify a secret. */
export function digest(credential: string, secrets: Secrets): { hash: string; lookup: string } {
  const hash = secrets.sha256(credential)
  return { hash, lookup: lookupOf(hash) }
}

/** Hash prefix for an index lookup; too short to help a timing attack on the rest. */
export const lookupOf = (hash: string) => hash.slice(0, 8)

/** The visible prefix of a key, by which lists identify it. */
export const shownPrefix = (key: string) => key.slice(0, 12)

/**
 * The credential of a request, or null. Another scheme than Bearer is meant for a proxy and ignored if there is an
 * X-API-Key; otherwise it counts as an invalid credential.
 */
export function readCredential(headers: Headers): string | null {
  const authorization = headers.get('authorization')?.trim() || null
  const bearer = authorization ? bearerOf(authorization) : null
  const key = headers.get('x-api-key')?.trim() || null
  if (bearer && key && bearer !== key) throw badRequest('Authorization and X-API-Key contain different credentials')
  return bearer ?? key ?? (authorization && !/^Bearer$/i.test(authorization) ? authorization : null)
}

const bearerOf = (authorization: string) => /^Bearer\s+(.+)$/i.exec(authorization)?.[1] ?? null

import { badRequest } from '../fault.ts'
import type { Secrets } from '../ports/secrets.ts'

/** `svc_` is a long-lived API key, `sess_` a session, `tkt_` a ticket for one WebSocket. */
export type CredentialPrefix = 'svc' | 'sess' | 'tkt'

const randomBytes = 32
const shape = /^(svc|sess|tkt)_[0-9a-f]{64}$/

/** A new secret in plaintext. Only its hash is ever stored. */
export const newCredential = (prefix: CredentialPrefix, secrets: Secrets) =>
  `${prefix}_${secrets.random(randomBytes)}`

/** What kind of secret this could be; null for anything that was not made here. */
export function credentialPrefix(credential: string): CredentialPrefix | null {
  return (shape.exec(credential)?.[1] as CredentialPrefix | undefined) ?? null
}

/** The columns that find and prove a secret. */
export function digest(credential: string, secrets: Secrets): { hash: string; lookup: string } {
  const hash = secrets.sha256(credential)
  return { hash, lookup: lookupOf(hash) }
}

/** Enough of a hash to find its row by an index, too little to help a timing attack on the rest. */
export const lookupOf = (hash: string) => hash.slice(0, 8)

/** What a list may show of a key, to tell it from others. */
export const shownPrefix = (key: string) => key.slice(0, 12)

/**
 * The one credential of a request, or null. A scheme other than Bearer is the business of a proxy in front,
 * unless it is all there is: then it is a credential, and a wrong one.
 */
export function readCredential(headers: Headers): string | null {
  const authorization = headers.get('authorization')?.trim() || null
  const bearer = authorization ? bearerOf(authorization) : null
  const key = headers.get('x-api-key')?.trim() || null
  if (bearer && key && bearer !== key)
    throw badRequest('Authorization and X-API-Key carry different credentials')
  return bearer ?? key ?? (authorization && !/^Bearer$/i.test(authorization) ? authorization : null)
}

const bearerOf = (authorization: string) => /^Bearer\s+(.+)$/i.exec(authorization)?.[1] ?? null

import type { Context } from '../context.ts'
import { conflict, forbidden, invalidField, notFound } from '../fault.ts'
import { newId } from '../id.ts'
import type { Secrets } from '../ports/secrets.ts'
import { iso, second } from '../time.ts'
import { auditStatement } from './audit.ts'
import { bootstrapOn } from './bootstrap.ts'
import { holds } from './caller.ts'
import { digest, newCredential, shownPrefix } from './credential.ts'
import { expired } from './identify.ts'
import type { IssuedKey, NewKey } from './schema.ts'
import {
  type Digest,
  deleteKey,
  deleteTicketsOf,
  endBootstrap,
  insertKey,
  keyById,
  replaceKey,
  requireAdminKey,
  type StoredKey,
} from './store.ts'

/**
 * Keys being rotated. With concurrent rotations, one caller would get a key that the other has already
 * replaced.
 */
const rotationPause = second

/** A new key in plaintext, and the columns stored for it. */
export function makeKey(secrets: Secrets): { key: string; stored: Digest } {
  const key = newCredential('svc', secrets)
  return { key, stored: { ...digest(key, secrets), prefix: shownPrefix(key) } }
}

/** The row of a new key, owned by the caller. */
export function newKeyRow(context: Context, input: NewKey): StoredKey {
  const now = context.clock.now()
  return { id: newId('key', now), user_id: context.caller.user_id, ...input, created_at: iso(now) }
}

/** Creates a key with at most the creator's scopes. Only this response contains the plaintext. */
export async function createKey(context: Context, input: NewKey): Promise<IssuedKey> {
  if (!input.scopes.every((scope) => holds(context.caller, scope))) {
    throw forbidden('A key cannot have scopes that its creator does not have')
  }
  if (expired(input.expires_at, context)) throw invalidField('expires_at', 'must be in the future')
  await requireAdminFirst(context, input)
  const row = newKeyRow(context, input)
  const { key, stored } = makeKey(context.secrets)
  const answer = { id: row.id, name: row.name, key, created_at: row.created_at }
  await context.commit(
    [
      endBootstrap(row.created_at),
      insertKey(row, stored),
      auditStatement(context, { action: 'key.created', target: row.id }),
    ],
    [{ type: 'key.created', data: { id: row.id } }],
    { answer },
  )
  return answer
}

/**
 * The first key ends bootstrap mode. If it could not manage keys or expired, everyone would be locked out.
 */
async function requireAdminFirst(context: Context, input: NewKey): Promise<void> {
  if (input.scopes.includes('admin') && input.expires_at === null) return
  if (await bootstrapOn(context)) throw conflict('The first key requires the scope admin and must not expire')
}

/** Replaces a key's secret. The old one is invalid at once, and its open connections are closed. */
export async function rotateKey(context: Context, id: string): Promise<IssuedKey> {
  const row = await keyById(context, id)
  if (!row) throw notFound('The key')
  const now = context.clock.now()
  const { key, stored } = makeKey(context.secrets)
  const answer = { id, name: row.name, key, created_at: row.created_at }
  const terms = {
    now: iso(now),
    quiet_since: iso(now - rotationPause),
    guard: 'Another request has just rotated or revoked this key',
  }
  await context.commit(
    [
      replaceKey(row, stored, terms),
      deleteTicketsOf(id),
      auditStatement(context, { action: 'key.rotated', target: id }),
    ],
    [{ type: 'key.rotated', data: { id } }],
    { answer },
  )
  context.process.connections.endOf(id)
  return answer
}

/** Revokes a key permanently. The last valid admin key cannot be revoked. */
export async function revokeKey(context: Context, id: string): Promise<void> {
  const row = await keyById(context, id)
  if (!row) throw notFound('The key')
  const steps = [deleteKey(id, row.hash, 'Another request has just rotated or revoked this key')]
  if (row.scopes.includes('"admin"')) steps.push(requireAdminKey(iso(context.clock.now()), lastAdminKey))
  steps.push(auditStatement(context, { action: 'key.revoked', target: id }))
  await context.commit(steps, [{ type: 'key.revoked', data: { id } }])
  context.process.connections.endOf(id)
}

export const lastAdminKey = 'This is the last admin key; create another one first'

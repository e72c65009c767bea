import type { Context } from '../context.ts'
import { unauthorized } from '../fault.ts'
import { iso, minute } from '../time.ts'
import type { Caller } from './caller.ts'
import { credentialPrefix, digest } from './credential.ts'
import { roleScopes } from './schema.ts'
import { authState } from './state.ts'
import { type KeyRow, keysByLookup, noteKeyUse, parseScopes, type SessionRow, sessionsByLookup } from './store.ts'
import { countFailure, refuseLimited } from './throttle.ts'

export const missingCredential = () => unauthorized('Missing Authorization header')
export const invalidCredential = () => unauthorized('Invalid or revoked API key')

export interface Identity {
  caller: Caller
  expires_at: string | null
}

/**
 * The caller of a credential, or a 401. Failures are counted, and an address with too many gets a 429: but not for a
 * valid credential, so nobody locks out the others at an address. A key has too many digits to be guessed.
 */
export async function identify(credential: string, context: Context): Promise<Caller> {
  const identity = await findIdentity(credential, context)
  if (identity) return identity.caller
  refuseLimited(context)
  countFailure(context)
  throw invalidCredential()
}

/** The caller of a valid API key or session, else null. */
export async function findIdentity(credential: string, context: Context): Promise<Identity | null> {
  const prefix = credentialPrefix(credential)
  if (prefix === 'svc') return findKey(credential, context)
  if (prefix === 'sess') return findSession(credential, context)
  return null
}

async function findKey(credential: string, context: Context): Promise<Identity | null> {
  const { hash, lookup } = digest(credential, context.secrets)
  const row = (await keysByLookup(context, lookup)).find((key) => context.secrets.equal(key.hash, hash))
  if (!row || expired(row.expires_at, context)) return null
  noteUse(context, row.id)
  return keyIdentity(row, context)
}

async function findSession(credential: string, context: Context): Promise<Identity | null> {
  const { hash, lookup } = digest(credential, context.secrets)
  const row = (await sessionsByLookup(context, lookup)).find((session) => context.secrets.equal(session.hash, hash))
  return row && !expired(row.expires_at, context) ? sessionIdentity(row, context) : null
}

export function keyIdentity(row: KeyRow, { caller: { address, local } }: Context): Identity {
  const scopes = parseScopes(row.scopes)
  const caller: Caller = {
    kind: 'api_key',
    id: row.id,
    user_id: row.user_id,
    ...(row.role && { role: row.role }),
    name: row.name,
    scopes,
    address,
    local,
  }
  return { caller, expires_at: row.expires_at }
}

export function sessionIdentity(row: SessionRow, { caller: { address, local } }: Context): Identity {
  const { id, user_id, role, username: name } = row
  const scopes = roleScopes[role]
  return {
    caller: { kind: 'session', id, user_id, role, name, scopes, address, local },
    expires_at: row.expires_at,
  }
}

export const expired = (expires_at: string | null, context: Context) =>
  expires_at !== null && expires_at <= iso(context.clock.now())

/** Stores a key's last use at most once a minute, without delaying the request. */
function noteUse(context: Context, id: string): void {
  const now = context.clock.now()
  const { key_uses } = authState(context)
  if (Math.abs(now - (key_uses.get(id) ?? Number.NEGATIVE_INFINITY)) < minute) return
  key_uses.set(id, now)
  noteKeyUse(context, id, iso(now)).catch((cause: unknown) => {
    context.log.write('warn', 'cannot store the last use of a key', { key: id, cause: String(cause) })
  })
}

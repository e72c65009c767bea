import type { z } from 'zod'
import type { Context } from '../context.ts'
import { readCredential } from './credential.ts'
import { findIdentity, missingCredential } from './identify.ts'
import type { Validity } from './schema.ts'
import { countFailure, refuseLimited } from './throttle.ts'

/** Reports whether a request's credential is valid. An invalid one is no error here, but counts as a failure. */
export async function validity(request: Request, context: Context): Promise<z.output<typeof Validity>> {
  const credential = readCredential(request.headers)
  if (credential === null) throw missingCredential()
  const identity = await findIdentity(credential, context)
  if (!identity) {
    refuseLimited(context)
    countFailure(context)
    return { valid: false, kind: null, id: null, scopes: [], expires_at: null }
  }
  const { caller, expires_at } = identity
  return {
    valid: true,
    kind: caller.kind as 'api_key' | 'session',
    id: caller.id,
    scopes: [...caller.scopes],
    expires_at,
  }
}

import type { Context } from '../context.ts'
import type { EndpointInfo } from '../http/endpoint-info.ts'
import { bootstrapOn } from './bootstrap.ts'
import type { Caller } from './caller.ts'
import { readCredential } from './credential.ts'
import { identify, missingCredential } from './identify.ts'
import { authState } from './state.ts'

/**
 * Returns the caller of a request. Public endpoints ignore credentials, so a stale key does not block them.
 * All others need a valid credential: 401 without one, 429 for an address with too many failures.
 */
export async function authenticate(endpoint: EndpointInfo, request: Request, context: Context): Promise<Caller> {
  if (await isOpen(endpoint, context)) return context.caller
  const credential = readCredential(request.headers)
  if (credential === null) throw missingCredential()
  return identify(credential, context)
}

/** Before setup, an unknown path is refused like a path that requires a credential. */
export async function refuseUnknown(refusal: unknown, request: Request, context: Context): Promise<never> {
  const isSetup = new URL(request.url).pathname.startsWith('/api/setup/')
  if (!isSetup && (await bootstrapOn(context))) {
    const credential = readCredential(request.headers)
    if (credential === null) throw missingCredential()
    await identify(credential, context)
  }
  throw refusal
}

async function isOpen({ access }: EndpointInfo, context: Context): Promise<boolean> {
  if (access === 'public') return true
  if (access === 'monitor') return !context.config.api_key_required
  return access === 'setup' && ((await bootstrapOn(context)) || authState(context).setups > 0)
}

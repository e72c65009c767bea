import type { Context } from '../context.ts'
import type { EndpointInfo } from '../http/endpoint.ts'
import { bootstrapOn } from './bootstrap.ts'
import type { Caller } from './caller.ts'
import { readCredential } from './credential.ts'
import { identify, missingCredential } from './identify.ts'
import { authState } from './state.ts'

/**
 * Who asks. Where no credential is needed nobody is asked for one, so a stale key cannot close a public door;
 * everywhere else there is a caller or a 401, or a 429 for an address that failed too often.
 */
export async function authenticate(
  endpoint: EndpointInfo,
  request: Request,
  context: Context,
): Promise<Caller> {
  if (await isOpen(endpoint, context)) return context.caller
  const credential = readCredential(request.headers)
  if (credential === null) throw missingCredential()
  return identify(credential, context)
}

async function isOpen({ access }: EndpointInfo, context: Context): Promise<boolean> {
  if (access === 'public') return true
  if (access === 'monitor') return !context.config.api_key_required
  return access === 'setup' && ((await bootstrapOn(context)) || authState(context).setups > 0)
}

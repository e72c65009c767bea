import type { Context } from '../context.ts'
import { conflict, forbidden } from '../fault.ts'
import type { Access, EndpointInfo } from '../http/endpoint.ts'
import { bootstrapOn, requireSetupToken } from './bootstrap.ts'
import { holds, type Scope } from './caller.ts'
import { missingCredential } from './identify.ts'
import { authState } from './state.ts'

/** Checks the caller's access. Every endpoint calls it, so an endpoint called directly is protected too. */
export async function authorise(info: EndpointInfo, request: Request, context: Context): Promise<void> {
  if (info.access === 'setup') return authoriseSetup(request, context)
  requireAccess(info.access, context)
}

/** Checks the caller's access to anything but setup. */
export function requireAccess(access: Exclude<Access, 'setup'>, context: Context): void {
  const open = access === 'public' || (access === 'monitor' && !context.config.api_key_required)
  if (!open) requireScope(access === 'monitor' ? 'read' : access, context)
}

function requireScope(scope: Scope, { caller }: Context): void {
  if (caller.kind === 'anonymous') throw missingCredential()
  if (!holds(caller, scope)) throw forbidden(`This request requires a credential with the scope ${scope}`)
}

async function authoriseSetup(request: Request, context: Context): Promise<void> {
  if (await bootstrapOn(context)) return requireSetupToken(request, context)
  const late = authState(context).setups > 0
  if (context.caller.kind === 'anonymous' && !late) throw missingCredential()
  throw conflict('Setup is already complete; manage users, keys and settings through their own endpoints')
}

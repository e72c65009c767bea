import type { Context } from '../context.ts'
import { badRequest, conflict, forbidden, notFound } from '../fault.ts'
import type { Access, EndpointInfo } from '../http/endpoint-info.ts'
import { auditStatement } from './audit.ts'
import { bootstrapOn, requireSetupToken } from './bootstrap.ts'
import { holds, type Scope } from './caller.ts'
import { missingCredential } from './identify.ts'
import { everyone } from './owner.ts'
import { authState } from './state.ts'
import { userById } from './user-store.ts'

/** Checks the caller's access. Every endpoint calls it, so an endpoint called directly is protected too. */
export async function authorise(info: EndpointInfo, request: Request, context: Context): Promise<void> {
  if (info.access === 'setup') return authoriseSetup(request, context)
  requireAccess(info.access, context)
  const changesShared = info.owner === 'shared' && info.method !== 'GET'
  if (changesShared && context.caller.role === 'user')
    throw forbidden('Only administrators may change this; it belongs to everyone')
}

/** The context of a request. An administrator may name another owner with `?owner=`, which is audited. */
export async function contextForOwner(info: EndpointInfo, request: Request, context: Context): Promise<Context> {
  const owner = info.owner === 'caller' ? new URL(request.url).searchParams.get('owner') : null
  if (owner === null || owner === context.caller.user_id) return context
  requireScope('admin', context)
  if (owner === everyone && info.method !== 'GET' && info.access !== 'admin')
    throw badRequest(`owner must be the id of one user: ${everyone} is for reading only`)
  if (owner !== everyone && !(await userById(context, owner))) throw notFound(`The user ${owner}`)
  await context.commit([auditStatement(context, { action: 'owner.viewed', target: owner })])
  return { ...context, caller: { ...context.caller, owner_id: owner } }
}

/** Checks the caller's access to anything but setup. */
export function requireAccess(access: Exclude<Access, 'setup'>, context: Context): void {
  const open = access === 'public' || (access === 'monitor' && !context.config.api_key_required)
  if (!open) requireScope(access === 'monitor' ? 'read' : access, context)
}

/** Whoever lets an agent act without asking approves all that it does. */
export function authoriseAutonomy(body: unknown, context: Context): void {
  const { execution_mode, agent } = (body ?? {}) as {
    execution_mode?: unknown
    agent?: { execution_mode?: unknown }
  }
  if (execution_mode === 'autonomous' || agent?.execution_mode === 'autonomous') requireScope('approve', context)
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

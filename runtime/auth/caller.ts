/** `read` covers GET, `write` all other methods, `approve` decides approvals only, `admin` includes all. */
export type Scope = 'read' | 'write' | 'approve' | 'admin'

export const scopes: readonly Scope[] = ['read', 'write', 'approve', 'admin']

export type Role = 'admin' | 'user'

export interface Caller {
  kind: 'anonymous' | 'api_key' | 'session' | 'system'
  /** Key or session id; null for anonymous callers. */
  id: string | null
  user_id: string | null
  /** The role of the user; absent for the daemon and for keys that belong to no user. */
  role?: Role
  /** The owner of the data that the caller works on, if not the caller; see `owner.ts`. */
  owner_id?: string
  /** Shown in the audit log. */
  name: string
  scopes: readonly Scope[]
  /** Remote address of the socket, or of the client of a trusted proxy. */
  address: string
  /** True if the socket's peer is a loopback address and the request was not forwarded by a proxy. */
  local: boolean
}

/** The caller for work and ticks: the daemon itself. */
export const systemCaller: Caller = {
  kind: 'system',
  id: null,
  user_id: null,
  name: 'hearthd',
  scopes: ['admin'],
  address: '',
  local: true,
}

/** The caller of a request before authentication. */
export const anonymousCaller = (peer: { address: string; local: boolean }): Caller => ({
  ...systemCaller,
  kind: 'anonymous',
  name: 'anonymous',
  scopes: [],
  ...peer,
})

/** Whether the caller has a scope. */
export function holds(caller: Caller, scope: Scope): boolean {
  return caller.scopes.includes('admin') || caller.scopes.includes(scope)
}

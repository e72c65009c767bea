/** `read` is GET, `write` everything else, `approve` answers approvals only, `admin` is all of them. */
export type Scope = 'read' | 'write' | 'approve' | 'admin'

export const scopes: readonly Scope[] = ['read', 'write', 'approve', 'admin']

export interface Caller {
  kind: 'anonymous' | 'api_key' | 'session' | 'system'
  /** Key or session id; null for the anonymous. */
  id: string | null
  user_id: string | null
  /** Shown in the audit log. */
  name: string
  scopes: readonly Scope[]
  /** Remote address of the socket, or of the trusted proxy's client. */
  address: string
  /** True when the socket's own peer is a loopback address and no proxy spoke for somebody else. */
  local: boolean
}

/** The daemon itself, for Work and ticks. */
export const systemCaller: Caller = {
  kind: 'system',
  id: null,
  user_id: null,
  name: 'hearthd',
  scopes: ['admin'],
  address: '',
  local: true,
}

/** Who a request comes from before any credential was read. */
export const anonymousCaller = (peer: { address: string; local: boolean }): Caller => ({
  ...systemCaller,
  kind: 'anonymous',
  name: 'anonymous',
  scopes: [],
  ...peer,
})

/** Whether `caller` may do what asks for `scope`. */
export function holds(caller: Caller, scope: Scope): boolean {
  return caller.scopes.includes('admin') || caller.scopes.includes(scope)
}

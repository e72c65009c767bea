import type { Context } from '../context.ts'
import type { RequestKey } from './send.ts'

/** How a repeated send is recognised; null when the caller gave no `Idempotency-Key`. */
export function requestKey(context: Context, request: Request, body: unknown): RequestKey | null {
  const key = request.headers.get('idempotency-key')
  if (!key) return null
  const slot = context.secrets.sha256(`${context.caller.id ?? context.caller.address}\n${key}`)
  return { slot, fingerprint: context.secrets.sha256(JSON.stringify(body)) }
}

import type { Context } from '../context.ts'
import { unauthorized } from '../fault.ts'
import type { Host } from '../host.ts'
import { authState } from './state.ts'
import { bootstrapRow } from './store.ts'
import { countFailure, refuseLimited } from './throttle.ts'

/** True until the first key exists. Until then setup needs no credential and all other endpoints refuse. */
export async function bootstrapOn(host: Host): Promise<boolean> {
  const auth = authState(host)
  auth.bootstrap_ended ||= (await bootstrapRow(host)) !== null
  return !auth.bootstrap_ended
}

/**
 * Remote setup requires the token that the daemon printed at startup. A request is local if both the peer and the
 * `Host` header are loopback: a page of another site can connect to loopback, but not with such a `Host`.
 */
export function needsSetupToken(request: Request, context: Context): boolean {
  return context.config.api_key_required || !context.caller.local || !isLoopback(new URL(request.url).hostname)
}

/** Refuses a remote setup request without the token. */
export function requireSetupToken(request: Request, context: Context): void {
  if (!needsSetupToken(request, context)) return
  refuseLimited(context)
  const token = request.headers.get('x-setup-token') ?? ''
  const expected = context.config.setup_token
  if (expected !== '' && token !== '' && context.secrets.equal(token, expected)) return
  if (token !== '') countFailure(context)
  throw unauthorized(expected === '' ? localOnly : askForToken)
}

const askForToken =
  'Remote setup requires the X-Setup-Token header with the token that hearthd printed to its terminal or service log at startup'

const localOnly = 'Setup is only possible on the machine itself: open http://127.0.0.1 there, or run hearthd setup'

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

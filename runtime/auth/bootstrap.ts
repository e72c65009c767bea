import type { Context } from '../context.ts'
import { unauthorized } from '../fault.ts'
import type { Host } from '../host.ts'
import { authState } from './state.ts'
import { bootstrapRow } from './store.ts'
import { countFailure, refuseLimited } from './throttle.ts'

/** True until the first key exists. Setup needs no credential then, and everything else refuses. */
export async function bootstrapOn(host: Host): Promise<boolean> {
  const auth = authState(host)
  auth.bootstrap_ended ||= (await bootstrapRow(host)) !== null
  return !auth.bootstrap_ended
}

/**
 * Who is not at the machine must know what the daemon printed there. Both the peer and the host that the
 * request names must be loopback: a page of another site can reach the first, but not under such a name.
 */
export function needsSetupToken(request: Request, context: Context): boolean {
  return (
    context.config.api_key_required || !context.caller.local || !isLoopback(new URL(request.url).hostname)
  )
}

/** Refuses a setup request from afar that does not carry the token. */
export function requireSetupToken(request: Request, context: Context): void {
  if (!needsSetupToken(request, context)) return
  refuseLimited(context)
  const given = request.headers.get('x-setup-token') ?? ''
  const expected = context.config.setup_token
  if (expected !== '' && given !== '' && context.secrets.equal(given, expected)) return
  if (given !== '') countFailure(context)
  throw unauthorized(expected === '' ? localOnly : askForToken)
}

const askForToken =
  'Setup from here needs the header X-Setup-Token with the value that hearthd printed in its terminal or service log when it started'

const localOnly =
  'Setup works only on the machine itself: open it at http://127.0.0.1, or run hearthd setup there'

function isLoopback(hostname: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(hostname)
}

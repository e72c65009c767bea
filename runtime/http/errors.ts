import type { Context } from '../context.ts'
import { badRequest, conflict, Fault, forbidden, unavailable } from '../fault.ts'
import { PathRefused } from '../ports/files.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import { GuardFailed, StoreUnavailable, StoreUncertain } from '../ports/sql.ts'

/** The two error shapes: `{error: message}` for a 401, `{error: code, message, status}` for all others. */
export function faultResponse(fault: Fault): Response {
  const body =
    fault.status === 401
      ? { error: fault.message }
      : { error: fault.code, message: fault.message, status: fault.status, ...fault.extra }
  return Response.json(body, { status: fault.status, headers: fault.headers })
}

/** For a request that is over because hearthd stops, or because nobody waits for it any more: neither is an error of ours. */
const cutShort = () => unavailable('The request was cut short; what was done until then stays')

/** The only place where something thrown becomes an answer. */
export async function answerFaults(
  context: Pick<Context, 'log' | 'request_id' | 'signal'>,
  run: () => Promise<Response>,
): Promise<Response> {
  try {
    return await run()
  } catch (thrown) {
    const { aborted, reason } = context.signal
    const fault = aborted && thrown === reason ? cutShort() : toFault(thrown)
    if (fault.status === 500) {
      const cause = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
      context.log.write('error', 'request failed', { request_id: context.request_id, cause })
    }
    return faultResponse(fault)
  }
}

export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof GuardFailed) return conflict(thrown.message)
  if (thrown instanceof StoreUncertain)
    return unavailable('The disk failed while it took this: see whether it is there before you try again')
  if (thrown instanceof StoreUnavailable) {
    return unavailable(
      'The database cannot be written now; nothing was changed. Free some disk space and try again',
    )
  }
  if (thrown instanceof PathRefused) return badRequest(thrown.message)
  if (thrown instanceof OutboundBlocked) return forbidden(thrown.message)
  return new Fault(500, 'internal_error', 'Something went wrong here; the log has the request id')
}

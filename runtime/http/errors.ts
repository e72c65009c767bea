import type { Context } from '../context.ts'
import { badRequest, conflict, Fault, forbidden, unavailable } from '../fault.ts'
import { PathRefused } from '../ports/files.ts'
import { ModelError } from '../ports/models.ts'
import { OutboundBlocked } from '../ports/outbound.ts'
import {
  GuardFailed,
  ReadTooLong,
  StoreRemoved,
  StoreUnavailable,
  StoreUncertain,
  StoreUnreachable,
} from '../ports/sql.ts'
import { errorStack } from '../thrown.ts'

/** The two error shapes: `{error: message}` for a 401, `{error: code, message, status}` for all others. */
export function faultResponse(fault: Fault): Response {
  const body =
    fault.status === 401
      ? { error: fault.message }
      : { error: fault.code, message: fault.message, status: fault.status, ...fault.extra }
  return Response.json(body, { status: fault.status, headers: fault.headers })
}

/**
 * For a request that was aborted because hearthd stops or the client disconnected; neither is a server error.
 */
const cutShort = () => unavailable('The request was interrupted; changes made until then remain')

/** Converts anything thrown into an error response. */
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
      const cause = errorStack(thrown)
      context.log.write('error', 'request failed', { request_id: context.request_id, cause })
    }
    return faultResponse(fault)
  }
}

export function toFault(thrown: unknown): Fault {
  if (thrown instanceof Fault) return thrown
  if (thrown instanceof GuardFailed) return conflict(thrown.message)
  if (thrown instanceof ModelError) return new Fault(503, thrown.code, thrown.message)
  if (thrown instanceof StoreUncertain)
    return unavailable(
      'The database failed while this was being stored. Check whether the change was saved before you try again',
    )
  if (thrown instanceof StoreRemoved) {
    return unavailable(
      'The database file was removed or replaced; nothing was changed. Stop hearthd, restore the file, start again',
    )
  }
  if (thrown instanceof StoreUnreachable)
    return unavailable('The database server cannot be reached; nothing was changed. Try again when it is back')
  if (thrown instanceof StoreUnavailable) {
    return unavailable('The database is not writable; nothing was changed. Free some disk space and try again')
  }
  if (thrown instanceof ReadTooLong)
    return unavailable('The search took too long and was stopped. Search for fewer or rarer words')
  if (thrown instanceof PathRefused) return badRequest(thrown.message)
  if (thrown instanceof OutboundBlocked) return forbidden(thrown.message)
  return new Fault(500, 'internal_error', 'An internal error occurred; find it in the log by the request id')
}

import { Fault } from '../../fault.ts'
import { isUnsent } from '../../outbound/unsent.ts'
import { OutboundBlocked } from '../../ports/outbound.ts'
import { NodeError, permanentError, refusal } from '../node-type.ts'

/** Throws the error of a request that was refused, cancelled or not answered, as that of a node. */
export function failRequest(thrown: unknown, { signal, host }: { signal: AbortSignal; host: string }): never {
  if (signal.aborted) throw signal.reason
  if (thrown instanceof OutboundBlocked)
    throw permanentError('blocked', `The guard for outgoing requests refused it: ${thrown.message}`)
  if (thrown instanceof Fault && thrown.status === 413)
    throw permanentError('too_large', `The answer from ${host} is too large: ${thrown.message}`)
  if (thrown instanceof Fault && thrown.status === 400)
    throw new NodeError('no_answer', `The answer from ${host} ended before it was complete`)
  if (!(thrown instanceof TypeError)) throw refusal(thrown, 'credential')
  const reason = thrown.cause instanceof Error ? thrown.cause.message : thrown.message
  throw new NodeError('no_answer', `No answer from ${host}: ${reason}`, { definite: isUnsent(thrown) })
}

/** The error for an answer of 400 or above; `text` is its body. */
export const statusError = (status: number, host: string, text: string): NodeError =>
  new NodeError(`http_${status}`, `${host} answered ${status}: ${text.slice(0, 500)}`, {
    permanent: status < 500 && status !== 408 && status !== 429,
    // A gateway that gave up does not know what the server has done.
    definite: status !== 504,
  })

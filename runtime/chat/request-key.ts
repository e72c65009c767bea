import type { Context } from '../context.ts'
import { Fault } from '../fault.ts'
import { GuardFailed } from '../ports/sql.ts'
import { findMessageByRequest } from './message-store.ts'
import type { Message } from './schema.ts'

/** What repeats a request for an answer: the same caller's `Idempotency-Key`, and a mark of the body it came with. */
export interface RequestKey {
  slot: string
  fingerprint: string
}

/** How a repeated request is recognised; null when the caller gave no `Idempotency-Key`. */
export function requestKey(context: Context, request: Request, body: unknown): RequestKey | null {
  const key = request.headers.get('idempotency-key')
  if (!key) return null
  const slot = context.secrets.sha256(`${context.caller.id ?? context.caller.address}\n${key}`)
  return { slot, fingerprint: context.secrets.sha256(JSON.stringify(body)) }
}

export const requestKeyText = (key: RequestKey) => `${key.slot}.${key.fingerprint}`

/**
 * Begins an answer once for each key: a repetition gets the answer that the first has begun, whoever is quicker.
 * `begin` has to store the key with the answer, behind `guardNewRequest`.
 */
export async function answerOnce(
  context: Context,
  key: RequestKey | null,
  begin: () => Promise<Message>,
): Promise<Message> {
  const earlier = key && (await findMessageByRequest(context, key.slot))
  if (earlier) return repeated(earlier, key)
  try {
    return await begin()
  } catch (thrown) {
    const quicker = key && thrown instanceof GuardFailed && (await findMessageByRequest(context, key.slot))
    if (quicker) return repeated(quicker, key)
    throw thrown
  }
}

function repeated(earlier: { message: Message; request_key: string }, key: RequestKey): Message {
  if (earlier.request_key === requestKeyText(key)) return earlier.message
  throw new Fault(422, 'validation_error', 'This Idempotency-Key was used with another body', {
    extra: { issues: [{ path: 'Idempotency-Key', message: 'already used with another body' }] },
  })
}
